import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { readConfig } from '../config.ts';
import { findOnPath } from '../engines/binary.ts';
import { obtainBubblewrap } from '../engines/bubblewrap.ts';
import { startEngines } from '../engines/embedded.ts';
import { tryLock } from '../engines/file-lock.ts';
import { endOrphans } from '../engines/orphans.ts';
import { progressOn } from '../engines/progress.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for the data of engines. */
    HOMES: string;
    MONGODB_URI: string;
    TEMPORAL_ADDRESS: string;
    /** Where bubblewrap is; empty where there is none to be had. */
    BWRAP: string;
    /** Empty where there is none; `npm test` gets one. */
    CHROMIUM: string;
  }
}

const BUILD = fileURLToPath(new URL('../setup/build.mjs', import.meta.url));
const PREFIX = 'longhaul-tests-';

/** Where nothing waits for a disk. Who is killed finds the files of engines there again all the same. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 4e9;

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM_BYTES && freemem() > 2 * ROOM_BYTES;
  } catch {
    return false;
  }
}

/** A folder for this run of the tests, and none of those that were killed. */
async function folderIn(place: string): Promise<string> {
  await sweep(place);
  const folder = mkdtempSync(join(place, PREFIX));
  tryLock(join(folder, 'lock'));
  return folder;
}

/**
 * One MongoDB and one Temporal for all test files; each takes a database and a task queue of its own. What the tests
 * write lies in two folders, which go when they have ended.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, [BUILD], { stdio: 'inherit' });
  const files = await folderIn(tmpdir());
  const homes = hasRoomInMemory() ? await folderIn(MEMORY) : files;
  process.env.TMPDIR = files;
  const home = join(homes, 'shared');
  mkdirSync(home);
  const config = readConfig();
  const wanted = {
    cache: resolve(config.LONGHAUL_CACHE),
    path: process.env.PATH ?? '',
    progress: progressOn(process.stdout),
  };
  const [engines, bwrap] = await Promise.all([
    startEngines({ home, namespace: 'default', ...wanted }),
    config.LONGHAUL_BWRAP ?? obtainBubblewrap(wanted).then((found) => found?.path),
  ]);
  project.provide('HOMES', homes);
  project.provide('MONGODB_URI', engines.mongodb_uri);
  project.provide('TEMPORAL_ADDRESS', engines.temporal_address);
  project.provide('BWRAP', bwrap ?? '');
  project.provide('CHROMIUM', process.env.CHROMIUM ?? chromiumOnPath() ?? '');
  return async () => {
    for (const process of engines.processes) process.kill();
    for (const folder of [files, homes]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

const chromiumOnPath = () =>
  ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
    .map((name) => findOnPath(name, process.env.PATH ?? ''))
    .find((path) => path !== null);

/** A run of the tests that was killed leaves its engines behind; the next one ends them. */
async function sweep(place: string): Promise<void> {
  const left = readdirSync(place).filter((name) => name.startsWith(PREFIX));
  for (const folder of left.map((name) => join(place, name))) {
    if (!('release' in tryLock(join(folder, 'lock')))) continue;
    for (const home of readdirSync(folder).map((name) => join(folder, name))) {
      if (existsSync(join(home, 'processes.json'))) await endOrphans(home);
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
