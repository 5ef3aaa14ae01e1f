import type { Delta, RunEvent } from '../domain/run.ts';
import { entryEvents } from '../domain/trace.ts';
import { lastDelta, textSoFar } from '../store/deltas.ts';
import { entriesFromCursor } from '../store/event-log.ts';
import type { LiveHub } from './live-hub.ts';

const PAGE = 500;

export interface FollowerSink {
  events: (events: RunEvent[]) => void | Promise<void>;
  delta?: (delta: Delta) => void;
  failed: (error: unknown) => void;
}

export async function eventsFrom(run: string, cursor: number, limit = PAGE): Promise<RunEvent[]> {
  const entries = await entriesFromCursor(run, cursor, limit);
  return entries.flatMap(entryEvents).filter((event) => event.cursor >= cursor);
}

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
      gap: () => this.queue(() => this.pull()),
    });
    // Follow first, read second: what comes in between is queued and dropped where it was read already.
    this.work = this.pull()
      .then(() => this.sendTextSoFar())
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
      const events = await eventsFrom(this.run, this.next);
      if (this.stopped || events.length === 0) return;
      await this.sink.events(events);
      this.next += events.length;
    }
  }

  private async sendTextSoFar(): Promise<void> {
    if (!this.sink.delta) return;
    const last = await lastDelta(this.run);
    if (!last) return;
    const text = await textSoFar(this.run, last.turn, last.try);
    if (!this.stopped && text) this.sink.delta({ ...last, offset: 0, text });
  }

  stop(): void {
    this.stopped = true;
    this.unfollow();
  }
}
