import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { STAGED_PREFIX } from '../domain/path-tricks.ts';
import { GitError, type GitOptions } from './git-process.ts';

export interface WorkTree {
  dir: string;
  git(args: readonly string[], options?: Omit<GitOptions, 'gitDir' | 'workTree'>): Promise<Buffer>;
}

const namesIn = (listed: Buffer): string[] => [...new Set(listed.toString().split('\0').filter(Boolean))];

const isReadable = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );

/**
 * Brings an index up to the files as they are, ignored ones left out. The files are named to git one by one: `git add`
 * would look into repositories among them by running git there, with filters that their own settings name, and those
 * are written by agents and their commands. Such repositories are left out, and told.
 */
export async function indexFiles(
  { dir, git }: WorkTree,
  index: string,
  isWanted: (file: string) => boolean = () => true,
): Promise<string[]> {
  const env = { GIT_INDEX_FILE: index };
  const list = ['ls-files', '-z', '--modified', '--deleted', '--others', '--exclude-standard', '--deduplicate'];
  const found = namesIn(await git([...list, `--exclude=${STAGED_PREFIX}*`], { env })).filter(isWanted);
  const files = found.filter((name) => !name.endsWith('/'));
  const add = (names: string[]) =>
    git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
      env,
      input: names.map((name) => `${name}\0`).join(''),
    });
  if (files.length > 0) {
    await add(files).catch(async (error: unknown) => {
      if (!(error instanceof GitError) || error.exitCode === null) throw error;
      // One file that cannot be read must not keep back all others.
      const readable = await Promise.all(files.map((name) => isReadable(join(dir, name))));
      await add(files.filter((_, at) => readable[at]));
    });
  }
  return found.filter((name) => name.endsWith('/'));
}
