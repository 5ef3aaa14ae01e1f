import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** Which folders of this machine people may name, for a notebook or for a program. */
export interface AllowedFolders {
  roots: readonly string[];
  /** Where this installation keeps its own data: the key to all credentials lies there, and the database. */
  dataDir?: string | undefined;
}

const isWithin = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
};

const realOr = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Roots inside of the data are there for notebooks; all else of it is nobody's. */
async function holdsOwnData(real: string, realRoots: string[], dataDir: string | undefined): Promise<boolean> {
  if (dataDir === undefined) return false;
  const data = await realOr(resolve(dataDir));
  if (isWithin(real, data)) return true;
  return isWithin(data, real) && !realRoots.some((root) => isWithin(root, real) && !isWithin(root, data));
}

/**
 * The real path of a folder that may be used, or why it may not. Paths outside the roots are refused before they are
 * looked at, so that nobody learns from the answer what else is on the machine.
 */
export async function allowedFolder(
  path: string,
  { roots, dataDir }: AllowedFolders,
): Promise<{ real: string } | { why: string }> {
  if (!isAbsolute(path) || path.includes('\0')) return { why: 'give an absolute path on the server' };
  const why = `the folder must lie under one of ${roots.join(', ')}; more roots can be allowed with LONGHAUL_NOTEBOOK_ROOTS`;
  const realRoots = await Promise.all(roots.map(realOr));
  if (![...roots, ...realRoots].some((root) => isWithin(root, resolve(path)))) return { why };
  const real = await realpath(path).catch(() => null);
  if (real === null) return { why: 'there is no such folder' };
  // A link inside a root may lead out of it.
  if (!realRoots.some((root) => isWithin(root, real))) return { why };
  if (!(await stat(real)).isDirectory()) return { why: 'this is a file, not a folder' };
  if (await holdsOwnData(real, realRoots, dataDir)) return { why: 'Longhaul keeps its own data and keys there' };
  return { real };
}
