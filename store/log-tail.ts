import mongoose from 'mongoose';
import type { Fact } from '../domain/facts.ts';
import type { Entry } from '../domain/log-entry.ts';
import { isUnreachable, nativeCollection } from './connection.ts';
import { type StoredEntry, toEntry } from './log-record.ts';

/** A place in the order of all appends, as the store gives it. */
export type LogToken = mongoose.mongo.ResumeToken;

export interface TailedEntry {
  run: string;
  entry: Entry;
}

type Insert = mongoose.mongo.ChangeStreamInsertDocument<StoredEntry>;

const tailed = async (stored: StoredEntry): Promise<TailedEntry> => ({
  run: stored._id.run,
  entry: await toEntry(stored),
});

/** The history behind the place is gone: what came since must be read from the log itself. */
export class HistoryLost extends Error {
  override readonly name = 'HistoryLost';
}

/**
 * All appends to all logs in their order, from a place on that outlasts the process. For one who must miss nothing and
 * is in no hurry; whoever wants to know at once what happens now watches (`store/log-watch.ts`).
 */
export class LogTail {
  private constructor(private readonly stream: mongoose.mongo.ChangeStream<StoredEntry, Insert>) {}

  static async from(token: LogToken | null, kinds: Fact['kind'][]): Promise<LogTail> {
    const wanted = [{ 'fullDocument.facts.kind': { $in: kinds } }, { 'fullDocument.blob': { $type: 'string' } }];
    const stream = nativeCollection<StoredEntry>('log').watch<StoredEntry, Insert>(
      [{ $match: { operationType: 'insert', $or: wanted } }],
      { ...(token ? { resumeAfter: token } : {}), maxAwaitTimeMS: 1_000, batchSize: 500 },
    );
    const tail = new LogTail(stream);
    try {
      // The stream begins when the server has it, not when it is asked for. What it gives now is in the log already,
      // which whoever has no place to go on from reads next.
      if (!token) await stream.tryNext();
      return tail;
    } catch (error) {
      await tail.close();
      throw error;
    }
  }

  /** Where to go on after everything that `next` has given. */
  get token(): LogToken {
    return this.stream.resumeToken;
  }

  /** What has come meanwhile, at most so much of it; an empty list after a second without anything. */
  async next(limit: number, patienceMs: number): Promise<TailedEntry[]> {
    const deadline = Date.now() + patienceMs;
    const found: StoredEntry[] = [];
    do {
      const change = await this.stream.tryNext().catch((error: unknown) => {
        if (error instanceof mongoose.mongo.MongoServerError && !isUnreachable(error)) {
          throw new HistoryLost('the place in the log is gone', { cause: error });
        }
        throw error;
      });
      if (change === null) break;
      found.push(change.fullDocument);
    } while (found.length < limit && Date.now() < deadline);
    return Promise.all(found.map(tailed));
  }

  close(): Promise<void> {
    return this.stream.close().catch(() => undefined);
  }
}

/** Every append since a time, in the order of runs: a scan of the log, for when there is no place to go on from. */
export async function* appendsSince(at: Date | null, size: number): AsyncGenerator<TailedEntry[]> {
  const found = nativeCollection<StoredEntry>('log')
    .find(at ? { at: { $gte: at } } : {})
    .sort({ _id: 1 })
    .batchSize(size);
  let batch: StoredEntry[] = [];
  for await (const stored of found) {
    batch.push(stored);
    if (batch.length < size) continue;
    yield await Promise.all(batch.map(tailed));
    batch = [];
  }
  yield await Promise.all(batch.map(tailed));
}
