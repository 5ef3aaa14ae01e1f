import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Notebook } from '../domain/workspace.ts';
import { newId } from '../store/ids.ts';
import { createNotebook } from '../store/notebooks.ts';
import type { System } from './running-system.ts';

const AS = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.org'];

/** A remote of its own: a bare repository with one commit, and a way to add more. */
export async function newRemote(files: Record<string, string> = { 'notes.md': '# Notes\n' }, below = tmpdir()) {
  const base = await mkdtemp(join(below, 'longhaul-remote-'));
  const source = join(base, 'source');
  const bare = join(base, 'origin.git');
  const git = (at: string, ...args: string[]): string =>
    execFileSync('git', ['-C', at, ...AS, ...args], { encoding: 'utf8' }).trim();
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', source]);
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  const commit = async (changed: Record<string, string>, message = 'change'): Promise<string> => {
    for (const [path, text] of Object.entries(changed)) {
      await mkdir(dirname(join(source, path)), { recursive: true });
      await writeFile(join(source, path), text);
    }
    git(source, 'add', '--all');
    git(source, 'commit', '--quiet', '--allow-empty', '-m', message);
    git(source, 'push', '--quiet', bare, 'HEAD:main');
    return git(source, 'rev-parse', 'HEAD');
  };
  await commit(files, 'first');
  return { url: `file://${bare}`, bare, commit, git, remove: () => rm(base, { recursive: true, force: true }) };
}
export type TestRemote = Awaited<ReturnType<typeof newRemote>>;

export const gitNotebook = ({ caller, workspace }: System, url: string): Promise<Notebook> =>
  createNotebook(caller, {
    id: newId('nb'),
    workspace_id: workspace.id,
    name: 'Repository',
    kind: 'git',
    path: null,
    url,
    default_branch: null,
  });
