import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

/** What a program says or is given goes in pieces, so that nobody holds more of it than that for others. */
const PIECE = 128 * 1024;

/** A message: how long its two parts are, what it says, and bytes that belong to it. */
function framed(head: object, bytes: Uint8Array): Buffer {
  const said = Buffer.from(JSON.stringify(head));
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32BE(said.length, 0);
  sizes.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([sizes, said, bytes]);
}

/** Takes what comes, in whichever pieces, and gives each message once it is whole. */
function unframed(take: (head: Told, bytes: Buffer) => void): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (piece) => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    while (rest.length >= 8) {
      const said = 8 + rest.readUInt32BE(0);
      const end = said + rest.readUInt32BE(4);
      if (rest.length < end) return;
      const [head, bytes] = [JSON.parse(rest.toString('utf8', 8, said)), rest.subarray(said, end)];
      rest = rest.subarray(end);
      take(head, bytes);
    }
  };
}

/**
 * Runs in a small process of its own and starts programs for this one. Whoever starts a program has its memory map
 * copied for it, and stands still meanwhile: measured, 50 ms for each gigabyte that it holds.
 */
const HOST = `
const { spawn } = require('node:child_process');
const framed = ${framed};
const unframed = ${unframed};
const running = new Map();
const tell = (head, bytes, done) => process.stdout.write(framed(head, bytes ?? Buffer.alloc(0)), done);

function start(id, { program, args, cwd, env }) {
  running.set(id, null);
  try {
    const child = spawn(program, args, { cwd, env });
    child.on('error', ({ message }) => end(id, { message }));
    running.set(id, child);
    const rest = ['stdout', 'stderr'].map((name) => relay(id, child[name], name));
    // Who ends before it has read everything says why by its exit code.
    child.stdin.on('error', () => {});
    child.on('close', (code) => {
      for (const told of rest) told();
      end(id, { code });
    });
  } catch ({ message }) {
    end(id, { message });
  }
}

function relay(id, stream, name) {
  let held = [];
  let size = 0;
  const told = (done) => {
    if (size > 0) tell({ id, of: name }, Buffer.concat(held), done);
    held = [];
    size = 0;
  };
  stream.on('data', (piece) => {
    held.push(piece);
    size += piece.length;
    if (size < ${PIECE}) return;
    stream.pause();
    told(() => stream.resume());
  });
  return told;
}

function end(id, how) {
  if (running.delete(id)) tell({ id, ended: true, ...how });
}

function kill(child, signal) {
  child.kill(signal);
  // What it has started may live on, and is listened to no longer.
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
}

process.stdin.on('data', unframed(({ id, wanted, signal, whole }, bytes) => {
  if (wanted) return start(id, wanted);
  const child = running.get(id);
  if (!child) return;
  if (signal) return kill(child, signal);
  if (whole) child.stdin.end(bytes);
  else child.stdin.write(bytes, () => tell({ id, of: 'stdin' }));
}));
// It ends with who it works for, who may have work to finish.
process.on('SIGINT', () => {}).on('SIGTERM', () => {});
process.stdin.on('close', () => process.exit());
process.stdout.on('error', () => process.exit());
`;

interface Wanted {
  program: string;
  args: readonly string[];
  cwd: string | undefined;
  env: Record<string, string | undefined>;
}

interface Told {
  id: number;
  /** Where the bytes come from; of its input, that it has taken a piece. */
  of?: 'stdin' | 'stdout' | 'stderr';
  ended?: true;
  /** null where it was ended by a signal. */
  code?: number | null;
  /** Why it could not be started. */
  message?: string;
  /** The process that started it has ended before it. */
  lost?: true;
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
  | { how: 'not_started'; message: string }
  /** Nobody knows what becomes of it. */
  | { how: 'lost' }
  | { how: 'too_late' }
  | { how: 'too_much' };

const NOTHING: Buffer = Buffer.alloc(0);
/** After this, whoever does not end a program is ended. */
const ENDS_IN_MS = 5_000;

type Hear = (told: Told, bytes: Buffer) => void;

let host: ChildProcess | null = null;
let launches = 0;
const listeners = new Map<number, Hear>();

function startHost(): ChildProcess {
  const started = spawn(process.execPath, ['-e', HOST], { env: {}, stdio: ['pipe', 'pipe', 'inherit'] });
  const lost = () => {
    if (host !== started) return;
    host = null;
    for (const [id, hear] of listeners) hear({ id, ended: true, lost: true }, NOTHING);
  };
  started.once('error', lost);
  // After the last of what it said, which may be the end of somebody's program.
  started.once('close', lost);
  started.stdin?.on('error', () => undefined);
  started.stdout?.on(
    'data',
    unframed((told, bytes) => listeners.get(told.id)?.(told, bytes)),
  );
  started.unref();
  for (const end of [started.stdin, started.stdout]) if (end instanceof Socket) end.unref();
  return started;
}

/** Only who waits for a program keeps this process from ending. */
function listen(id: number, hear: Hear): () => void {
  const heard = host?.stdout;
  listeners.set(id, hear);
  if (heard instanceof Socket) heard.ref();
  return () => {
    listeners.delete(id);
    if (listeners.size === 0 && heard instanceof Socket) heard.unref();
  };
}

/** Runs a program to its end with nothing but the given environment. Rejects only where `signal` is aborted. */
export function launch(wanted: Wanted, { input, timeoutMs, signal, maxBytes }: LaunchOptions): Promise<Launched> {
  signal?.throwIfAborted();
  host ??= startHost();
  const started = host;
  const id = ++launches;
  const send = (head: object, bytes: Uint8Array = NOTHING) => started.stdin?.write(framed({ id, ...head }, bytes));
  return new Promise((done, fail) => {
    const said = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const sizes = { stdout: 0, stderr: 0 };
    const timers: NodeJS.Timeout[] = [];
    let left: Buffer = NOTHING;
    /** What is the matter with it, once it has been told to end. */
    let verdict: Launched | null = null;

    const settle = (tell: () => void) => {
      stop();
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      tell();
    };
    const endIt = (why: Launched) => {
      if (verdict) return;
      verdict = why;
      send({ signal: 'SIGKILL' });
      timers.push(setTimeout(() => started.kill('SIGKILL'), ENDS_IN_MS));
    };
    const give = () => {
      const piece = left.subarray(0, PIECE);
      left = left.subarray(PIECE);
      send(left.length === 0 ? { whole: true } : {}, piece);
    };
    const outcome = ({ lost, message, code = null }: Told): Launched => {
      if (lost) return { how: 'lost' };
      if (message !== undefined) return { how: 'not_started', message };
      return { how: 'exited', code, stdout: Buffer.concat(said.stdout), stderr: Buffer.concat(said.stderr) };
    };
    const stop = listen(id, (told, bytes) => {
      if (told.ended) return settle(() => done(verdict ?? outcome(told)));
      if (told.of === 'stdin') return give();
      if (!told.of || verdict) return;
      said[told.of].push(bytes);
      sizes[told.of] += bytes.length;
      if (sizes[told.of] > maxBytes) endIt({ how: 'too_much' });
    });
    const onAbort = () => {
      send({ signal: 'SIGTERM' });
      settle(() => fail(signal?.reason));
    };
    signal?.addEventListener('abort', onAbort);
    timers.push(setTimeout(() => endIt({ how: 'too_late' }), timeoutMs));
    send({ wanted });
    const begin = (given: string | Buffer = NOTHING) => {
      left = typeof given === 'string' ? Buffer.from(given) : given;
      give();
    };
    if (input instanceof Promise) input.then(begin, () => begin());
    else begin(input);
  });
}
