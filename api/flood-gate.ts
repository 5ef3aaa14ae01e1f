import { Failure } from '../domain/failures.ts';

/** More keys than this are not told apart: whoever counts on that is counted with all others. */
const MOST_KEYS = 10_000;

interface Window {
  since: number;
  count: number;
}

/** Counts what comes in a minute by a key, in this process: what comes in floods must cost next to nothing. */
export class FloodGate {
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly most: number,
    private readonly windowMs = 60_000,
  ) {}

  /** Refuses where as many as may come have come; asking counts nothing. */
  demandRoom(key: string, said: string, now = Date.now()): void {
    const window = this.windowOf(key, now);
    if (window === undefined || window.count < this.most) return;
    const retry_after_s = Math.max(1, Math.ceil((window.since + this.windowMs - now) / 1000));
    throw new Failure('too_many_requests', said, { retry_after_s });
  }

  count(key: string, now = Date.now()): void {
    const window = this.windowOf(key, now);
    if (window) window.count += 1;
    else this.windows.set(this.nameOf(key, now), { since: now, count: 1 });
  }

  private windowOf(key: string, now: number): Window | undefined {
    const window = this.windows.get(key) ?? (this.windows.size >= MOST_KEYS ? this.windows.get('') : undefined);
    return window && now - window.since < this.windowMs ? window : undefined;
  }

  private nameOf(key: string, now: number): string {
    if (this.windows.size >= MOST_KEYS) this.forget(now);
    return this.windows.has(key) || this.windows.size < MOST_KEYS ? key : '';
  }

  private forget(now: number): void {
    for (const [key, { since }] of this.windows) if (now - since >= this.windowMs) this.windows.delete(key);
  }
}
