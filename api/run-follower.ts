import type { Delta, RunEvent, ToolOutput } from '../domain/run-events.ts';
import { entryEvents } from '../domain/trace.ts';
import { lastDelta, textSoFar } from '../store/deltas.ts';
import { entriesFromCursor } from '../store/log-reading.ts';
import { outputsSoFar } from '../store/outputs.ts';
import type { LiveHub } from './live-hub.ts';

const PAGE = 500;

export interface FollowerSink {
  events: (events: RunEvent[]) => void | Promise<void>;
  delta?: (delta: Delta) => void;
  output?: (output: ToolOutput) => void;
  failed: (error: unknown) => void;
}

async function pageFrom(run: string, cursor: number): Promise<{ events: RunEvent[]; isLast: boolean }> {
  const entries = await entriesFromCursor(run, cursor, PAGE);
  const events = entries.flatMap(entryEvents).filter((event) => event.cursor >= cursor);
  return { events, isLast: entries.length < PAGE };
}

export const eventsFrom = async (run: string, cursor: number): Promise<RunEvent[]> =>
  (await pageFrom(run, cursor)).events;

/**
 * Gives one client the events of one run from a cursor on, each once and in order: what is stored first, then what the
 * change stream brings. Whatever does not join on makes it read from the store again.
 */
export class RunFollower {
  private work: Promise<void>;
  private readonly unfollow: () => void;
  private stopped = false;

  constructor(
    private readonly hub: LiveHub,
    private readonly run: string,
    private next: number,
    private readonly sink: FollowerSink,
  ) {
    this.unfollow = this.hub.follow(run, {
      entry: (entry) => this.queue(() => this.take(entryEvents(entry))),
      delta: (delta) => this.queue(async () => this.sink.delta?.(delta)),
      output: (output) => this.queue(async () => this.sink.output?.(output)),
      gap: () => this.queue(() => this.pull()),
    });
    // Follow first, read second: what comes in between is queued and dropped where it was read already.
    this.work = this.pull()
      .then(() => this.sendTextSoFar())
      .then(() => this.sendOutputsSoFar())
      .catch((error: unknown) => this.fail(error));
  }

  private queue(job: () => Promise<void>): void {
    this.work = this.work.then(() => (this.stopped ? undefined : job())).catch((error: unknown) => this.fail(error));
  }

  private fail(error: unknown): void {
    if (this.stopped) return;
    this.stop();
    this.sink.failed(error);
  }

  private async take(events: RunEvent[]): Promise<void> {
    const fresh = events.filter((event) => event.cursor >= this.next);
    const [first] = fresh;
    if (!first) return;
    if (first.cursor > this.next) return this.pull();
    await this.sink.events(fresh);
    this.next = first.cursor + fresh.length;
  }

  private async pull(): Promise<void> {
    for (;;) {
      const from = this.next;
      const { events, isLast } = await this.read(`events from ${from}`, () => pageFrom(this.run, from));
      if (this.stopped || events.length === 0) return;
      await this.sink.events(events);
      this.next += events.length;
      // What was appended meanwhile is told by the stream.
      if (isLast) return;
    }
  }

  /** Whoever follows the same run has part in it. */
  private read<T>(what: string, read: () => Promise<T>): Promise<T> {
    return this.hub.reads.read(`${this.run} ${what}`, read);
  }

  private async sendTextSoFar(): Promise<void> {
    if (!this.sink.delta) return;
    const delta = await this.read('text so far', async () => {
      const last = await lastDelta(this.run);
      return last && { ...last, offset: 0, text: await textSoFar(this.run, last.turn, last.try) };
    });
    if (!this.stopped && delta?.text) this.sink.delta(delta);
  }

  private async sendOutputsSoFar(): Promise<void> {
    if (!this.sink.output) return;
    const outputs = await this.read('outputs so far', () => outputsSoFar(this.run));
    for (const output of outputs) if (!this.stopped) this.sink.output(output);
  }

  stop(): void {
    this.stopped = true;
    this.unfollow();
  }
}
