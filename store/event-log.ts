import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { type Entry, type Fact, isOlder, type Token } from '../domain/facts.ts';
import { Failure } from '../domain/failures.ts';
import { fold } from '../domain/fold.ts';
import { emptyState, type RunState } from '../domain/run-state.ts';
import { eventCount, stepCount } from '../domain/trace.ts';
import { readBlob, writeBlob } from './blobs.ts';
import { isDuplicate, nativeCollection, outlast } from './connection.ts';

/**
 * The log of a run: step ledger, event log and fence in one. One document per append in the slot `{run, n}`; slots
 * are contiguous, so whoever wants to append must have read everything before, and of two who try, one finds the slot
 * taken and reads on. That alone makes cursors gapless and appends atomic, without transactions.
 */
export interface StoredEntry {
  _id: { run: string; n: number };
  workspace: string;
  /** Tells an append whose acknowledgement was lost from somebody else's in the same slot. */
  nonce: string;
  token: Token | null;
  at: Date;
  facts: Fact[];
  /** Facts too large for one document of the log lie in the blob store. */
  blob: string | null;
  first_step: number;
  first_cursor: number;
}

const MAX_INLINE_BYTES = 256 * 1024;

/** A worker may hold an answer that was paid for: it waits for the store to come back rather than lose it. */
const WORKER_PATIENCE_MS = 120_000;
/** A person gets an error soon, and tries again. */
const API_PATIENCE_MS = 5_000;

const schema = new mongoose.Schema<StoredEntry>(
  {
    _id: { run: String, n: Number },
    workspace: String,
    nonce: String,
    token: mongoose.Schema.Types.Mixed,
    at: Date,
    facts: mongoose.Schema.Types.Mixed,
    blob: String,
    first_step: Number,
    first_cursor: Number,
  },
  { collection: 'log', versionKey: false, minimize: false },
);
schema.index({ '_id.run': 1, first_cursor: 1 });
mongoose.model('LogEntry', schema);

export interface LogOwner {
  run_id: string;
  workspace_id: string;
}

/** A newer attempt has taken the run over: this one must stop and write nothing. */
export class StaleAttempt extends Error {
  override readonly name = 'StaleAttempt';
}

const collection = () => nativeCollection<StoredEntry>('log');

export async function toEntry(stored: StoredEntry): Promise<Entry> {
  const facts = stored.blob ? (JSON.parse(await readBlob(stored.blob)) as Fact[]) : stored.facts;
  return {
    n: stored._id.n,
    token: stored.token,
    at: stored.at.toISOString(),
    facts,
    first_step: stored.first_step,
    first_cursor: stored.first_cursor,
  };
}

const after = (run: string, n: number) => ({ _id: { $gt: { run, n }, $lt: { run, n: Number.MAX_SAFE_INTEGER } } });

async function readEntries(filter: mongoose.mongo.Filter<StoredEntry>, limit: number): Promise<Entry[]> {
  return Promise.all((await collection().find(filter).sort({ _id: 1 }).limit(limit).toArray()).map(toEntry));
}

const PAGE = 1_000;

/** Entries from slot `n + 1` on. */
export const entriesAfter = (run: string, n: number, limit = PAGE): Promise<Entry[]> =>
  readEntries(after(run, n), limit);

/**
 * The newest entries with a fact of one of these kinds, and those that do not show their kinds because they are large.
 * What a run took over lies in its first slot and is nobody's concern here.
 */
export async function entriesOfKinds(run: string, kinds: Fact['kind'][]): Promise<Entry[]> {
  const large = { blob: { $ne: null }, '_id.n': { $gt: 1 } };
  const newest = await collection()
    .find({ ...after(run, 0), $or: [{ 'facts.kind': { $in: kinds } }, large] })
    .sort({ _id: -1 })
    .limit(PAGE)
    .toArray();
  return Promise.all(newest.reverse().map(toEntry));
}

