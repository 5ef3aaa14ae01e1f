import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Checkout } from '../../activities/checkout.ts';
import { CheckoutRepository } from '../../files/checkout-repository.ts';
import { Forge } from '../doubles/forge.ts';
import { GitRemote } from '../doubles/git-remote.ts';
import { type CallOptions, checkOut, use } from './own-checkout.ts';

let remote: GitRemote;
let forge: Forge;
let checkout: Checkout & { remove(): Promise<void> };
const FILES = { 'README.md': '# Sum\n', 'src/sum.js': 'export const sum = (a, b) => a - b;\n', '.gitignore': 'out/\n' };

beforeAll(async () => {
  remote = await GitRemote.start(FILES);
  forge = await Forge.start({ branches: remote.branches });
});
afterAll(() => Promise.all([remote.close(), forge.close()]));
let runs = 0;
let pushedBefore = 0;
const pushes = () => remote.pushes.slice(pushedBefore);
beforeEach(async () => {
  runs += 1;
  checkout = await checkOut(remote, `run_${runs}`);
  pushedBefore = remote.pushes.length;
  forge.pulls.length = 0;
  forge.creations = 0;
});
afterEach(() => checkout.remove());

const git = (operation: string, args: object = {}, options: CallOptions = {}) =>
  use(checkout, 'git', operation, args, options);
const write = (path: string, text: string) => writeFile(join(checkout.dir, path), text);
const on = () => ({ github: { api_url: forge.url, token: forge.token } });
const head = async () => (await checkout.git(['rev-parse', 'HEAD'])).toString().trim();

describe('[6] git status and diff', () => {
  it('show what was changed, added and deleted, and leave index and files alone', async () => {
    const before = await readFile(join(checkout.git_dir, 'index'));
    await write('src/sum.js', 'export const sum = (a, b) => a + b;\n');
    await write('src/new.js', 'export {};\n');
    await rm(join(checkout.dir, 'README.md'));
    await mkdir(join(checkout.dir, 'out'));
    await write('out/ignored.txt', 'x');
    expect(await git('status')).toMatchObject({
      branch: checkout.branch,
      commits_ahead: 0,
      clean: false,
      changes: [
        { path: '/README.md', state: 'deleted' },
        { path: '/src/new.js', state: 'added' },
        { path: '/src/sum.js', state: 'modified' },
      ],
    });
    const { diff, files } = await git('diff');
    expect(files).toBe(3);
    expect(diff).toContain('-export const sum = (a, b) => a - b;\n+export const sum = (a, b) => a + b;');
    expect(diff).toContain('+++ b/src/new.js');
    expect((await git('diff', { path: '/src/new.js' })).files).toBe(1);
    expect(await readFile(join(checkout.git_dir, 'index'))).toEqual(before);
  });

  it('show nothing of files that the agent may not read', async () => {
    await write('src/sum.js', 'a secret\n');
    await write('README.md', '# Open\n');
    const agent = { scope: { notebooks: ['*'], file_types: ['md'] } };
    expect((await git('status', {}, { agent })).changes).toEqual([{ path: '/README.md', state: 'modified' }]);
    expect((await git('diff', {}, { agent })).diff).not.toContain('secret');
    expect((await git('diff', { path: '/src/sum.js' }, { agent })).diff).toBe('');
  });

  it('a commit that there is not, or that looks like an option, is refused', async () => {
    for (const since of ['no-such', '--output=/tmp/x', 'HEAD:README.md']) {
      await expect(git('diff', { since })).rejects.toMatchObject({ code: 'git_refused' });
    }
  });
});

describe('[6] git branch', () => {
  it('without a name is that of the run, which is there already', async () => {
    expect(await git('branch')).toMatchObject({ branch: `longhaul/run_${runs}`, created: false });
  });

  it('is made once, and keeps the changes', async () => {
    await write('README.md', '# Changed\n');
    expect(await git('branch', { name: 'fix/sum' })).toMatchObject({ branch: 'fix/sum', created: true });
    expect(await git('branch', { name: 'fix/sum' })).toMatchObject({ branch: 'fix/sum', created: false });
    expect(await git('status')).toMatchObject({ branch: 'fix/sum', changes: [{ path: '/README.md' }] });
    expect(await git('branch', {})).toMatchObject({ branch: checkout.branch });
    expect(await readFile(join(checkout.dir, 'README.md'), 'utf8')).toBe('# Changed\n');
  });

  it.each(['-f', 'a..b', 'a b', 'refs/heads/x', 'HEAD', '@{-1}', 'x.lock', 'a~1'])(
    'is never called %s',
    async (name) => {
      await expect(git('branch', { name })).rejects.toMatchObject({ code: 'git_refused' });
    },
  );
});

