import { z } from 'zod';
import type { Step } from '../domain/run-events.ts';
import { entrySteps } from '../domain/trace.ts';
import { entriesAfter } from '../store/log-reading.ts';

/** Some entries of a log have several steps, and many have none: a place is an entry, and how many steps of the next were given. */
export const stepCursor = z.string().regex(/^\d{1,15}(\.\d{1,9})?$/, 'the next_cursor of a page is expected');

const BATCH = 200;

/** At most so many steps. There is a next page exactly where there is a next step. */
export async function stepsAfter(
  run: string,
  cursor: string,
  limit: number,
): Promise<{ items: Step[]; next_cursor: string | null }> {
  let [at = 0, given = 0] = cursor.split('.').map(Number);
  const items: Step[] = [];
  for (;;) {
    const entries = await entriesAfter(run, at, BATCH);
    for (const entry of entries) {
      const steps = entrySteps(entry).slice(given);
      const room = limit - items.length;
      items.push(...steps.slice(0, room));
      if (steps.length > room) return { items, next_cursor: `${at}.${given + room}` };
      [at, given] = [entry.n, 0];
    }
    if (entries.length < BATCH) return { items, next_cursor: null };
  }
}
