import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Failure } from '../domain/failures.ts';
import { invalid } from './route.ts';

const isWithin = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
};

const refuse = (why: string): Failure => invalid('body', { path: why });

/**
 * The real path of a folder that may become a notebook. Paths outside the roots are refused before they are looked at,
 * so that nobody learns from the answer what else is on the machine.
 */
export async function allowedFolder(path: string, roots: readonly string[]): Promise<string> {
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
