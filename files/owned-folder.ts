import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGone, shortOwnerText } from './journal-owner.ts';
import { removeTree } from './remove-tree.ts';

const NAME = /^longhaul-[a-z]+-(\d+)\.(\w+@.+)-\w{6}$/;

/** A temporary folder whose name tells which process it belongs to. Short: sockets in it have room for a hundred characters. */
export const ownedFolder = (what: string, dir = tmpdir()): Promise<string> =>
  mkdtemp(join(dir, `longhaul-${what}-${shortOwnerText().replace(':', '.')}-`));

/** What processes that were killed have left. */
export async function removeOrphanedFolders(dir = tmpdir()): Promise<void> {
  for (const name of await readdir(dir)) {
    const [, pid, rest] = NAME.exec(name) ?? [];
    if (pid !== undefined && isGone(`${pid}:${rest}`)) await removeTree(join(dir, name));
  }
}