describe('[6] git commit', () => {
  it('holds all changes, its author and its step, and leaves the checkout clean', async () => {
    await write('src/sum.js', 'export const sum = (a, b) => a + b;\n');
    await write('run.sh', '#!/bin/sh\n');
    await chmod(join(checkout.dir, 'run.sh'), 0o755);
    const key = `run_${runs}-3-call_7`;
    const made = await git('commit', { message: 'Add up' }, { key });
    expect(made).toMatchObject({ branch: checkout.branch, subject: 'Add up', parent: checkout.base_commit });
    expect(made.commit).toBe(await head());
    const shown = (await checkout.git(['show', '--format=%an <%ae>|%cn|%aI|%B', '--stat', 'HEAD'])).toString();
    expect(shown).toContain('Fixer <longhaul@localhost>|Longhaul|2026-01-02T03:04:05+00:00|Add up');
    expect(shown).toContain(`Longhaul-Step: run_${runs}/3-call_7`);
    expect((await checkout.git(['ls-files', '-s', 'run.sh'])).toString()).toMatch(/^100755/);
    expect(await git('status')).toMatchObject({ clean: true, commits_ahead: 1 });
    expect((await git('log', { limit: 2 })).commits).toMatchObject([
      { subject: 'Add up' },
      { subject: 'The beginning' },
    ]);
  });

  it('of files that the agent may not read is not told: neither their messages nor their names', async () => {
    const agent = { scope: { notebooks: ['*'], file_types: ['md'] } };
    const made = async (path: string, message: string) => {
      await write(path, message);
      return git('commit', { message, paths: [`/${path}`] }, { key: `k-${message}` });
    };
    await made('src/sum.js', 'Hidden');
    await made('README.md', 'Open');
    // Named like a commit: it is none.
    await made('c'.repeat(40), 'Hidden too');
    await write('other.md', 'both');
    await write('src/sum.js', 'both');
    await git('commit', { message: 'Both' }, { key: 'k-both' });
    const subjects = async (args: object) =>
      (await git('log', args, { agent })).commits.map(({ subject }: { subject: string }) => subject);
    expect(await subjects({})).toEqual(['Both', 'Open', 'The beginning']);
    expect(await subjects({ limit: 1 })).toEqual(['Both']);
    expect(await subjects({ path: '/README.md' })).toEqual(['Open', 'The beginning']);
    expect((await git('log')).commits).toHaveLength(5);

    await write('src/secret-plan.js', 'x');
    await write('README.md', 'y');
    const refused = await git('commit', { message: 'All' }, { agent, key: 'k-all' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'scope_violation', details: { paths: [], hidden: 1 } });
    expect(String(refused)).not.toContain('secret-plan');
  });

  it('repeated is the same commit, here and where nothing of it is left', async () => {
    await write('README.md', '# Again\n');
    const first = await git('commit', { message: 'Once' });
    expect(await git('commit', { message: 'Once' })).toMatchObject({ commit: first.commit });
    const elsewhere = await checkOut(remote, checkout.run_id);
    try {
      await writeFile(join(elsewhere.dir, 'README.md'), '# Again\n');
      const again = await use(elsewhere, 'git', 'commit', { message: 'Once' });
      expect(again.commit).toBe(first.commit);
    } finally {
      await elsewhere.remove();
    }
  });

  it('is found again only by its own step, not by what a message claims', async () => {
    await write('README.md', '# One\n');
    const claim = `Once\n\nLonghaul-Step: run_${runs}/2-c`;
    const one = await git('commit', { message: claim }, { key: `run_${runs}-1-c` });
    await write('README.md', '# Two\n');
    const two = await git('commit', { message: 'Twice' }, { key: `run_${runs}-2-c` });
    expect(two).toMatchObject({ parent: one.commit });
  });

  it('of some paths leaves the rest as it is', async () => {
    await write('README.md', '# One\n');
    await write('src/sum.js', 'x\n');
    await git('commit', { message: 'Docs', paths: ['/README.md'] });
    expect((await git('status')).changes).toEqual([{ path: '/src/sum.js', state: 'modified' }]);
  });

  it('of nothing is refused, and so is what lies beyond the scope', async () => {
    await expect(git('commit', { message: 'Nothing' })).rejects.toMatchObject({ code: 'nothing_to_commit' });
    await write('src/sum.js', 'x\n');
    const agent = { scope: { notebooks: ['*'], folders: ['/docs'] } };
    await expect(git('commit', { message: 'Sneak' }, { agent })).rejects.toMatchObject({
      code: 'scope_violation',
      details: { paths: [], hidden: 1 },
    });
    const readOnly = { can_write: false, can_create: false, can_delete: false };
    await expect(git('commit', { message: 'Sneak' }, { agent: readOnly })).rejects.toMatchObject({
      code: 'scope_violation',
    });
    expect(await head()).toBe(checkout.base_commit);
  });

  it('outlasts a lock and an index that somebody who is no more has left', async () => {
    await write('README.md', '# One\n');
    const key = `run_${runs}-1-c`;
    for (const name of ['index.lock', `longhaul-commit-${key}`, `longhaul-commit-${key}.lock`]) {
      await writeFile(join(checkout.git_dir, name), 'half of it');
    }
    expect(await git('commit', { message: 'After all' }, { key })).toMatchObject({ subject: 'After all' });
  });
});

