import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { Failure } from '../../domain/failures.ts';
import type { CommandLimits, Cut } from './limits.ts';
import { OutputKeeper } from './output.ts';
import type { CommandOutcome, CommandSpec } from './spec.ts';

export interface Attended {
  child: ChildProcess;
  spec: CommandSpec;
  limits: CommandLimits;
  kill: () => void;
  /** Looks at what it uses, until told to stop. */
  watch: (pid: number, exceeded: (why: Cut) => void) => () => void;
}

/** Listens to a command until it has ended by itself, or ends it when its time is up or it takes too much. */
export function attend({ child, spec, limits, kill, watch }: Attended): Promise<CommandOutcome> {
  const { timeout_ms, signal, heard, into } = spec;
  const begun = Date.now();
  const keeper = new OutputKeeper(limits.output_bytes, heard ?? (() => undefined));
  let cut: Cut | null = null;
  const stop = (why: Cut) => {
    cut ??= why;
    kill();
  };
  const onAbort = () => stop('cancelled');
  const timer = setTimeout(() => stop('timeout'), timeout_ms);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  const unwatch = child.pid === undefined ? () => {} : watch(child.pid, stop);
  if (into) child.stdout?.pipe(into);
  else read(child.stdout, (bytes) => keeper.take('out', bytes));
  read(child.stderr, (bytes) => keeper.take('err', bytes));
  return new Promise<CommandOutcome>((resolve, reject) => {
    const over = () => {
      clearTimeout(timer);
      unwatch();
      signal?.removeEventListener('abort', onAbort);
    };
    child.once('error', (error) => {
      over();
      reject(new Failure('commands_refused', `The command could not be started: ${error.message}.`));
    });
    child.once('close', (code, ended) => {
      over();
      keeper.end();
      resolve({
        ...exitOf(code, ended, cut !== null),
        cut,
        duration_ms: Date.now() - begun,
        started_at: new Date(begun).toISOString(),
        output: keeper.text(),
        output_chars: keeper.characters,
        output_whole: keeper.isWhole,
      });
    });
  });
}

const read = (stream: Readable | null, take: (bytes: Buffer) => void) => stream?.on('data', take);

/** bubblewrap tells a signal as a shell does. */
function exitOf(code: number | null, signal: NodeJS.Signals | null, wasCut: boolean) {
  if (wasCut) return { exit_code: null, signal: signal ?? ('SIGKILL' as const) };
  return { exit_code: code, signal };
}
