import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { OfferedFolder } from '../domain/workspace.ts';
import { type AllowedFolders, allowedFolder } from '../files/allowed-folder.ts';
import { invalid } from './route.ts';

/** The real path of a folder that may become a notebook; `field` is where it was named. */
export async function demandFolder(path: string, allowed: AllowedFolders, field: string): Promise<string> {
  const found = await allowedFolder(path, allowed);
  if ('why' in found) throw invalid('body', { [field]: found.why });
  return found.real;
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