describe('[6] git push', () => {
  const pushed = async (text: string) => {
    await write('README.md', text);
    await git('commit', { message: text }, { key: `run_${runs}-${text}-c` });
    return git('push');
  };

  it('goes to the branch of the run over HTTP with a password, once', async () => {
    const told = await pushed('# One\n');
    expect(told).toMatchObject({ branch: checkout.branch, pushed: true, commit: await head() });
    expect(await git('push')).toEqual(told);
    expect(pushes()).toEqual([{ ref: `refs/heads/${checkout.branch}`, commit: await head() }]);
    expect(remote.git('show', `${checkout.branch}:README.md`)).toBe('# One');
    await pushed('# Two\n');
    expect(pushes()).toHaveLength(2);
  });

  it('never goes over the work of somebody else', async () => {
    const theirs = remote.commit(checkout.branch, { 'README.md': '# Theirs\n' }, 'Theirs');
    await expect(pushed('# Ours\n')).rejects.toMatchObject({ code: 'push_rejected' });
    expect(remote.commitAt(checkout.branch)).toBe(theirs);
  });

  it('that comes late, after a newer one, does nothing', async () => {
    await pushed('# One\n');
    const zombie = { ...checkout, remoteGit: late(checkout, () => pushed('# Two\n')) };
    await checkout.git(['update-ref', 'refs/heads/old', 'HEAD']);
    await expect(use(zombie, 'git', 'push')).resolves.toMatchObject({ pushed: true });
    expect(remote.commitAt(checkout.branch)).toBe(await head());
  });

  it('of the branch that everybody works on is refused', async () => {
    await git('branch', { name: 'main' });
    await expect(git('push')).rejects.toMatchObject({ code: 'git_refused' });
    expect(pushes()).toEqual([]);
  });

  it('to a remote that does not let us in says so, without the token', async () => {
    const url = checkout.remote.url;
    const wrong = {
      ...checkout,
      remoteGit: (args: readonly string[]) =>
        checkout.git(
          args.map((a) => a.replace(url, `${url}x`)),
          { env: { GIT_ALLOW_PROTOCOL: 'http' } },
        ),
    };
    await write('README.md', '# One\n');
    await git('commit', { message: 'One' });
    const error = await use(wrong, 'git', 'push').catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'git_unreachable' });
    expect(String(error)).not.toContain(remote.token);
  });

  /** Something else happens between the look and the push. */
  function late({ remoteGit }: Checkout, meanwhile: () => Promise<unknown>): Checkout['remoteGit'] {
    return async (args, options) => {
      if (args[0] === 'push') await meanwhile();
      return remoteGit(args, options);
    };
  }
});

