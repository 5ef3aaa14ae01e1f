import { readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandLimits, Cut } from './limits.ts';

const EVERY_MS = 100;
const PAGE_BYTES = 4096;
/** Nothing may take the last of a disk that others need too. */
const RESERVE_BYTES = 256 * 1024 * 1024;

interface Space {
  bytes: number;
  files: number;
}

const freeAt = (folder: string): Space => {
  const { bavail, bsize, ffree } = statfsSync(folder);
  return { bytes: bavail * bsize, files: ffree };
};

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Each thread has its own: a process that is started by another than the first would not be seen otherwise. */
const childrenOf = (pid: number): number[] =>
  namesIn(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  });

interface Nameless {
  disk: number;
  memory: number;
}

/** What is held by files that have no name any more, or never had one: no look at the folders finds it. */
function namelessBytes(pids: number[], root: string): Nameless {
  const seen = new Set<string>();
  const held: Nameless = { disk: 0, memory: 0 };
  const { dev } = statSync(root);
  for (const folder of pids.map((pid) => `/proc/${pid}/fd`)) {
    for (const name of namesIn(folder)) {
      const file = statSync(join(folder, name), { throwIfNoEntry: false });
      if (!file?.isFile() || file.nlink > 0 || seen.has(`${file.dev}:${file.ino}`)) continue;
      seen.add(`${file.dev}:${file.ino}`);
      held[file.dev === dev ? 'disk' : 'memory'] += file.blocks * 512;
    }
  }
  return held;
}

/** A process that is gone meanwhile, or whose platform does not tell, counts as nothing. */
const residentBytes = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1] ?? 0) * PAGE_BYTES;
  } catch {
    return 0;
  }
};

/** All below one process; those that were left by their parents are below the first process in there. */
function below(pid: number, most: number): number[] {
  const found: number[] = [];
  for (const queue = [pid]; queue.length > 0 && found.length <= most; ) {
    const children = childrenOf(queue.pop() ?? 0);
    found.push(...children);
    queue.push(...children);
  }
  return found;
}

/** Bytes on the disk below a folder, links not followed; stops at `enough`. */
async function usedBelow(folder: string, enough: number): Promise<number> {
  let used = 0;
  for (const folders = [folder]; folders.length > 0 && used < enough; ) {
    const at = folders.pop() ?? folder;
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else
        used += await lstat(path).then(
          ({ blocks }) => blocks * 512,
          () => 0,
        );
    }
  }
  return used;
}

export interface Watched {
  pid: number;
  root: string;
  limits: CommandLimits;
  /** What no group of the kernel holds it to. */
  unlimited: { memory: boolean; processes: boolean };
  exceeded: (cut: Cut) => void;
}

/**
 * Looks ten times a second at what the kernel does not limit by itself: how much of the disk a command takes and,
 * where there are no groups of processes, how many there are and what they hold.
 */
export function watchUse({ pid, root, limits, unlimited, exceeded }: Watched): () => void {
  const before = freeAt(root);
  let measuring = false;

  // Others use the disk as well: when it shrinks by more than a command may take, it is looked who did it.
  const checkDisk = async (): Promise<void> => {
    const now = freeAt(root);
    if (now.bytes < Math.min(RESERVE_BYTES, before.bytes / 2)) return exceeded('disk');
    if (before.files > 0 && before.files - now.files > limits.disk_bytes / PAGE_BYTES) return exceeded('disk');
    if (before.bytes - now.bytes <= limits.disk_bytes || measuring) return;
    measuring = true;
    const nameless = namelessBytes(below(pid, limits.processes), root).disk;
    const used = nameless + (await usedBelow(root, limits.disk_bytes * 2));
    measuring = false;
    if (used > limits.disk_bytes) exceeded('disk');
  };
  const checkTree = (): void => {
    const tree = below(pid, limits.processes);
    const held = unlimited.memory
      ? tree.reduce((sum, one) => sum + residentBytes(one), namelessBytes(tree, root).memory)
      : 0;
    if (unlimited.processes && tree.length > limits.processes) exceeded('processes');
    else if (held > limits.memory_bytes) exceeded('memory');
  };
  const timer = setInterval(() => {
    if (unlimited.memory || unlimited.processes) checkTree();
    checkDisk().catch(() => undefined);
  }, EVERY_MS);
  return () => clearInterval(timer);
}
