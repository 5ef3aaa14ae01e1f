import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { logOf } from './engine-process.ts';
import { type KeptProcess, keepProcess } from './kept-process.ts';
import { errorIn, watchForErrors } from './log-watch.ts';
import { recordStarted } from './orphans.ts';
import type { Progress } from './progress.ts';

/** What one of our own programs tells its supervisor when it can be used. */
const readySchema = z.object({
  type: z.literal('ready'),
  url: z.string().optional(),
  sign_in_link: z.string().nullish(),
  cli_key: z.string().nullish(),
});
export type Ready = z.infer<typeof readySchema>;

export interface ProgramSpec {
  name: string;
  script: string;
  args?: () => string[];
  env: () => Record<string, string>;
  home: string;
  progress: Progress;
  /** At its first start and every later one. */
  onReady?: (ready: Ready) => void;
  /** For a program that says so on its output instead. */
  readPrinted?: (line: string) => Ready | null;
}

export interface Program {
  process: KeptProcess;
  /** Resolves when it is ready for the first time; rejects where it dies again and again before. */
  ready: Promise<Ready>;
}

const DEATHS_ALLOWED = 5;

/**
 * How Node runs our programs. Half of the usual room for what is young: it is kept for good once it has been used, and
 * several processes share the machine. No source maps: Node would hold those of all dependencies, too, which is 5 MB
 * in each process, and traces into the built files can be read as they are.
 */
export const NODE_FLAGS = ['--max-semi-space-size=8'];

/**
 * Of glibc: threads share two heaps, where each would get one of its own. A worker has 17 threads that seldom allocate
 * at once; under load it and an API take a tenth less for it, at the same speed.
 */
export const nodeSurroundings = () => ({ MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2' });

export function startProgram({ name, script, args, env, home, progress, onReady, readPrinted }: ProgramSpec): Program {
  const log = logOf(home, name);
  let settle: { resolve(ready: Ready): void; reject(error: Error): void } | undefined;
  const ready = new Promise<Ready>((resolve, reject) => {
    settle = { resolve, reject };
  });
  ready.catch(() => undefined);
  let deaths = 0;

  const hear = (message: Ready | null) => {
    if (message === null) return;
    onReady?.(message);
    settle?.resolve(message);
  };
  const spec = {
    ...{ name, log, env: () => ({ ...nodeSurroundings(), ...env() }), own: true, program: process.execPath },
    args: () => [...NODE_FLAGS, script, ...(args?.() ?? [])],
  };
  const errors = watchForErrors(log, (line) => progress.line(`${name}: ${line}`));
  const kept = keepProcess(spec, {
    started: (identity) => recordStarted(home, { name, mark: script, is_engine: false }, identity),
    message: (message) => hear(readySchema.safeParse(message).data ?? null),
    ...(readPrinted && { printed: (line) => hear(readPrinted(line)) }),
    complained: (line) => progress.line(`${name}: ${errorIn(line) ?? line}`),
    ended: () => errors.close(),
    died(how, wait) {
      progress.line(`${name} died (${how}); starting it again${wait > 0 ? ` in ${wait} ms` : ''}`);
      deaths++;
      if (deaths >= DEATHS_ALLOWED) settle?.reject(new Error(`${name} keeps dying (${how}). Its log is ${log}`));
    },
  });
  return { process: kept, ready };
}

/** One older log of each is kept. */
export function rotateLogs(home: string): void {
  const folder = join(home, 'logs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder).filter((name) => /^[^.]+\.log$/.test(name))) {
    renameSync(join(folder, name), join(folder, name.replace(/\.log$/, '.1.log')));
  }
}
