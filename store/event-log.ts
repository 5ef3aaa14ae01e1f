import { randomUUID } from 'node:crypto';
import type { Fact } from '../domain/facts.ts';
import { Failure } from '../domain/failures.ts';
import { fold } from '../domain/fold.ts';
import { type Entry, isOlder, type Token } from '../domain/log-entry.ts';
import { emptyState, type RunState } from '../domain/run-state.ts';
import { eventCount, stepCount } from '../domain/trace.ts';
import { writeBlob } from './blobs.ts';
import { isDuplicate, outlast } from './connection.ts';
import { GatheredInserts } from './gathered-inserts.ts';
import { entriesAfter, PAGE } from './log-reading.ts';
import { logCollection, type StoredEntry } from './log-record.ts';

const MAX_INLINE_BYTES = 256 * 1024;

/** A worker may hold an answer that was paid for: it waits for the store to come back rather than lose it. */
const WORKER_PATIENCE_MS = 120_000;
/** A person gets an error soon, and tries again. */
const API_PATIENCE_MS = 5_000;

export interface LogOwner {
  run_id: string;
  workspace_id: string;
}

/** A newer attempt has taken the run over: this one must stop and write nothing. */
export class StaleAttempt extends Error {
  override readonly name = 'StaleAttempt';
}

/** Runs that are carried on side by side in one process share their appends' way to the store. */
const appends = new GatheredInserts<StoredEntry>('log', 2);

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
        await appends.insert(stored);
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
    const stored = await logCollection().findOne({ _id }, { projection: { nonce: 1 } });
    return stored?.nonce === nonce;
  }
}