/** Entries from the one that holds `cursor` on. */
export async function entriesFromCursor(run: string, cursor: number, limit: number): Promise<Entry[]> {
  const [start] = await collection()
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
  const upTo = await collection()
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
  const [last] = await collection().find(after(run, 0)).sort({ _id: -1 }).limit(1).toArray();
  if (!last) return 1;
  return last.first_cursor + (await toEntry(last)).facts.reduce((sum, fact) => sum + eventCount(fact), 0);
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

/** One reader and writer of one run's log, with the state it tells. */
export class RunLog {
  state: RunState = emptyState();
  /** Folded into the state already, not in the store yet: they go with the next flush, in one append. */
  private staged: Fact[] = [];
  /** What every fact passes on its way in, so that nobody who tells one has to think of it. */
  private clean: (facts: Fact[]) => Fact[] = (facts) => facts;
  /** Nothing was read: taken to be empty, which the first append proves or refutes. */
  private unread = false;

  private constructor(
    readonly owner: LogOwner,
    private token: Token | null,
  ) {}

  static async open(owner: LogOwner, token: Token | null = null): Promise<RunLog> {
    const log = new RunLog(owner, token);
    await log.catchUp();
    return log;
  }

  /** Of a run nobody has carried yet: saves the read, and whoever was faster after all sends the attempt away. */
  static blank(owner: LogOwner, token: Token): RunLog {
    const log = new RunLog(owner, token);
    log.unread = true;
    return log;
  }

  cleanWith(clean: (facts: Fact[]) => Fact[]): void {
    this.clean = clean;
  }

  /** Goes on with a log read earlier in this process, under a new claim. */
  async reopen(token: Token): Promise<void> {
    this.token = token;
    await this.refresh();
  }

  /** Reads what others have appended meanwhile, and drops what was staged and never flushed. */
  async refresh(): Promise<void> {
    await (this.staged.length > 0 ? this.rebuild() : this.catchUp());
  }

  private async catchUp(): Promise<void> {
    let read: Entry[];
    do {
      read = await entriesAfter(this.owner.run_id, this.state.n);
      for (const entry of read) fold(this.state, entry);
    } while (read.length === PAGE);
    this.refuseIfStale();
  }

  private async rebuild(): Promise<void> {
    this.state = emptyState();
    this.staged = [];
    await this.catchUp();
  }

  private refuseIfStale(): void {
    const { token } = this.state;
    if (this.token && token && isOlder(this.token, token)) throw new StaleAttempt('a newer attempt has this run');
  }

  get hasStaged(): boolean {
    return this.staged.length > 0;
  }

  /** Takes part of the state at once, reaches the store with the next flush. Only for what this attempt alone may say. */
  stage(told: Fact[]): void {
    const facts = this.clean(told);
    const entry = this.draft(facts);
    fold(this.state, entry);
    this.state.n -= 1;
    this.staged.push(...facts);
  }

  private draft(facts: Fact[]): Entry {
    const at = new Date().toISOString();
    const { n, next_step: first_step, next_cursor: first_cursor } = this.state;
    return { n: n + 1, token: this.token, at, facts, first_step, first_cursor };
  }

  /** Appends what was staged. Nothing may follow from it before this resolves. */
  async flush(): Promise<void> {
    if (this.staged.length === 0) return;
    const facts = this.staged;
    const steps = facts.reduce((sum, fact) => sum + stepCount(fact), 0);
    const events = facts.reduce((sum, fact) => sum + eventCount(fact), 0);
    const entry: Entry = {
      n: this.state.n + 1,
      token: this.token,
      at: new Date().toISOString(),
      facts,
      first_step: this.state.next_step - steps,
      first_cursor: this.state.next_cursor - events,
    };
    if (await this.insert(entry)) {
      this.staged = [];
      this.unread = false;
      this.state.n = entry.n;
      if (entry.token) this.state.token = entry.token;
      return;
    }
    // What was decided was decided without knowing anything.
    if (this.unread) throw new StaleAttempt('the log was not empty');
    const missed = await entriesAfter(this.owner.run_id, this.state.n);
    await this.rebuild();
    if (this.state.ended) throw new StaleAttempt('the run has ended meanwhile');
    // An attempt that was given up told its last before our first: it may be the very step that we were about to take.
    if (missed.some(({ token }) => token !== null)) throw new StaleAttempt('the attempt before was not over');
    this.stage(facts);
    await this.flush();
  }

  /**
   * Appends what `decide` says to the state it is shown; asked again whenever somebody else was faster. Null or an
   * empty list appends nothing.
   */
  async append(decide: (state: RunState) => Fact[] | null): Promise<Entry | null> {
    for (;;) {
      await this.flush();
      if (this.state.ended) throw new Failure('run_ended', `The run ${this.owner.run_id} has ended.`);
      const facts = decide(this.state);
      if (!facts || facts.length === 0) return null;
      const entry = this.draft(this.clean(facts));
      if (await this.insert(entry)) {
        fold(this.state, entry);
        return entry;
      }
      await this.catchUp();
    }
  }

  /** False where the slot is taken. */
  private async insert(entry: Entry): Promise<boolean> {
    // Whoever was told once and tried again would know the free slot by now.
    this.refuseIfStale();
    const _id = { run: this.owner.run_id, n: entry.n };
    const nonce = randomUUID();
    const text = entry.facts.length > 0 ? JSON.stringify(entry.facts) : '[]';
    const blob = text.length > MAX_INLINE_BYTES ? await writeBlob(text) : null;
    const stored: StoredEntry = {
      _id,
      workspace: this.owner.workspace_id,
      nonce,
      token: entry.token,
      at: new Date(entry.at),
      facts: blob ? [] : entry.facts,
      blob,
      first_step: entry.first_step,
      first_cursor: entry.first_cursor,
    };
    const give = async (): Promise<boolean> => {
      try {
        await collection().insertOne(stored);
        return true;
      } catch (error) {
        // Ours where only the acknowledgement of an earlier try was lost: the slot itself tells.
        if (isDuplicate(error)) return this.isMine(_id, nonce);
        throw error;
      }
    };
    return outlast(give, this.token ? WORKER_PATIENCE_MS : API_PATIENCE_MS);
  }

  private async isMine(_id: { run: string; n: number }, nonce: string): Promise<boolean> {
    const stored = await collection().findOne({ _id }, { projection: { nonce: 1 } });
    return stored?.nonce === nonce;
  }
}
