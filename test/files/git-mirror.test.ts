import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GitFiles } from '../../files/git-files.ts';
import { GitMirrors } from '../../files/git-mirror.ts';

let base: string;
let origin: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'longhaul-mirrors-'));
  origin = join(base, 'origin');
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', origin]);
});
afterAll(() => rm(base, { recursive: true }));

async function commit(text: string): Promise<void> {
  await writeFile(join(origin, 'a [1]*.md'), text);
  const git = ['-C', origin, '-c', 'user.name=T', '-c', 'user.email=t@example.org'];
  execFileSync('git', [...git, 'add', '.']);
  execFileSync('git', [...git, 'commit', '--quiet', '-m', text]);
}

const remote = (branch: string | null = null) => ({ id: 'nb_1', url: `file://${origin}`, branch });
/** As the next process would have it. */
const fresh = () => new GitMirrors(join(base, 'mirrors'));

it('a mirror is made once however many ask, follows its remote, and outlasts it', async () => {
  await commit('first');
  const mirrors = fresh();
  const read = async (of: GitMirrors) => (await (await GitFiles.at(of, remote())).read('/a [1]*.md')).text;
  expect(await Promise.all([read(mirrors), read(mirrors), read(mirrors), read(fresh())])).toEqual(
    Array(4).fill('first'),
  );
  expect(await readdir(join(base, 'mirrors'))).toEqual(['nb_1.git']);
  await commit('second');
  expect(await read(fresh())).toBe('second');
  await rm(origin, { recursive: true });
  expect(await read(fresh())).toBe('second');
});

it('a branch that is not there is told by name', async () => {
  await expect(GitFiles.at(fresh(), remote('release'))).rejects.toMatchObject({
    code: 'git_unreachable',
    message: expect.stringContaining('no branch release'),
  });
});
