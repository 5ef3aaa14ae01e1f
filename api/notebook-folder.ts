import { readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Failure } from '../domain/failures.ts';
import type { OfferedFolder } from '../domain/workspace.ts';
import { invalid } from './route.ts';

const isWithin = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
};

/**
 * The real path of a folder that may become a notebook. Paths outside the roots are refused before they are looked at,
 * so that nobody learns from the answer what else is on the machine.
 */
export async function allowedFolder(path: string, roots: readonly string[], field: string): Promise<string> {
  const refuse = (why: string): Failure => invalid('body', { [field]: why });
  if (!isAbsolute(path) || path.includes('\0')) throw refuse('give an absolute path on the server');
  const outside = refuse(
    `the folder must lie under one of ${roots.join(', ')}; more roots can be allowed with LONGHAUL_NOTEBOOK_ROOTS`,
  );
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  if (![...roots, ...realRoots].some((root) => isWithin(root, resolve(path)))) throw outside;
  const real = await realpath(path).catch(() => null);
  if (real === null) throw refuse('there is no such folder');
  // A link inside a root may lead out of it.
  if (!realRoots.some((root) => isWithin(root, real))) throw outside;
  if (!(await stat(real)).isDirectory()) throw refuse('this is a file, not a folder');
  return real;
}

const MOST_FOLDERS = 500;

/** What may be offered to somebody who looks for a folder: those directly below the roots, by name. */
export async function foldersBelow(roots: readonly string[]): Promise<Omit<OfferedFolder, 'notebook_id'>[]> {
  const found = await Promise.all(
    roots.map(async (root) => {
      const real = await realpath(root).catch(() => null);
      const items = real === null ? [] : await readdir(real, { withFileTypes: true }).catch(() => []);
      return items
        .filter((item) => item.isDirectory() && !item.name.startsWith('.'))
        .map(({ name }) => ({ name, path: join(real ?? root, name) }));
    }),
  );
  const byPath = new Map(found.flat().map((folder) => [folder.path, folder]));
  return [...byPath.values()].sort((a, b) => a.name.localeCompare(b.name, 'en')).slice(0, MOST_FOLDERS);
}