describe('[6] git open_pr', () => {
  const ready = async () => {
    await write('README.md', '# For review\n');
    await git('commit', { message: 'For review' });
    await git('push');
  };
  const WANTED = { title: 'A better README', body: 'See the diff.' };

  it('without the integration is integration_not_enabled', async () => {
    await ready();
    await expect(git('open_pr', WANTED)).rejects.toMatchObject({ code: 'integration_not_enabled' });
  });

  it('opens one, with title, body, branches and the mark of its step', async () => {
    await ready();
    const told = await git('open_pr', WANTED, on());
    expect(told).toMatchObject({
      number: 1,
      created: true,
      head: checkout.branch,
      base: 'main',
      repository: 'team/project',
    });
    expect(forge.pulls).toMatchObject([
      { title: WANTED.title, head: { ref: checkout.branch }, base: { ref: 'main' }, state: 'open' },
    ]);
    expect(forge.pulls[0]?.body).toMatch(/^See the diff\.\n\n<!-- Longhaul-Step: run_/);
  });

  it('repeated opens no second one, also where the first was closed since or its answer was lost', async () => {
    await ready();
    await git('open_pr', WANTED, on());
    expect(await git('open_pr', WANTED, on())).toMatchObject({ number: 1, created: false });
    const [first] = forge.pulls;
    if (first) first.state = 'closed';
    expect(await git('open_pr', WANTED, on())).toMatchObject({ number: 1, created: false });
    expect([forge.pulls.length, forge.creations]).toEqual([1, 1]);
  });

  it('takes one that somebody opened in between for its own', async () => {
    await ready();
    const options = on();
    const both = await Promise.all([
      git('open_pr', WANTED, options),
      git('open_pr', WANTED, { ...options, key: 'other' }),
    ]);
    expect(both.map(({ number }) => number)).toEqual([1, 1]);
    expect(forge.pulls).toHaveLength(1);
  });

  it('of what was not pushed is refused before anybody is asked', async () => {
    await write('README.md', '# Not pushed\n');
    await git('commit', { message: 'Not pushed' });
    await expect(git('open_pr', WANTED, on())).rejects.toMatchObject({ code: 'git_refused' });
    expect(forge.creations).toBe(0);
  });

  it('tells what the forge refuses, without the token', async () => {
    await ready();
    const github = { api_url: forge.url, token: 'ghp_of-somebody-else' };
    const error = await git('open_pr', WANTED, { github }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'forge_refused', details: { status: 401 } });
    expect(String(error)).not.toContain('ghp_');
  });

  it('never shows the token of one server to another', async () => {
    await ready();
    const github = { api_url: 'https://api.github.com', token: forge.token };
    await expect(git('open_pr', WANTED, { github })).rejects.toMatchObject({ code: 'git_refused' });
  });
});

/** A repository among the files, with a setting of its own. */
async function repositoryWithin(name: string, setting: [string, string]): Promise<string> {
  const place = join(checkout.dir, name);
  const within = (...args: string[]) =>
    promisify(execFile)('git', ['-C', place, '-c', 'user.name=X', '-c', 'user.email=x@x', ...args]);
  await mkdir(place);
  await within('init', '--quiet');
  await writeFile(join(place, 'f.txt'), 'one\n');
  await within('add', '.');
  await within('commit', '--quiet', '-m', 'within');
  await within('config', ...setting);
  return place;
}

it('[6] a repository within is told to those who may read there, and to nobody else: in a status, a commit, a refusal', async () => {
  await repositoryWithin('vault', ['core.bare', 'false']);
  await mkdir(join(checkout.dir, 'docs'));
  await write('docs/a.md', 'a\n');
  const docs = { agent: { scope: { notebooks: ['*'], folders: ['/docs'] } } };
  const told: unknown[] = [await git('status', {}, docs)];
  await write('README.md', 'changed\n');
  told.push(await git('commit', { message: 'All' }, docs).catch((error: unknown) => error));
  expect(told[1]).toMatchObject({ code: 'scope_violation', details: { hidden: 1 } });
  told.push(await git('commit', { message: 'Docs', paths: ['docs'] }, docs));
  await rm(join(checkout.dir, 'README.md'));
  await checkout.git(['checkout', '--', 'README.md']);
  await write('docs/b.md', 'b\n');
  told.push(await git('commit', { message: 'All of mine' }, { ...docs, key: `run_${runs}-2-c` }));
  expect(told[3]).toMatchObject({ changes: [{ path: '/docs/b.md', state: 'added' }] });
  const nothing = git('commit', { message: 'Vault', paths: ['vault'] }, { ...docs, key: `run_${runs}-3-c` });
  told.push(await nothing.catch((error: unknown) => error));
  expect(told[4]).toMatchObject({ code: 'nothing_to_commit' });
  for (const each of told) {
    expect(JSON.stringify(each)).not.toContain('vault');
    expect(String(each)).not.toContain('vault');
  }
  await write('docs/c.md', 'c\n');
  expect(await git('status')).toMatchObject({ nested_repositories: ['vault/'] });
  expect(await git('commit', { message: 'c' }, { key: `run_${runs}-4-c` })).toMatchObject({ left_out: ['vault/'] });
});

