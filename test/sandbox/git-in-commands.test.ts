import { mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Checkout } from '../../activities/checkout.ts';
import { gitCopyOf } from '../../activities/sandbox/git-copy.ts';
import type { Sandbox } from '../../activities/sandbox/sandbox.ts';
import type { CommandOutcome } from '../../activities/sandbox/spec.ts';
import { CheckoutRepository } from '../../files/checkout-repository.ts';
import { GitMirrors } from '../../files/git-mirror.ts';
import { newRemote, type TestRemote } from '../git-notebook.ts';
import { openTestSandbox } from '../sandbox-here.ts';

let sandbox: Sandbox;
let base: string;
let remote: TestRemote;
let mirror: string;
let repository: CheckoutRepository;
let checkout: Checkout;

beforeAll(async () => {
  sandbox = await openTestSandbox();
  base = await mkdtemp(join(tmpdir(), 'longhaul-git-copy-'));
  remote = await newRemote({ 'notes.md': '# Notes\n', '.gitignore': 'out/\n' }, base);
  remote.git(remote.bare, 'tag', 'v1.2.0', 'main');
  remote.git(remote.bare, 'branch', 'other', 'main');
  mirror = await new GitMirrors(join(base, 'mirrors')).open({ id: 'nb_1', url: remote.url, branch: null });
});
afterAll(async () => {
  await sandbox.close();
  await rm(base, { recursive: true, force: true });
});

let made = 0;
beforeEach(async () => {
  made += 1;
  const commit = remote.git(mirror, 'rev-parse', 'main');
  const origin = {
    ...{ mirror, base: commit, branch: 'longhaul/run_1' },
    remote: { url: 'https://forge.example/team/notes.git', default_branch: 'main' },
  };
  repository = await CheckoutRepository.make(join(base, `checkout-${made}`), origin);
  checkout = {
    ...{ dir: repository.dir, git_dir: repository.git_dir, git: repository.git, remoteGit: repository.git },
    ...{ branch: origin.branch, base_commit: commit, remote: origin.remote },
    ...{ notebook_id: 'nb_1', run_id: 'run_1', epoch: 1 },
  };
});
afterEach(() => repository.remove());

const run = async (command: string): Promise<CommandOutcome> =>
  sandbox.run({
    ...(await gitCopyOf(checkout)),
    argv: ['/bin/sh', '-c', command],
    root: checkout.dir,
    timeout_ms: 30_000,
  });
const write = (path: string, text: string) => writeFile(join(checkout.dir, path), text);
/** All that git out here goes by, byte for byte. */
const trusted = async (): Promise<Record<string, string>> => {
  const names = (await readdir(checkout.git_dir, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const read = names.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path, await readFile(path, 'base64')] as const;
  });
  return Object.fromEntries(await Promise.all(read));
};

describe('[6] git in a command', () => {
  it.each([
    ['git status --porcelain', ' M notes.md\n?? new.md\n'],
    ['git diff --stat', ' notes.md | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n'],
    ['git log --format=%s', 'first\n'],
    ['git describe --tags', 'v1.2.0\n'],
    ['git rev-parse --abbrev-ref HEAD', 'longhaul/run_1\n'],
    ['git branch --remotes --format="%(refname:short)"', 'origin/main\norigin/other\n'],
    ['git ls-files', '.gitignore\nnotes.md\n'],
    ['git remote get-url origin', 'https://forge.example/team/notes.git\n'],
    ['git diff --quiet; echo $?', '1\n'],
  ])('sees the history and the changes of the run: %s', async (command, output) => {
    await write('notes.md', '# Other\n');
    await write('new.md', 'new\n');
    expect(await run(command)).toMatchObject({ exit_code: 0, output });
  });

  it('sees a change that was made in the second of the checkout, and is no longer than what was there', async () => {
    const path = join(checkout.dir, 'notes.md');
    const then = new Date('2026-01-02T03:04:05Z');
    await utimes(path, then, then);
    await checkout.git(['update-index', '--refresh']);
    await write('notes.md', '# Other\n');
    for (const file of [path, join(checkout.git_dir, 'index')]) await utimes(file, then, then);
    expect(await run('git status --porcelain')).toMatchObject({ exit_code: 0, output: ' M notes.md\n' });
  });

  it('stashes, resets, clones and makes work trees, within the command', async () => {
    await write('notes.md', '# Other\n');
    const script = [
      'git stash --quiet && cat notes.md && git stash pop --quiet && cat notes.md',
      'git reset --quiet --hard && cat notes.md',
      'git clone --quiet . /tmp/clone && cd /tmp/clone && echo x > x && git add x',
      'git -c user.name=A -c user.email=a@b commit --quiet -m x && git log --format=%s',
      'git worktree add --quiet --detach /tmp/tree && ls /tmp/tree',
    ];
    expect(await run(script.join(' && '))).toMatchObject({
      exit_code: 0,
      output: '# Notes\n# Other\n# Notes\nx\nfirst\nnotes.md\nx\n',
    });
  });

  it.each([
    ['a commit', 'git commit -am changed'],
    ['a branch', 'git checkout -b mine'],
    ['a branch of the remote', 'git switch other'],
    ['a tag', 'git tag v2'],
  ])('does not make %s that would be lost, and says what does', async (_, command) => {
    await write('notes.md', '# Other\n');
    const { exit_code, output } = await run(command);
    expect(exit_code).not.toBe(0);
    expect(output).toContain('made with the tool git (operations branch, commit, push)');
  });

  it('does not push, and says what does', async () => {
    const { exit_code, output } = await run('git push');
    expect(exit_code).not.toBe(0);
    expect(output).toContain('commands do not push, the tool git does (operation push)');
  });

  it('changes nothing that git on the host goes by, whatever it writes into the copy', async () => {
    const before = await trusted();
    const ran = join(base, 'ran');
    const { output } = await run(
      [
        `git config core.fsmonitor "touch ${ran}"; git config filter.x.clean "touch ${ran}"`,
        'mkdir .git/info; echo "* filter=x" | tee .git/info/attributes .gitattributes',
        `printf "#!/bin/sh\\ntouch ${ran}" > .git/hooks/post-index-change; chmod +x .git/hooks/*`,
        'git add --all; git update-ref refs/stash HEAD',
        'for at in /run/longhaul/objects /run/longhaul/mirror; do echo x > $at/x && echo written; rm -r $at/pack && echo removed; done',
        'mv .git elsewhere && echo moved; rmdir .git && echo replaced; ln -sfn /tmp .git && echo linked',
      ].join('\n'),
    );
    expect(output).not.toMatch(/written|removed|moved|replaced/);
    await checkout.git(['status', '--porcelain']);
    expect(await repository.take(null)).not.toBeNull();
    expect(await readdir(base)).not.toContain('ran');
    const after = await trusted();
    for (const [path, content] of Object.entries(before)) {
      if (!path.endsWith('index')) expect(after[path], path).toBe(content);
    }
    expect(await readdir(join(checkout.dir, '.git'))).toEqual([]);
  });

  it('is not given where something else is in its place', async () => {
    const elsewhere = await mkdtemp(join(base, 'elsewhere-'));
    await symlink(elsewhere, join(checkout.dir, '.git'));
    expect(await gitCopyOf(checkout)).toEqual({});
    expect(await readdir(elsewhere)).toEqual([]);
  });
});
