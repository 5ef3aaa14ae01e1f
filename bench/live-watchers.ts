import { io, type Socket } from 'socket.io-client';
import type { Delta, RunEvent } from '../domain/run-events.ts';

/**
 * Clients in a process of their own, so that what they take is not taken for what the product takes. Asked to watch
 * runs, they say when all are watching, and in the end what each of them had when.
 */
export interface Watch {
  runs: string[];
}
export interface Watched {
  first_tokens: { run_id: string; turn: number; at: number }[];
  event_ms: number[];
}

const REPLY_MS = 30_000;
const [url = '', token = '', count = '0'] = process.argv.slice(2);
const ENDS = new Set(['run.completed', 'run.failed', 'run.cancelled', 'run.budget_exceeded']);

async function connect(): Promise<Socket> {
  const socket = io(url, { auth: { token }, forceNew: true, transports: ['websocket'], reconnection: false });
  await new Promise<void>((done, fail) => socket.once('connect', done).once('connect_error', fail));
  return socket;
}

/** Resolves when the run is being watched, with what resolves when it has ended. */
async function watch(socket: Socket, run_id: string, seen: Watched): Promise<{ ended: Promise<void> }> {
  const turns = new Set<number>();
  let since = Number.POSITIVE_INFINITY;
  const ended = new Promise<void>((done, fail) => {
    socket.once('disconnect', (reason) => fail(new Error(`disconnected: ${reason}`)));
    socket.on('delta', ({ turn, offset }: Delta) => {
      if (offset !== 0 || turns.has(turn)) return;
      turns.add(turn);
      seen.first_tokens.push({ run_id, turn, at: Date.now() });
    });
    socket.on('events', ({ events }: { events: RunEvent[] }) => {
      const now = Date.now();
      for (const { ts, type } of events) {
        // What was there before is read from the store, however old it is; and a read says with its result, in the same
        // append, when it had begun.
        if (Date.parse(ts) >= since && type !== 'tool.started') seen.event_ms.push(now - Date.parse(ts));
        if (ENDS.has(type)) done();
      }
    });
  });
  const reply = await socket.timeout(REPLY_MS).emitWithAck('watch', { run_id, cursor: 1 });
  if (!reply.ok) throw new Error(reply.message);
  since = Date.now();
  return { ended };
}

const sockets = await Promise.all(Array.from({ length: Number(count) }, connect));
process.on('message', async ({ runs }: Watch) => {
  const seen: Watched = { first_tokens: [], event_ms: [] };
  for (const socket of sockets) socket.off();
  const watched = await Promise.all(sockets.map((socket, i) => watch(socket, runs[i % runs.length] ?? '', seen)));
  process.send?.({ type: 'watching' });
  await Promise.all(watched.map(({ ended }) => ended));
  process.send?.(seen);
});
process.once('disconnect', () => process.exit(0));
process.send?.({ type: 'ready' });
