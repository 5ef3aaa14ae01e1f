import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DiskPlaces, tidyDisk } from '../files/disk-upkeep.ts';
import { removeTree } from '../files/remove-tree.ts';
import { notebooksKnown } from '../store/checkout-leases.ts';

/** What executors have left that are no more. */
export async function clearLeftovers(dir: string, isLeft: (name: string) => boolean): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  for (const name of names.filter(isLeft)) await removeTree(join(dir, name));
}

/** Of an executor, which has what runs have installed beside its mirrors. */
export const keepDisk = (places: DiskPlaces): Promise<void> => tidyDisk(places, notebooksKnown);
