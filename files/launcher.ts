import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Runs in a small process of its own and starts programs for this one. Whoever starts a program has its memory map
 * copied for it, and stands still meanwhile: measured, 50 ms for each gigabyte that it holds. What programs say is sent
 * on in pieces, each after the one before was taken, so that nothing piles up here.
 */
const HOST = `
const { spawn } = require('node:child_process');
const PIECE = 65536;
const running = new Map();

function start(id, { program, args, cwd, env }) {
  running.set(id, null);
  try {
    const child = spawn(program, args, { cwd, env });
    child.on('error', ({ message }) => end(id, { message }));
    running.set(id, child);
    const [stdout, stderr] = [relay(id, child.stdout, 'stdout'), relay(id, child.stderr, 'stderr')];
    // Who ends before it has read everything says why by its exit code.
    child.stdin.on('error', () => {});
    child.on('close', (code) => end(id, { code, stdout: stdout(), stderr: stderr() }));
  } catch ({ message }) {
    end(id, { message });
  }
}

function relay(id, stream, name) {
  let held = [];
  let size = 0;
  const take = () => {
    const taken = Buffer.concat(held);
    held = [];
    size = 0;
    return taken;
  };
  stream.on('data', (piece) => {
    held.push(piece);
    size += piece.length;
    if (size < PIECE) return;
    stream.pause();
    process.send({ id, [name]: take() }, () => stream.resume());
  });
  return take;
}

function end(id, how) {
  if (running.delete(id)) process.send({ id, ended: true, ...how });
}

process.on('message', ({ id, wanted, whole, input, kill }) => {
  if (wanted) start(id, wanted);
  if (kill) running.get(id)?.kill('SIGKILL');
  if (whole) running.get(id)?.stdin.end(input);
});
// It ends with who it works for, who may have work to finish.
process.on('SIGINT', () => {}).on('SIGTERM', () => {}).on('disconnect', () => process.exit());
`;

interface Wanted {
  program: string;
  args: readonly string[];
  cwd: string | undefined;
  env: Record<string, string | undefined>;
}

/** What comes back: a piece of what the program says, or its end with the last of it. */
interface Told {
  id: number;
  stdout?: Uint8Array;
  stderr?: Uint8Array;
  ended?: true;
  /** null where it was ended by a signal. */
  code?: number | null;
  /** Why it could not be started. */
  message?: string;
}

export interface LaunchOptions {
  /** What is still being found out is waited for while it starts; if it is not to be had, it is given nothing. */
  input: string | Buffer | undefined | Promise<string | Buffer>;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** Of each of its two outputs. */
  maxBytes: number;
}

export type Launched =
  | { how: 'exited'; code: number | null; stdout: Buffer; stderr: Buffer }
  /** It could not be started, or nobody knows what became of it. */
  | { how: 'lost'; message: string }
  | { how: 'too_late' }
  | { how: 'too_much' };

let host: ChildProcess | null = null;
let launches = 0;
const listeners = new Map<number, (told: Told) => void>();

function startHost(): ChildProcess {
  const started = spawn(process.execPath, ['-e', HOST], {
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const lost = ({ message }: { message: string }) => {
    if (host !== started) return;
    host = null;
    for (const [id, hear] of listeners) hear({ id, ended: true, message });
  };
  started.once('error', lost);
  started.once('exit', () => lost({ message: 'The process that starts programs has ended.' }));
  started.on('message', (told: Told) => listeners.get(told.id)?.(told));
  started.unref();
  return started;
}

/** Only who waits for a program keeps this process from ending. */
function listen(id: number, hear: (told: Told) => void): () => void {
  listeners.set(id, hear);
  host?.channel?.ref();
  return () => {
    listeners.delete(id);
    if (listeners.size === 0) host?.channel?.unref();
  };
}

/** Runs a program to its end with nothing but the given environment. Rejects only where `signal` is aborted. */
export function launch(wanted: Wanted, { input, timeoutMs, signal, maxBytes }: LaunchOptions): Promise<Launched> {
  signal?.throwIfAborted();
  host ??= startHost();
  const started = host;
  const id = ++launches;
  // What cannot be sent is told by the end of who it was for.
  const send = (message: object) => started.connected && started.send({ id, ...message }, () => undefined);
  return new Promise((done, fail) => {
    const said = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    const sizes = { stdout: 0, stderr: 0 };
    const settle = (tell: () => void) => {
      stop();
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      tell();
    };
    const killAnd = (tell: () => void) => {
      send({ kill: true });
      settle(tell);
    };
    const stop = listen(id, (told) => {
      for (const name of ['stdout', 'stderr'] as const) {
        const piece = told[name];
        if (!piece) continue;
        said[name].push(piece);
        sizes[name] += piece.length;
      }
      if (Math.max(sizes.stdout, sizes.stderr) > maxBytes) return killAnd(() => done({ how: 'too_much' }));
      if (!told.ended) return;
      const { message, code = null } = told;
      if (message !== undefined) return settle(() => done({ how: 'lost', message }));
      const [stdout, stderr] = [Buffer.concat(said.stdout), Buffer.concat(said.stderr)];
      settle(() => done({ how: 'exited', code, stdout, stderr }));
    });
    const timer = setTimeout(() => killAnd(() => done({ how: 'too_late' })), timeoutMs);
    const onAbort = () => killAnd(() => fail(signal?.reason));
    signal?.addEventListener('abort', onAbort);
    if (!(input instanceof Promise)) return void send({ wanted, whole: true, input });
    send({ wanted });
    input.then(
      (given) => send({ whole: true, input: given }),
      () => send({ whole: true }),
    );
  });
}
