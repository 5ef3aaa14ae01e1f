import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CheckoutRepository, type Origin, type Packed, type Standing } from '../../files/checkout-repository.ts';

let base: string;
let origin: Origin;
const AS = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'longhaul-checkout-'));
  const source = join(base, 'source');
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', source]);
  await mkdir(join(source, 'src'));
  await writeFile(join(source, 'src', 'a.ts'), 'one\n');
  await writeFile(join(source, 'run.sh'), '#!/bin/sh\n');
  await chmod(join(source, 'run.sh'), 0o755);
  await writeFile(join(source, '.gitignore'), 'build/\n*.log\n');
  await symlink('src/a.ts', join(source, 'link'));
  execFileSync('git', ['-C', source, 'add', '.']);
  execFileSync('git', ['-C', source, ...AS, 'commit', '--quiet', '-m', 'first']);
  const mirror = join(base, 'mirror.git');
  execFileSync('git', ['clone', '--quiet', '--mirror', `file://${source}`, mirror]);
  const commit = execFileSync('git', ['-C', mirror, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const remote = { url: `file://${source}`, default_branch: 'main' };
  origin = { mirror, base: commit, branch: 'longhaul/run_1', remote };
});
afterAll(() => rm(base, { recursive: true }));

let made = 0;
const place = () => join(base, `checkout-${made++}`);
const status = async (of: CheckoutRepository) => (await of.git(['status', '--porcelain'])).toString();
const branch = async (of: CheckoutRepository) => (await of.git(['branch', '--show-current'])).toString().trim();
const text = (of: CheckoutRepository, path: string) => readFile(join(of.dir, path), 'utf8');
const taken = (packed: Packed | null): Packed => {
  if (!packed) throw new Error('nothing had changed');
  return packed;
};

it('a checkout is the files of the base on a branch of its own, with nothing of the repository among them', async () => {
  const one = await CheckoutRepository.make(place(), origin);
  expect(await text(one, 'src/a.ts')).toBe('one\n');
  expect([await branch(one), await status(one)]).toEqual(['longhaul/run_1', '']);
  await expect(stat(join(one.dir, '.git'))).rejects.toThrow();
  expect(await one.isThere()).toBe(true);
  await one.remove();
  expect(await one.isThere()).toBe(false);
});