describe('[6] a hostile repository runs nothing', () => {
  /** Whatever runs leaves a file. */
  const script = (mark: string) => `#!/bin/sh\ntouch ${mark}\nexit 0\n`;

  async function hostile(mark: string): Promise<void> {
    const evil = join(checkout.dir, 'evil.sh');
    await writeFile(evil, script(mark));
    await chmod(evil, 0o755);
    const config = [
      ...['[core]', 'repositoryformatversion = 0', `fsmonitor = ${evil}`, `hooksPath = ${checkout.dir}`],
      ...[`sshCommand = ${evil}`, `pager = ${evil}`, `editor = ${evil}`, `askPass = ${evil}`],
      ...['[diff]', `external = ${evil}`, '[diff "x"]', `textconv = ${evil}`, `command = ${evil}`],
      ...['[filter "x"]', `clean = ${evil}`, `smudge = ${evil}`, `process = ${evil}`, 'required = true'],
      ...['[gpg]', `program = ${evil}`, '[commit]', 'gpgsign = true', '[log]', 'showSignature = true'],
      ...['[credential]', `helper = ${evil}`, '[include]', `path = ${join(checkout.dir, 'more.config')}`],
      ...['[url "http://127.0.0.1:1/"]', `insteadOf = ${remote.url}`],
    ].join('\n');
    await writeFile(join(checkout.dir, '.gitattributes'), '* filter=x diff=x\n');
    await writeFile(
      join(checkout.dir, '.gitmodules'),
      '[submodule "sub"]\n path = sub\n url = ./sub\n ignore = none\n update = !touch x\n',
    );
    for (const hook of ['pre-commit', 'post-commit', 'pre-push', 'post-checkout', 'reference-transaction']) {
      await symlink(evil, join(checkout.dir, hook));
    }
    // In place of the repository, and as another one within.
    for (const place of ['.git', 'sub/.git']) {
      const at = join(checkout.dir, place);
      await mkdir(join(at, 'objects'), { recursive: true });
      await mkdir(join(at, 'refs/heads'), { recursive: true });
      await writeFile(join(at, 'HEAD'), `${checkout.base_commit}\n`);
      await writeFile(join(at, 'config'), config);
    }
    await writeFile(join(checkout.dir, 'sub/file.txt'), 'within\n');
  }

  it('in these tests would, if somebody used git there as it is', async () => {
    const mark = join(checkout.dir, '..', 'it-ran');
    await hostile(mark);
    await promisify(execFile)('git', ['-C', checkout.dir, '-c', 'safe.directory=*', 'status']).catch(() => undefined);
    expect((await stat(mark)).isFile()).toBe(true);
  });

  it('through a repository within that snapshots and commits find changed, time and again', async () => {
    const mark = join(checkout.dir, '..', 'it-ran');
    const evil = join(checkout.dir, 'evil.sh');
    await writeFile(evil, `#!/bin/sh\ntouch ${mark}\ncat\n`);
    await chmod(evil, 0o755);
    const sub = await repositoryWithin('sub', ['filter.x.clean', evil]);
    await writeFile(join(sub, '.gitattributes'), '* filter=x\n');
    const origin = { mirror: checkout.git_dir, base: checkout.base_commit, branch: 'b', remote: checkout.remote };
    const place = join(checkout.dir, '..', 'another');
    const repository = await CheckoutRepository.make(place, origin);
    await cp(sub, join(repository.dir, 'sub'), { recursive: true });
    for (const text of ['two\n', 'three\n']) {
      await writeFile(join(sub, 'f.txt'), text);
      await writeFile(join(repository.dir, 'sub/f.txt'), text);
      await write('README.md', text);
      await repository.take(null);
      await git('status');
      const made = await git('commit', { message: text }, { key: `run_${runs}-${text.trim()}-c` });
      expect(made.left_out).toEqual(['sub/']);
    }
    await expect(stat(mark)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('through settings, hooks, attributes, filters or repositories within, on the whole path', async () => {
    const mark = join(checkout.dir, '..', 'it-ran');
    await hostile(mark);
    await git('status');
    await git('diff');
    await git('branch', { name: `hostile-${runs}` });
    const made = await git('commit', { message: 'Hostile' });
    expect(made.changes).toContainEqual({ path: '/evil.sh', state: 'added' });
    await write('sub/file.txt', 'changed\n');
    expect((await git('status')).changes).not.toContainEqual({ path: '/.git/config', state: 'added' });
    await git('diff', { since: 'base' });
    await git('log');
    await git('push');
    await git('branch');
    await expect(stat(mark)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(remote.commitAt(`hostile-${runs}`)).toBe(made.commit);
    const tree = remote.git('ls-tree', '-r', '--name-only', made.commit);
    expect(tree).not.toMatch(/^\.git\//m);
  });
});
