/** How long an answer is taken for granted: what was revoked or changed elsewhere holds on for no longer. */
const KEEP_MS = 2_000;
/** From this age on it is looked up again after the request that used it, so that who comes often never waits. */
const RENEW_AT_MS = 500;
/** By then the request has left the store alone. */
const RENEW_AFTER_MS = 100;
const MOST = 10_000;

interface Kept<V> {
  value: Promise<V>;
  until: number;
  renew_at: number;
}

/** Look-ups that every request makes, remembered for a moment. What fails is not remembered. */
export class Remembering<V> {
  private readonly kept = new Map<string, Kept<V>>();

  /** `endOf` says when a value ends by itself, where that is sooner. */
  constructor(private readonly endOf: (value: V) => Date | null = () => null) {}

  get(key: string, look: () => Promise<V>): Promise<V> {
    const known = this.kept.get(key);
    const now = Date.now();
    if (!known || known.until <= now) return this.first(key, look);
    if (known.renew_at <= now) {
      known.renew_at = Number.POSITIVE_INFINITY;
      setTimeout(() => this.renew(key, known, look), RENEW_AFTER_MS).unref();
    }
    return known.value;
  }

  /** After a change made by this process: the next request looks again. */
  forget(): void {
    this.kept.clear();
  }

  private first(key: string, look: () => Promise<V>): Promise<V> {
    if (this.kept.size >= MOST) this.kept.clear();
    const entry = this.look(look);
    this.kept.set(key, entry);
    entry.value.catch(() => this.replace(key, entry, null));
    return entry.value;
  }

  private renew(key: string, known: Kept<V>, look: () => Promise<V>): void {
    if (this.kept.get(key) !== known) return;
    const fresh = this.look(look);
    fresh.value.then(
      () => this.replace(key, known, fresh),
      () => this.replace(key, known, null),
    );
  }

  private look(look: () => Promise<V>): Kept<V> {
    const now = Date.now();
    const entry = { value: look(), until: now + KEEP_MS, renew_at: now + RENEW_AT_MS };
    entry.value.then(
      (value) => {
        const end = this.endOf(value);
        if (end) entry.until = Math.min(entry.until, end.getTime());
      },
      () => undefined,
    );
    return entry;
  }

  /** Whatever was remembered or forgotten meanwhile is newer and stays. */
  private replace(key: string, known: Kept<V>, by: Kept<V> | null): void {
    if (this.kept.get(key) !== known) return;
    if (by) this.kept.set(key, by);
    else this.kept.delete(key);
  }
}
