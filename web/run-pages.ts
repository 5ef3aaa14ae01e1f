import type { Run } from '../domain/run.ts';
import type { Page } from './http.ts';

/**
 * A list of runs, newest first, loaded page by page, into which changes come live. Reading all pages again for every
 * change would cost a long list dear, so the first page is read anew and laid over what is there.
 */
export function layOver(pages: readonly Page<Run>[], fresh: Page<Run>): Page<Run>[] | null {
  const oldest = fresh.items.at(-1);
  if (oldest === undefined || fresh.next_cursor === null) return [fresh];
  const known = new Set(fresh.items.map((run) => run.id));
  const overlaps = pages.some((page) => page.items.some((run) => known.has(run.id)));
  if (!overlaps) return null;
  // What is newer than the fresh page's end and not in it has left the list; what is older still stands.
  const rest = pages.map((page) => ({
    ...page,
    items: page.items.filter((run) => !known.has(run.id) && run.created_at <= oldest.created_at),
  }));
  const left = rest.filter((page) => page.items.length > 0);
  if (left.length === 0) return [fresh];
  return [fresh, ...left];
}

/** Puts one run's new state where the run stands, or takes it out where it no longer fits the filter. */
export const replace = (pages: readonly Page<Run>[], run: Run, fits: boolean): Page<Run>[] =>
  pages.map((page) => ({
    ...page,
    items: page.items.flatMap((old) => (old.id === run.id ? (fits ? [run] : []) : [old])),
  }));
