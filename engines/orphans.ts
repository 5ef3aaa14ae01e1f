import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { readJson, writeJson } from './json-file.ts';
import { commandLine, isRunning, type ProcessIdentity } from './process-identity.ts';

/**
 * What was started on a home and may outlive a supervisor that was killed. `mark` is a word of its command line that
 * belongs to this home alone (a data path, a script); with the moment it began, nothing else can be mistaken for it.
 */
const startedSchema = z.object({ name: z.string(), pid: z.int(), began: z.string(), mark: z.string() });
type Started = z.infer<typeof startedSchema>;

const GRACE_MS = 5_000;
const fileOf = (home: string): string => join(home, 'processes.json');
const readStarted = (home: string): Started[] => readJson(fileOf(home), z.array(startedSchema)) ?? [];

/** Written before anything is awaited after the start, so that a kill -9 leaves no process unrecorded. */
export function recordStarted(home: string, name: string, mark: string, { pid, began }: ProcessIdentity): void {
  const others = readStarted(home).filter((process) => process.name !== name);
  writeJson(fileOf(home), [...others, { name, pid, began, mark }]);
}

export const forgetStarted = (home: string): void => writeJson(fileOf(home), []);

const isOurs = (process: Started): boolean =>
  isRunning(process) && commandLine(process.pid).some((word) => word.includes(process.mark));

/** Ends what an earlier supervisor left behind on this home; returns the names. */
export async function endOrphans(home: string): Promise<string[]> {
  const orphans = readStarted(home).filter(isOurs);
  for (const { pid } of orphans) signal(pid, 'SIGTERM');
  const deadline = Date.now() + GRACE_MS;
  while (orphans.some(isRunning)) {
    if (Date.now() > deadline) for (const { pid } of orphans.filter(isOurs)) signal(pid, 'SIGKILL');
    await delay(20);
  }
  forgetStarted(home);
  return orphans.map(({ name }) => name);
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // gone by itself
  }
}
