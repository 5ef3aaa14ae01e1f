import type { Delta, EventPage, RunEvent, ToolOutput } from '../domain/run-events.ts';
import { isApiError } from './api-error.ts';
import { EventStreamReader, type StreamMessage } from './event-stream.ts';
import { type Http, isPassing } from './http.ts';
import { pause } from './pause.ts';
import { endOf, isEndStatus, type RunItem, TranscriptFilter } from './transcript-filter.ts';

export interface FollowOptions {
  /** The first event wanted; from the beginning where it is not given. */
  cursor?: number;
  signal?: AbortSignal;
  /** Told when the connection is lost, and when it is there again. */
  onConnection?: (state: 'lost' | 'live') => void;
}

/** The server sends a word every 15 s: after three that did not come, nobody is there any more. */
const SILENCE_MS = 45_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** The messages of one connection, until it ends in whatever way: all of them mean "come again". */
async function* messagesOf(
  http: Http,
  run: string,
  cursor: number,
  signal?: AbortSignal,
): AsyncGenerator<StreamMessage[]> {
  const givenUp = new AbortController();
  const cut = signal ? AbortSignal.any([signal, givenUp.signal]) : givenUp.signal;
  let watchdog = setTimeout(() => givenUp.abort(), SILENCE_MS);
  try {
    const headers = { Accept: 'text/event-stream' };
    const response = await http.fetch(`/runs/${encodeURIComponent(run)}/events`, { headers, signal: cut }, { cursor });
    if (!response.body) return;
    yield [];
    const bytes = response.body.getReader();
    const messages = new EventStreamReader();
    for (;;) {
      // Cut off in the middle is an end like any other: the next connection goes on from the cursor.
      const { value } = await bytes.read().catch(() => ({ value: undefined }));
      if (value === undefined) return;
      clearTimeout(watchdog);
      watchdog = setTimeout(() => givenUp.abort(), SILENCE_MS);
      yield messages.push(value);
    }
  } finally {
    clearTimeout(watchdog);
    givenUp.abort();
  }
}

function itemOf({ type, data }: StreamMessage, filter: TranscriptFilter): RunItem | null | 'gap' {
  if (type === 'model.delta') {
    const delta = filter.delta(JSON.parse(data) as Delta);
    return delta && { kind: 'delta', delta };
  }
  if (type === 'tool.output') {
    const output = filter.output(JSON.parse(data) as ToolOutput);
    return output && { kind: 'output', output };
  }
  const event = filter.event(JSON.parse(data) as RunEvent);
  return event === null || event === 'gap' ? event : { kind: 'event', event };
}

async function isOver(http: Http, run: string, cursor: number, signal?: AbortSignal): Promise<boolean> {
  const page = await http.get<EventPage>(`/runs/${encodeURIComponent(run)}/events`, { query: { cursor }, signal });
  return page.events.length === 0 && isEndStatus(page.status);
}

/**
 * Everything a run tells, from a cursor to its end: each event once and in order, the text of answers as it is
 * written. A lost connection is taken up again for as long as it takes; only what will not pass by itself (no such
 * run, a key that was revoked) is thrown.
 */
export async function* followRun(http: Http, run: string, options: FollowOptions = {}): AsyncGenerator<RunItem, void> {
  const { cursor = 1, signal, onConnection } = options;
  // A stream closes with the event that ends the run: after it there is nothing to wait for.
  if (cursor > 1 && (await isOver(http, run, cursor, signal))) return;
  const filter = new TranscriptFilter(cursor);
  let isLost = false;
  const tell = (lost: boolean) => {
    if (lost !== isLost) onConnection?.(lost ? 'lost' : 'live');
    isLost = lost;
  };
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    const since = Date.now();
    try {
      connection: for await (const messages of messagesOf(http, run, filter.next, signal)) {
        tell(false);
        for (const message of messages) {
          const item = itemOf(message, filter);
          if (item === 'gap') break connection;
          if (item === null) continue;
          wait = FIRST_PAUSE_MS;
          yield item;
          if (item.kind === 'event' && endOf(item.event)) return;
        }
      }
    } catch (error) {
      if (!isApiError(error) || !isPassing(error)) throw error;
    }
    if (signal?.aborted) return;
    tell(true);
    // One that held longer than it was waited for was a good one, though a quiet run had nothing to tell on it.
    if (Date.now() - since > wait) wait = FIRST_PAUSE_MS;
    await pause(wait, signal).catch(() => undefined);
    if (signal?.aborted) return;
  }
}
