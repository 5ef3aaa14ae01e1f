import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
    MONGODB_URI: string;
    TEMPORAL_ADDRESS: string;
    /** Where bubblewrap is; empty where there is none to be had. */
    BWRAP: string;
    /** Empty where there is none; `npm test` gets one. */
    CHROMIUM: string;
  }
}

const BUILD = fileURLToPath(new URL('../setup/build.mjs', import.meta.url));
const PREFIX = 'longhaul-test-engines-';

/** One MongoDB and one Temporal for all test files; each takes a database and a task queue of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, [BUILD], { stdio: 'inherit' });
  await sweep();
  const home = mkdtempSync(join(tmpdir(), PREFIX));
  tryLock(join(home, 'lock'));
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
  project.provide('MONGODB_URI', engines.mongodb_uri);
  project.provide('TEMPORAL_ADDRESS', engines.temporal_address);
  project.provide('BWRAP', bwrap ?? '');
  project.provide('CHROMIUM', process.env.CHROMIUM ?? chromiumOnPath() ?? '');
  return async () => {
    for (const process of engines.processes) process.kill();
    rmSync(home, { recursive: true, force: true });
  };
}

const chromiumOnPath = () =>
  ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
    .map((name) => findOnPath(name, process.env.PATH ?? ''))
    .find((path) => path !== null);

/** A test run that was killed leaves its engines behind; the next one ends them. */
async function sweep(): Promise<void> {
  const homes = readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX));
  for (const home of homes.map((name) => join(tmpdir(), name))) {
    if (!('release' in tryLock(join(home, 'lock')))) continue;
    await endOrphans(home);
    rmSync(home, { recursive: true, force: true });
  }
}
