import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Delta, EventPage } from '../../domain/run-events.ts';
import { type Beat, between, eventsIn, RUN } from './story.ts';

/** In bytes: about twenty connections for a run of the length of our stories. */
const LONGEST_CONNECTION = 4_000;

const message = (beat: Beat): string =>
  'event' in beat
    ? `id: ${beat.event.cursor}\nevent: ${beat.event.type}\ndata: ${JSON.stringify(beat.event)}\n\n`
    : `event: model.delta\ndata: ${JSON.stringify(beat.delta)}\n\n`;

const cursorOf = ({ url = '' }: IncomingMessage): number =>
  Number(new URL(url, 'http://localhost').searchParams.get('cursor') ?? 1);

/** What was written of the newest answer up to now, as one piece from its beginning. */
function textSoFar(told: Beat[]): Delta | null {
  const deltas = told.flatMap((beat) => ('delta' in beat ? [beat.delta] : []));
  const last = deltas.at(-1);
  if (!last) return null;
  const same = deltas.filter((delta) => delta.turn === last.turn && delta.try === last.try);
  return { ...last, offset: 0, text: same.map(({ text }) => text).join('') };
}

/**
 * Serves one run's event stream as the API does, and loses connections wherever it hurts: before the headers, between
 * two messages, in the middle of one and in the middle of a character. Now and then it also says what the client has
 * already, leaves an event out, or is not ready at all.
 */
export async function startUnreliableServer(story: Beat[], random: () => number) {
  const stats = { connections: 0, cuts: 0 };
  let head = 0;

  async function stream(request: IncomingMessage, response: ServerResponse): Promise<void> {
    stats.connections += 1;
    const whim = random();
    if (whim < 0.1) {
      stats.cuts += 1;
      response.destroy();
      return;
    }
    if (whim < 0.2) {
      response.writeHead(503, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'unavailable', message: 'Not yet.', details: {}, request_id: 'req_1' }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    // The run went on while nobody was connected.
    if (random() < 0.5) head = Math.min(story.length, head + between(random, 1, 25));
    const asked = cursorOf(request);
    const cursor = random() < 0.2 ? Math.max(1, asked - 3) : asked;
    const told = story.slice(0, head);
    const missed = told.filter((beat) => 'event' in beat && beat.event.cursor >= cursor);
    const text = textSoFar(told);
    if (missed.length > 2 && random() < 0.4) missed.splice(1, 1);
    let left = between(random, 1, LONGEST_CONNECTION);

    /** false: that was the end of this connection. */
    const send = async (beat: Beat): Promise<boolean> => {
      const bytes = Buffer.from(message(beat));
      const whole = bytes.length <= left;
      response.write(whole ? bytes : bytes.subarray(0, left));
      left -= bytes.length;
      // What was written reaches the client before the connection goes.
      await new Promise((resolve) => setImmediate(resolve));
      if (whole) return !response.destroyed;
      stats.cuts += 1;
      response.destroy();
      return false;
    };
    for (const beat of missed) if (!(await send(beat))) return;
    if (text && !(await send({ delta: text }))) return;
    for (let next = story[head]; next; next = story[head]) {
      head += 1;
      if (!(await send(next))) return;
    }
    response.end();
  }

  function page(request: IncomingMessage, response: ServerResponse): void {
    const events = eventsIn(story.slice(0, head)).filter(({ cursor }) => cursor >= cursorOf(request));
    const status = head === story.length ? 'completed' : 'running';
    const next_cursor = cursorOf(request) + events.length;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ run_id: RUN, status, next_cursor, events } satisfies EventPage));
  }

  const server = createServer((request, response) => {
    if (!request.url?.startsWith(`/api/v1/runs/${RUN}/events`)) response.writeHead(404).end();
    else if (request.headers.accept === 'text/event-stream') void stream(request, response);
    else page(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    stats,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
