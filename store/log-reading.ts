import type mongoose from 'mongoose';
import type { Fact } from '../domain/facts.ts';
import type { Entry } from '../domain/log-entry.ts';
import { eventCount } from '../domain/trace.ts';
import { logCollection, type StoredEntry, toEntry } from './log-record.ts';

const after = (run: string, n: number) => ({ _id: { $gt: { run, n }, $lt: { run, n: Number.MAX_SAFE_INTEGER } } });

async function readEntries(filter: mongoose.mongo.Filter<StoredEntry>, limit: number): Promise<Entry[]> {
  return Promise.all((await logCollection().find(filter).sort({ _id: 1 }).limit(limit).toArray()).map(toEntry));
}

/** What one read of a log gives at most. */
export const PAGE = 1_000;

/** Entries from slot `n + 1` on. */
export const entriesAfter = (run: string, n: number, limit = PAGE): Promise<Entry[]> =>
  readEntries(after(run, n), limit);

/**
 * The newest entries with a fact of one of these kinds, and those that do not show their kinds because they are large.
 * What a run took over lies in its first slot and is nobody's concern here.
 */
export async function entriesOfKinds(run: string, kinds: Fact['kind'][]): Promise<Entry[]> {
  const large = { blob: { $ne: null }, '_id.n': { $gt: 1 } };
  const newest = await logCollection()
    .find({ ...after(run, 0), $or: [{ 'facts.kind': { $in: kinds } }, large] })
    .sort({ _id: -1 })
    .limit(PAGE)
    .toArray();
  return Promise.all(newest.reverse().map(toEntry));
}

/** Entries from the one that holds `cursor` on. */
export async function entriesFromCursor(run: string, cursor: number, limit: number): Promise<Entry[]> {
  if (cursor <= 1) return readEntries({ '_id.run': run, first_cursor: { $gte: 1 } }, limit);
  const [start] = await logCollection()
    .find({ '_id.run': run, first_cursor: { $lte: cursor } })
    .sort({ first_cursor: -1 })
    .limit(1)
    .project<{ first_cursor: number }>({ first_cursor: 1 })
    .toArray();
  // Appends without an event share a first_cursor with the next one that has events: take them all.
  return readEntries({ '_id.run': run, first_cursor: { $gte: start?.first_cursor ?? 1 } }, limit);
}

/** The entry that holds a step, with so many before and after it; of a step that is not there yet, the last ones. */
export async function entriesAroundStep(run: string, step: number, before: number, behind: number): Promise<Entry[]> {
  const upTo = await logCollection()
    .find({ ...after(run, 0), first_step: { $lte: step } })
    .sort({ _id: -1 })
    .limit(before + 1)
    .toArray();
  const [last] = upTo;
  const rest = last && behind > 0 ? await entriesAfter(run, last._id.n, behind) : [];
  return [...(await Promise.all(upTo.reverse().map(toEntry))), ...rest];
}

/** The cursor of the next event a run will tell. */
export async function nextCursorOf(run: string): Promise<number> {
  const [last] = await logCollection().find(after(run, 0)).sort({ _id: -1 }).limit(1).toArray();
  if (!last) return 1;
  return last.first_cursor + (await toEntry(last)).facts.reduce((sum, fact) => sum + eventCount(fact), 0);
}

/** Whether the last that a log tells is the end of its run. */
export async function isSealed(run: string): Promise<boolean> {
  const projection = { 'facts.kind': 1, blob: 1 };
  const last = await logCollection().findOne(after(run, 0), { sort: { _id: -1 }, projection });
  if (!last) return false;
  const [large] = last.blob ? await entriesAfter(run, last._id.n - 1, 1) : [];
  return (large ?? last).facts.some(({ kind }) => kind === 'ended');
}

/** The whole log of a run. */
export async function allEntries(run: string): Promise<Entry[]> {
  const all: Entry[] = [];
  for (;;) {
    const page = await entriesAfter(run, all.length);
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
