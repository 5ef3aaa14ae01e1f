import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Binary } from './binary.ts';
import { type KeptProcess, keepProcess } from './kept-process.ts';
import { recordStarted } from './orphans.ts';
import { LOOPBACK } from './ports.ts';
import type { Progress } from './progress.ts';

/** What an engine is started on. */
export interface EnginePlace {
  home: string;
  binary: Binary;
  port: number | undefined;
  progress: Progress;
  /** Told of the process before it is ready, so that it can be ended at any time. */
  keep: (process: KeptProcess) => void;
}

export interface EngineProcess extends KeptProcess {
  /** Set when it died again and again instead of coming up: what its log says last. */
  hopeless(): string | undefined;
}

const DEATHS_ALLOWED = 3;

export const logOf = (home: string, name: string): string => join(home, 'logs', `${name}.log`);

/** `mark` is the path of its data: no other process on the machine has it among its arguments. */
export function startEngineProcess(
  name: string,
  { home, binary, progress, keep }: EnginePlace,
  mark: string,
  args: readonly string[],
): EngineProcess {
  const log = logOf(home, name);
  mkdirSync(join(home, 'logs'), { recursive: true, mode: 0o700 });
  let deaths = 0;
  const process = keepProcess(
    { name, program: binary.path, args: () => args, log, own: false },
    {
      started: (identity) => recordStarted(home, { name, mark, is_engine: true }, identity),
      died(how, wait) {
        deaths++;
        progress.line(`${name} died (${how}); starting it again${wait > 0 ? ` in ${wait} ms` : ''}, on the same data`);
      },
    },
  );
  keep(process);
  return {
    name,
    get pid() {
      return process.pid;
    },
    stop: (grace_ms) => process.stop(grace_ms),
    kill: () => process.kill(),
    hopeless: () => (deaths >= DEATHS_ALLOWED ? `it keeps dying; the end of ${log}:\n${tail(log)}` : undefined),
  };
}

export const addressOf = (port: number): string => `${LOOPBACK}:${port}`;

function tail(path: string): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
  } catch {
    return '(no log)';
  }
}
