import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CommandLimits } from './limits.ts';

const ROOT = '/sys/fs/cgroup';
const PREFIX = 'longhaul-';
const CPU_PERIOD_US = 100_000;

/** Groups of processes that one command is put into, with what it may use. */
export interface Groups {
  /** Files that take the id of a process to be put in. */
  doors: string[];
  /** Whether the kernel ended a process because the group was out of memory. */
  ranOutOfMemory(): boolean;
  remove(): Promise<void>;
}

export interface Cgroups {
  version: 1 | 2;
  /** Which of memory, pids and cpu it limits. */
  holds: readonly Controller[];
  make(limits: CommandLimits): Groups;
}

export type Controller = 'memory' | 'pids' | 'cpu';

/** Where this process is: `{controller: path}` of version 1, and `{'': path}` of version 2. */
function ownPlaces(): Map<string, string> {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, names = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      return names.split(',').map((name) => [name, path] as const);
    }),
  );
}

const settings = (version: 1 | 2, controller: Controller, limits: CommandLimits): [file: string, value: string][] => {
  const quota = limits.cpus === null ? null : Math.round(limits.cpus * CPU_PERIOD_US);
  switch (controller) {
    case 'pids':
      return [['pids.max', String(limits.processes)]];
    case 'memory':
      return version === 2
        ? [
            ['memory.max', String(limits.memory_bytes)],
            ['memory.swap.max', '0'],
            ['memory.oom.group', '1'],
          ]
        : [
            ['memory.limit_in_bytes', String(limits.memory_bytes)],
            ['memory.memsw.limit_in_bytes', String(limits.memory_bytes)],
          ];
    case 'cpu':
      if (quota === null) return [];
      return version === 2
        ? [['cpu.max', `${quota} ${CPU_PERIOD_US}`]]
        : [
            ['cpu.cfs_period_us', String(CPU_PERIOD_US)],
            ['cpu.cfs_quota_us', String(quota)],
          ];
  }
};

/** Swap is not accounted everywhere; what cannot be limited there is limited by the rest. */
const OPTIONAL = new Set(['memory.swap.max', 'memory.oom.group', 'memory.memsw.limit_in_bytes']);

function limit(folder: string, version: 1 | 2, controller: Controller, limits: CommandLimits): void {
  for (const [file, value] of settings(version, controller, limits)) {
    try {
      writeFileSync(join(folder, file), value);
    } catch (error) {
      if (!OPTIONAL.has(file)) throw error;
    }
  }
}

const oomKills = (folder: string, version: 1 | 2): number => {
  try {
    const text = readFileSync(join(folder, version === 2 ? 'memory.events' : 'memory.oom_control'), 'utf8');
    return Number(/^oom_kill (\d+)/m.exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
};

const REMOVE_TRIES = 50;
const REMOVE_EVERY_MS = 10;

/** Busy for a moment after its last process has ended. */
async function removeFolder(folder: string): Promise<void> {
  for (let tries = 0; tries < REMOVE_TRIES; tries++) {
    try {
      rmdirSync(folder);
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EBUSY')) return;
      await pause(REMOVE_EVERY_MS);
    }
  }
}

/** What a worker that was killed left behind: empty by now, since its commands died with it. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    try {
      rmdirSync(join(parent, name));
    } catch {
      // Somebody was faster, or it is not empty after all.
    }
  }
}

let made = 0;

function groupsIn(version: 1 | 2, parents: Map<Controller, string>): Cgroups {
  const holds = [...parents.keys()];
  for (const parent of new Set(parents.values())) sweep(parent);
  return {
    version,
    holds,
    make(limits) {
      made += 1;
      const name = `${PREFIX}${process.pid}-${made}`;
      const needed = holds.filter((controller) => settings(version, controller, limits).length > 0);
      const folders = new Map(needed.map((controller) => [controller, join(parents.get(controller) ?? ROOT, name)]));
      const distinct = [...new Set(folders.values())];
      try {
        for (const folder of distinct) mkdirSync(folder);
        for (const [controller, folder] of folders) limit(folder, version, controller, limits);
      } catch (error) {
        for (const folder of distinct) void removeFolder(folder);
        throw error;
      }
      const memory = folders.get('memory');
      return {
        doors: distinct.map((folder) => join(folder, 'cgroup.procs')),
        ranOutOfMemory: () => memory !== undefined && oomKills(memory, version) > 0,
        remove: async () => {
          await Promise.all(distinct.map(removeFolder));
        },
      };
    },
  };
}

/** Version 2 passes controllers on only from a group that holds no process itself, so a neighbour of our own is used. */
function parentsOfVersion2(place: string): Map<Controller, string> | null {
  const own = join(ROOT, place);
  if (!existsSync(join(own, 'cgroup.controllers'))) return null;
  const wanted: Controller[] = ['memory', 'pids', 'cpu'];
  for (const parent of [own, join(own, '..')]) {
    try {
      const passed = readFileSync(join(parent, 'cgroup.subtree_control'), 'utf8').split(/\s+/);
      const missing = wanted.filter((controller) => !passed.includes(controller));
      for (const controller of missing) {
        try {
          writeFileSync(join(parent, 'cgroup.subtree_control'), `+${controller}`);
        } catch {
          // Not to be had here; the others may be.
        }
      }
      const now = readFileSync(join(parent, 'cgroup.subtree_control'), 'utf8').split(/\s+/);
      const had = wanted.filter((controller) => now.includes(controller));
      if (had.length > 0 && parent.startsWith(ROOT)) return new Map(had.map((controller) => [controller, parent]));
    } catch {
      // Not ours to change.
    }
  }
  return null;
}

function parentsOfVersion1(places: Map<string, string>): Map<Controller, string> {
  const found = (['memory', 'pids', 'cpu'] as const).flatMap((controller) => {
    const place = places.get(controller);
    const folder = place === undefined ? null : join(ROOT, controller, place);
    return folder !== null && existsSync(join(folder, 'cgroup.procs')) ? [[controller, folder] as const] : [];
  });
  return new Map(found);
}

/** Null where groups cannot be made. Proved by making one. */
export function findCgroups(limits: CommandLimits): Cgroups | null {
  try {
    const places = ownPlaces();
    const ofVersion2 = parentsOfVersion2(places.get('') ?? '/');
    const found = ofVersion2 ? groupsIn(2, ofVersion2) : groupsIn(1, parentsOfVersion1(places));
    if (found.holds.length === 0) return null;
    void found.make(limits).remove();
    return found;
  } catch {
    return null;
  }
}
