import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { readJson, writeJson } from './json-file.ts';
import { commandLine, isRunning, type ProcessIdentity } from './process-identity.ts';

/**
 * What was started on a home and may outlive a supervisor that was killed. `mark` is a word of its command line that
 * belongs to it (a data path, a script); with the moment it began, nothing else can be mistaken for it.
 */
const startedSchema = z.object({
  name: z.string(),
  pid: z.int(),
  began: z.string(),
  mark: z.string(),
  is_engine: z.boolean(),
});
type Started = z.infer<typeof startedSchema>;

const GRACE_MS = 5_000;
const fileOf = (home: string): string => join(home, 'processes.json');
const readStarted = (home: string): Started[] => readJson(fileOf(home), z.array(startedSchema)) ?? [];

/** Written before anything is awaited after the start, so that a kill -9 leaves no process unrecorded. */
export function recordStarted(
  home: string,
  { name, mark, is_engine }: Pick<Started, 'name' | 'mark' | 'is_engine'>,
  { pid, began }: ProcessIdentity,
): void {
  const others = readStarted(home).filter((process) => process.name !== name);
  writeJson(fileOf(home), [...others, { name, pid, began, mark, is_engine }]);
}

const isOurs = (process: Started): boolean =>
  isRunning(process) && commandLine(process.pid).some((word) => word.includes(process.mark));

/** Ends what an earlier supervisor left behind on this home; returns the names. */
export async function endOrphans(home: string): Promise<string[]> {
  const orphans = readStarted(home).filter(isOurs);
  // Workers drain by themselves when their supervisor is gone, and need the engines for it.
  await end(orphans.filter((process) => !process.is_engine));
  await end(orphans.filter((process) => process.is_engine));
  writeJson(fileOf(home), []);
  return orphans.map(({ name }) => name);
}

async function end(processes: Started[]): Promise<void> {
  for (const { pid } of processes) signal(pid, 'SIGTERM');
  const deadline = Date.now() + GRACE_MS;
  while (processes.some(isRunning)) {
    if (Date.now() > deadline) for (const { pid } of processes.filter(isOurs)) signal(pid, 'SIGKILL');
    await delay(20);
  }
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // gone by itself
  }
}
