import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { identify, type ProcessIdentity } from './process-identity.ts';

export interface ProcessSpec {
  name: string;
  program: string;
  /** Asked at every start, as is the environment: a port may have become known since the last one. */
  args: () => readonly string[];
  env?: () => Record<string, string>;
  log: string;
  /**
   * Our own programs get a channel to their parent and end when it breaks, and what they print as errors is shown.
   * Engines know no such thing: they write into their log and may outlive us (see orphans.ts).
   */
  own: boolean;
}

export interface ProcessWatch {
  started?(identity: ProcessIdentity): void;
  message?(message: unknown): void;
  printed?(line: string): void;
  complained?(line: string): void;
  died?(how: string, restart_in_ms: number): void;
  /** It was told to end and has; said once. */
  ended?(): void;
}

export interface KeptProcess {
  readonly name: string;
  readonly pid: number | undefined;
  /** Ends it and does not start it again; after `grace_ms` by force. */
  stop(grace_ms: number): Promise<void>;
  kill(): void;
}

/** Having lived so long, it was well, and its death is not one in a row. */
const WELL_AFTER_MS = 3_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;

/** At once the first time (a run may be waiting for it), then ever slower: what dies at once will die again. */
export const restartDelay = (deaths_in_a_row: number): number =>
  deaths_in_a_row <= 1 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (deaths_in_a_row - 2), LONGEST_DELAY_MS);

export function keepProcess(spec: ProcessSpec, watch: ProcessWatch = {}): KeptProcess {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;
  let deaths = 0;

  const start = () => {
    const born = Date.now();
    const end = (how: string) => {
      child = undefined;
      if (stopping) return;
      deaths = Date.now() - born >= WELL_AFTER_MS ? 1 : deaths + 1;
      const wait = restartDelay(deaths);
      if (wait === 0) start();
      else timer = setTimeout(start, wait);
      watch.died?.(how, wait);
    };
    let current: ChildProcess;
    try {
      current = launch(spec, watch);
    } catch (error) {
      return end(error instanceof Error ? error.message : String(error));
    }
    child = current;
    current.on('error', (error) => {
      // Also emitted where a message could not be delivered to a process that lives on.
      if (current.pid === undefined) end(error.message);
    });
    current.once('exit', (code, signal) => end(signal === null ? `exit code ${code}` : signal));
    const identity = current.pid === undefined ? null : identify(current.pid);
    if (identity) watch.started?.(identity);
  };
  start();

  let finished = false;
  const finish = () => {
    if (!finished) watch.ended?.();
    finished = true;
  };

  return {
    name: spec.name,
    get pid() {
      return child?.pid;
    },
    async stop(grace_ms) {
      stopping = true;
      clearTimeout(timer);
      const current = child;
      if (current?.pid === undefined) return finish();
      await new Promise<void>((resolve) => {
        const force = setTimeout(() => current.kill('SIGKILL'), grace_ms);
        current.once('exit', () => {
          clearTimeout(force);
          resolve();
        });
        current.kill('SIGTERM');
      });
      finish();
    },
    kill() {
      stopping = true;
      clearTimeout(timer);
      child?.kill('SIGKILL');
      finish();
    },
  };
}

function launch({ program, args, env, log, own }: ProcessSpec, watch: ProcessWatch): ChildProcess {
  const file = openSync(log, 'a', 0o600);
  try {
    // Detached: Ctrl-C in a terminal reaches a whole group at once, but engines must stay until the workers are done.
    const child = spawn(program, args(), {
      env: { ...process.env, ...env?.() },
      detached: true,
      stdio: own ? ['ignore', watch.printed ? 'pipe' : file, 'pipe', 'ipc'] : ['ignore', file, file],
    });
    const relay = (stream: NodeJS.ReadableStream | null, show?: (line: string) => void) => {
      if (stream === null) return;
      createInterface(stream).on('line', (line) => {
        appendFileSync(log, `${line}\n`);
        show?.(line);
      });
    };
    relay(child.stdout, watch.printed);
    relay(child.stderr, watch.complained);
    child.on('message', (message) => watch.message?.(message));
    return child;
  } finally {
    closeSync(file);
  }
}
