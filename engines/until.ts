import { setTimeout as delay } from 'node:timers/promises';

export interface Wait {
  what: string;
  timeout_ms?: number;
  /** A reason to stop waiting before the time is up. */
  hopeless?: () => string | undefined;
}

/** Asks until there is an answer. An attempt that throws is one without an answer; the last reason is not lost. */
export async function until<T>(attempt: () => Promise<T | null>, wait: Wait): Promise<T> {
  const { what, timeout_ms = 60_000, hopeless } = wait;
  const deadline = Date.now() + timeout_ms;
  let last: unknown;
  for (;;) {
    try {
      const answer = await attempt();
      if (answer !== null) return answer;
    } catch (error) {
      last = error;
    }
    const reason = hopeless?.() ?? (Date.now() > deadline ? `not within ${timeout_ms / 1000} s` : undefined);
    if (reason !== undefined) {
      const cause = last instanceof Error ? ` (${last.message})` : '';
      throw new Error(`${what}: ${reason}${cause}`, { cause: last });
    }
    await delay(10);
  }
}
