import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeStale, repackMirror } from './mirror-upkeep.ts';
import { removeOrphanedFolders } from './owned-folder.ts';
import { removeTree } from './remove-tree.ts';

/** A mirror of more packs is repacked while no run has a checkout of it. */
const MOST_PACKS = 20;
/** One that is always in use is, too, but not before it has to be. */
const MOST_PACKS_IN_USE = 100;

export interface DiskPlaces {
  mirrorsDir: string;
  /** null where nothing is ever installed. */
  setupsDir: string | null;
  /** Where programs have their temporary folders; the machine's own where it is not said. */
  temporaryDir?: string;
}

/** Which of the notebooks there are, and which a run has a checkout of. */
export type KnownNotebooks = (ids: string[]) => Promise<{ there: Set<string>; inUse: Set<string> }>;

const listed = async (dir: string | null): Promise<string[]> => (dir === null ? [] : readdir(dir).catch(() => []));

/** Removes from the disk of a machine what nobody comes back to, and keeps mirrors small. Safe to repeat, and beside others. */
export async function tidyDisk(
  { mirrorsDir, setupsDir, temporaryDir }: DiskPlaces,
  known: KnownNotebooks,
  mostPacks = { quiet: MOST_PACKS, in_use: MOST_PACKS_IN_USE },
  now = Date.now(),
): Promise<void> {
  // Looked at before the store is: what is made meanwhile is of a notebook that was not asked about.
  const mirrors = (await listed(mirrorsDir)).flatMap((name) => /^([^.].*)\.git$/.exec(name)?.[1] ?? []);
  const setups = await listed(setupsDir);
  const { there, inUse } = await known([...mirrors, ...setups]);
  const isOver = (id: string): boolean => !there.has(id) && !inUse.has(id);
  const failed: unknown[] = [];
  const trying = (work: Promise<void>): Promise<unknown> => work.catch((error: unknown) => failed.push(error));
  for (const id of mirrors) {
    const mirror = join(mirrorsDir, `${id}.git`);
    const most = inUse.has(id) ? mostPacks.in_use : mostPacks.quiet;
    await trying(isOver(id) ? removeTree(mirror) : repackMirror(mirror, most, now));
  }
  for (const id of setups) {
    const folder = join(setupsDir ?? '', id);
    await trying(isOver(id) ? removeTree(folder) : removeStale(folder, (name) => !name.endsWith('.tar'), now));
  }
  await trying(removeStale(mirrorsDir, (name) => name.startsWith('.cloning-'), now));
  await trying(removeOrphanedFolders(temporaryDir));
  if (failed.length > 0) throw new AggregateError(failed, 'Not everything that is left over could be removed.');
}