it('another executor gets everything as it stood: changed, new, deleted and committed files, modes, links, branches', async () => {
  const one = await CheckoutRepository.make(place(), origin);
  const packs: Buffer[] = [];
  let last: Standing | null = null;
  const keep = async () => {
    const packed = taken(await one.take(last));
    packs.push(packed.pack);
    last = packed;
  };
  await writeFile(join(one.dir, 'src', 'a.ts'), 'two\n');
  await writeFile(join(one.dir, 'new file ü.md'), 'untracked\n');
  await keep();
  await one.git(['add', '--all']);
  await one.git([...AS, 'commit', '--quiet', '-m', 'work']);
  const committed = (await one.git(['rev-parse', 'HEAD'])).toString();
  await keep();
  await rm(join(one.dir, 'run.sh'));
  await writeFile(join(one.dir, 'src', 'tool.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await symlink('../src', join(one.dir, 'src', 'up'));
  await one.git(['branch', 'other', 'HEAD~1']);
  await keep();
  expect(await one.take(last)).toBeNull();

  const standing = taken(last);
  await one.remove();
  const two = await CheckoutRepository.restore(place(), origin, packs, standing);
  expect([await text(two, 'src/a.ts'), await text(two, 'new file ü.md')]).toEqual(['two\n', 'untracked\n']);
  expect((await two.git(['rev-parse', 'HEAD'])).toString()).toBe(committed);
  expect(await branch(two)).toBe('longhaul/run_1');
  expect((await two.git(['log', '--format=%s', 'other'])).toString()).toBe('first\n');
  expect(((await stat(join(two.dir, 'src', 'tool.sh'))).mode & 0o777).toString(8)).toBe('755');
  expect(await readlink(join(two.dir, 'src', 'up'))).toBe('../src');
  expect((await status(two)).split('\n').sort()).toEqual(['', ' D run.sh', '?? src/tool.sh', '?? src/up']);
  // It goes on from there as if it had been here all the time.
  expect(await two.take(standing)).toBeNull();
  await writeFile(join(two.dir, 'more.md'), 'more\n');
  expect(taken(await two.take(standing)).pack.length).toBeLessThan(2_000);
});

it('a whole snapshot needs none of those before it', async () => {
  const one = await CheckoutRepository.make(place(), origin);
  await writeFile(join(one.dir, 'a.md'), 'a\n');
  const first = taken(await one.take(null));
  await writeFile(join(one.dir, 'b.md'), 'b\n');
  const whole = taken(await one.take(first, true));
  const two = await CheckoutRepository.restore(place(), origin, [whole.pack], whole);
  expect([await text(two, 'a.md'), await text(two, 'b.md')]).toEqual(['a\n', 'b\n']);
});

it('ignored files and those that are being written are not kept, a repository inside keeps nothing else back', async () => {
  const one = await CheckoutRepository.make(place(), origin);
  await mkdir(join(one.dir, 'build'));
  await writeFile(join(one.dir, 'build', 'out.js'), 'out\n');
  await writeFile(join(one.dir, 'x.log'), 'log\n');
  await writeFile(join(one.dir, 'src', '.longhaul-staged-key'), 'half\n');
  execFileSync('git', ['init', '--quiet', join(one.dir, 'inner')]);
  await writeFile(join(one.dir, 'zz.md'), 'kept\n');
  const packed = taken(await one.take(null));
  const two = await CheckoutRepository.restore(place(), origin, [packed.pack], packed);
  expect(await text(two, 'zz.md')).toBe('kept\n');
  for (const path of ['build/out.js', 'x.log', 'src/.longhaul-staged-key']) {
    await expect(stat(join(two.dir, path))).rejects.toThrow();
  }
});

it('what is written among the files never becomes a program that git runs', async () => {
  const one = await CheckoutRepository.make(place(), origin);
  const proof = join(base, 'proof');
  const inner = join(one.dir, 'inner');
  execFileSync('git', ['init', '--quiet', inner]);
  for (const git of [join(one.dir, '.git'), join(inner, '.git')]) {
    await mkdir(join(git, 'hooks'), { recursive: true });
    await writeFile(join(git, 'hooks', 'pre-commit'), `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
    await writeFile(
      join(git, 'config'),
      `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ${proof}"\n\tsshCommand = "touch ${proof}"\n[filter "x"]\n\tclean = touch ${proof}\n`,
    );
  }
  await writeFile(join(one.dir, '.gitattributes'), '* filter=x\n');
  await writeFile(join(one.dir, 'b.md'), 'b\n');
  await one.take(null);
  await status(one);
  await one.git(['add', '--all', '--ignore-errors']).catch(() => undefined);
  await one.git([...AS, 'commit', '--quiet', '-m', 'work']);
  await expect(stat(proof)).rejects.toThrow();
});

/** As a program makes it that goes down folder by folder: no path can name the innermost. */
const DEEP =
  'import os, sys\nos.chdir(sys.argv[1])\nfor _ in range(60): os.mkdir("d" * 200); os.chdir("d" * 200)\nopen("f", "w")';

it('what no path can name, a pipe in the place of a file and names that are no text keep no snapshot back', async () => {
  const one = await CheckoutRepository.make(place(), origin);
  execFileSync('python3', ['-c', DEEP, one.dir]);
  execFileSync('sh', ['-c', 'rm run.sh && mkfifo run.sh other'], { cwd: one.dir });
  const named = Buffer.concat([Buffer.from(`${one.dir}/caf`), Buffer.from([0xe9])]);
  await writeFile(named, 'kept\n');
  await writeFile(join(one.dir, 'two\nlines'), 'kept\n');
  const packed = taken(await one.take(null));
  const two = await CheckoutRepository.restore(place(), origin, [packed.pack], packed);
  expect(await readFile(Buffer.concat([Buffer.from(`${two.dir}/caf`), Buffer.from([0xe9])]), 'utf8')).toBe('kept\n');
  expect(await text(two, 'two\nlines')).toBe('kept\n');
  await two.remove();
  await one.remove();
  expect(await one.isThere()).toBe(false);
});

it('a commit of a snapshot is what git itself would have made of it', async () => {
  const one = await CheckoutRepository.make(place(), origin);
  await writeFile(join(one.dir, 'src', 'a.ts'), 'two\n');
  const { commit, tree } = taken(await one.take(null));
  const who = { NAME: 'Longhaul', EMAIL: 'longhaul@localhost', DATE: '2000-01-01T00:00:00Z' };
  const named = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  const theirs = await one.git(['commit-tree', '-p', origin.base, '-m', 'snapshot', tree], {
    env: Object.fromEntries(named),
  });
  expect(theirs.toString().trim()).toBe(commit);
  expect((await one.git(['fsck', '--strict', commit])).toString()).toBe('');
});

it('files that cannot be listed are no snapshot without changes', async () => {
  const one = await CheckoutRepository.make(place(), origin);
  await writeFile(join(one.git_dir, 'snapshot-index'), 'no index');
  await expect(one.take(null)).rejects.toThrow('git');
  await rm(join(one.git_dir, 'snapshot-index'));
  expect(taken(await one.take(null)).tree).toBe((await one.base()).tree);
});
