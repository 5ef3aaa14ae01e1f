import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from './git-process.ts';
import { removeTree } from './remove-tree.ts';

const REPACK_MS = 300_000;
/** Longer than any clone, fetch or repack is given: who made it is no more, or has given it up. */
const STALE_MS = 3_600_000;
/** Small fetches leave objects by themselves; so many of them are as slow to look through as a pack is. */
const LOOSE_A_PACK = 100;

/** Removes what was begun in a folder, and that nobody can be at any more. */
export async function removeStale(dir: string, isPart: (name: string) => boolean, now: number): Promise<void> {
  for (const name of (await readdir(dir).catch(() => [])).filter(isPart)) {
    const path = join(dir, name);
    const found = await stat(path).catch(() => null);
    if (found && now - found.mtimeMs > STALE_MS) await removeTree(path);
  }
}

/**
 * Brings the objects of a mirror into few packs where there are more than `most`. Nothing is dropped, also what the
 * remote no longer has: checkouts may stand on it. They find in the new pack what was in those that are gone.
 */
export async function repackMirror(mirror: string, most: number, now: number): Promise<void> {
  await removeStale(join(mirror, 'objects', 'pack'), (name) => /^\.?tmp[-_]/.test(name), now);
  const told = (await runGit(['count-objects', '-v'], { gitDir: mirror })).toString();
  const counted = (what: string): number => Number(new RegExp(`^${what}: (\\d+)$`, 'm').exec(told)?.[1] ?? 0);
  if (counted('packs') <= most && counted('count') <= most * LOOSE_A_PACK) return;
  // Only packs that are small beside the others are put together: a large repository is not written anew each time.
  await runGit(['repack', '--quiet', '--geometric=2', '-d'], { gitDir: mirror, timeoutMs: REPACK_MS });
}
