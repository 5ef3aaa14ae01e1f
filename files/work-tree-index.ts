import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { STAGED_PREFIX } from '../domain/path-tricks.ts';
import { GitError, type GitOptions } from './git-process.ts';
import { isMissing } from './open-folder.ts';

export interface WorkTree {
  dir: string;
  git(args: readonly string[], options?: Omit<GitOptions, 'gitDir' | 'workTree'>): Promise<Buffer>;
}

/** For looking through the files and for adding what was found, each as long as git has otherwise. */
const ADD_MS = 120_000;

/** How often files that change all the time are looked at again. */
const REPEATS = 8;

const isRefusal = (error: unknown): boolean => error instanceof GitError && error.exitCode !== null;

/** A byte a character: not every name is UTF-8, and a name that were read as such would come back as another. */
const BYTES = 'latin1';
const namesIn = (listed: Buffer): string[] => [...new Set(listed.toString(BYTES).split('\0').filter(Boolean))];
const asText = (name: string): string => Buffer.from(name, BYTES).toString();

/** A pipe or a socket in the place of a file is nothing that git keeps, and would be waited for. */
async function isKept(path: Buffer): Promise<boolean> {
  try {
    const found = await lstat(path);
    if (found.isSymbolicLink()) return true;
    if (!found.isFile()) return false;
    await access(path, constants.R_OK);
    return true;
  } catch (error) {
    return isMissing(error);
  }
}

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
  const list = (...which: string[]) => git(['ls-files', '-z', '--deduplicate', ...which], { env });
  // Beside each other: both look at every file there is, which is most of what a snapshot takes.
  const listing = Promise.all([
    list('--modified', '--deleted'),
    list('--others', '--exclude-standard', `--exclude=${STAGED_PREFIX}*`),
  ]).then((listed) => namesIn(Buffer.concat(listed)).filter((name) => isWanted(asText(name))));
  const files = listing.then((found) => found.filter((name) => !name.endsWith('/')));
  const add = (names: Promise<string[]>) =>
    git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
      env,
      input: names.then((given) => Buffer.from(given.map((name) => `${name}\0`).join(''), BYTES)),
      timeoutMs: ADD_MS,
    });
  const isReadable = (name: string) => isKept(Buffer.from(`${Buffer.from(dir).toString(BYTES)}/${name}`, BYTES));
  /** One file that cannot be read must not keep back all others, nor those that go while they are read. */
  const addReadable = async (left: number): Promise<void> => {
    const given = await files;
    const kept = await Promise.all(given.map(isReadable));
    await add(Promise.resolve(given.filter((_, at) => kept[at]))).catch((error: unknown) => {
      if (left === 0 || !isRefusal(error)) throw error;
      return addReadable(left - 1);
    });
  };
  // It reads the index while the files are looked through; the index is nobody else's until it has ended.
  await add(files).catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
    return addReadable(REPEATS);
  });
  return (await listing).filter((name) => name.endsWith('/')).map(asText);
}
