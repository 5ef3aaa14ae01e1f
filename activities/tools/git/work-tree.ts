import { link, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../domain/failures.ts';
import { GitError } from '../../../files/git-process.ts';
import { indexFiles } from '../../../files/work-tree-index.ts';
import type { Checkout } from '../../checkout.ts';
import type { OutsideContext, ToolContext } from '../contract.ts';

const needCheckout = ({ checkout }: ToolContext): Checkout => {
  if (!checkout) throw new Failure('git_refused', 'The run has no checkout: its notebook is a folder.');
  return checkout;
};

/** What a tool of git works with: the guard of the run, and its checkout. */
export async function opened({ notebook }: Pick<OutsideContext, 'notebook'>) {
  const context = await notebook();
  return { context, checkout: needCheckout(context) };
}

export const lineOf = (bytes: Buffer): string => bytes.toString().trim();
const partsOf = (bytes: Buffer): string[] => bytes.toString().split('\0').filter(Boolean);

/** What git refuses is told in its own words. */
export function asRefusal(error: unknown): never {
  if (error instanceof Error && error.name === 'GitError') throw new Failure('git_refused', error.message);
  throw error;
}

/** Null where git says by its exit code that there is none. */
export async function orNull(asked: Promise<Buffer>): Promise<string | null> {
  try {
    return lineOf(await asked);
  } catch (error) {
    if (error instanceof GitError && error.exitCode !== null) return null;
    throw error;
  }
}

/** The branch that is checked out, as `main`. */
export async function currentBranch({ git }: Checkout): Promise<string> {
  const ref = await orNull(git(['symbolic-ref', '--quiet', 'HEAD']));
  if (!ref?.startsWith('refs/heads/')) throw new Failure('git_refused', 'No branch is checked out; make one first.');
  return ref.slice('refs/heads/'.length);
}

export const commitAt = ({ git }: Checkout, rev: string): Promise<string | null> =>
  orNull(git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${rev}^{commit}`]));

/** The files as they are now, as an index beside the repository's own; nothing of the repository has changed. */
export interface StagedTree {
  index: string;
  /** Repositories within it that git would keep a mere mark of. */
  nested: string[];
}

const isIn = (paths: string[] | undefined) => (file: string) =>
  !paths || paths.some((path) => path === '' || file === path || file.startsWith(`${path}/`));

/** Index files have names of their own, so that nothing waits for a lock that somebody who is no more has left. */
async function stageFiles(checkout: Checkout, name: string, paths?: string[]): Promise<StagedTree> {
  const { git, git_dir } = checkout;
  const index = join(git_dir, `longhaul-${name}`);
  await Promise.all([index, `${index}.lock`].map((file) => rm(file, { force: true })));
  // A second name, not a copy: by the age of the index git tells which files may have changed since it was written.
  await link(join(git_dir, 'index'), index).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const env = { GIT_INDEX_FILE: index };
  // What the index knew of the files stays known; what it holds is what the branch holds.
  await git(['read-tree', '--reset', 'HEAD'], { env });
  const nested = await indexFiles(checkout, index, isIn(paths));
  return { index, nested };
}

/** `use` is given the files as an index; with `keep` that becomes the repository's own. */
export async function withStaged<T>(
  checkout: Checkout,
  { name, paths }: { name: string; paths?: string[] },
  use: (staged: StagedTree, keep: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const staged = await stageFiles(checkout, name, paths).catch(asRefusal);
  try {
    return await use(staged, () => rename(staged.index, join(checkout.git_dir, 'index')));
  } finally {
    await Promise.all([staged.index, `${staged.index}.lock`].map((file) => rm(file, { force: true })));
  }
}

const STATES: Record<string, FileChange['state']> = { A: 'added', M: 'modified', D: 'deleted', T: 'modified' };

export interface FileChange {
  path: string;
  state: 'added' | 'modified' | 'deleted';
}

/** What differs between a commit and the files. */
export async function changesSince({ git }: Checkout, index: string, commit: string): Promise<FileChange[]> {
  const args = ['diff-index', '--cached', '--name-status', '--no-renames', '-z', commit, '--'];
  const parts = partsOf(await git(args, { env: { GIT_INDEX_FILE: index } }));
  return parts.flatMap((state, at) => {
    const path = parts[at + 1];
    if (at % 2 === 1 || path === undefined) return [];
    return [{ path: `/${path}`, state: STATES[state] ?? 'modified' }];
  });
}
