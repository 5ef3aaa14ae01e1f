import type { Delta, RunEvent } from '../domain/run-events.ts';
import { EventStreamReader } from '../sdk/event-stream.ts';
import { TranscriptFilter } from '../sdk/transcript-filter.ts';

/** What a client has after any number of connections, by the rules that are told to clients. */
export class Transcript {
  readonly events: RunEvent[] = [];
  /** Text of each answer as it came in pieces, by turn and try. */
  readonly texts = new Map<string, string>();
  private readonly filter = new TranscriptFilter(1);
  /** Of the connection that is open now: the server must begin where it was asked to, and go on without a gap. */
  private expected = 1;
  readonly wrong: string[] = [];

  get next(): number {
    return this.filter.next;
  }

  get hasEnded(): boolean {
    return this.events.some(({ type }) => ['run.completed', 'run.failed', 'run.cancelled'].includes(type));
  }

  connected(): void {
    this.expected = this.next;
  }

  take(event: RunEvent): void {
    if (event.cursor !== this.expected) this.wrong.push(`${event.cursor} came where ${this.expected} was due`);
    this.expected = event.cursor + 1;
    const fresh = this.filter.event(event);
    if (fresh === 'gap') this.wrong.push(`a gap before ${event.cursor}`);
    else if (fresh) this.events.push(fresh);
  }

  takeDelta(delta: Delta): void {
    const fresh = this.filter.delta(delta);
    if (!fresh) return;
    const key = `${fresh.turn}.${fresh.try}`;
    this.texts.set(key, (this.texts.get(key) ?? '') + fresh.text);
  }
}

export interface StreamOptions {
  url: string;
  token: string;
  run: string;
  headers?: Record<string, string>;
  query?: string;
}

export interface Received {
  type: string;
  data: string;
}

/** Opens the event stream of a run; `each` says whether to go on. Gives the status and why it ended. */
export async function readStream(
  { url, token, run, headers = {}, query = '' }: StreamOptions,
  each: (message: Received) => boolean,
): Promise<{ status: number; end: 'by the server' | 'by us' }> {
  const cut = new AbortController();
  const response = await fetch(`${url}/api/v1/runs/${run}/events${query}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers },
    signal: cut.signal,
  });
  const messages = new EventStreamReader();
  const bytes = response.body?.getReader();
  for (;;) {
    const { value } = (await bytes?.read()) ?? { value: undefined };
    if (value === undefined) return { status: response.status, end: 'by the server' };
    if (messages.push(value).every(each)) continue;
    cut.abort();
    return { status: response.status, end: 'by us' };
  }
}
