import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AUDITED_FACTS, auditLines, callArguments } from '../domain/audit.ts';
import { addAuditLines, type NewAuditLine } from '../store/audit.ts';
import { type AuditPosition, claimPosition, keepPosition, leavePosition } from '../store/audit-position.ts';
import { argumentsBefore, auditedRuns, type KnownRun } from '../store/audited-runs.ts';
import { appendsSince, HistoryLost, LogTail, type TailedEntry } from '../store/log-tail.ts';

const LEASE_MS = 10_000;
/** While nothing happens. Also keeps the place young enough for the store to know it. */
const RENEW_MS = 3_000;
/** Nobody waits for a line: what comes within this time is written at once, which costs a fraction of one by one. */
const GATHER_MS = 400;
const DRAIN_MS = 100;
const BATCH = 1_000;
/** How far the clocks of those who append may be apart. */
const SKEW_MS = 600_000;
/** Runs under way whose names and open calls are remembered. */
const MOST_REMEMBERED = 2_000;
const MOST_CALLS = 500;

interface Remembered {
  known: KnownRun | null;
  asked: Map<string, string>;
}

/**
 * Writes into the audit log what the logs of runs tell. The log of a run is the truth and append-only itself; this
 * follows it at a distance, in one process of all, and goes on where the last one stopped. Whatever is read twice
 * gives the same lines under the same ids.
 */
export class AuditProjector {
  private readonly holder = randomUUID();
  private readonly stopping = new AbortController();
  private readonly remembered = new Map<string, Remembered>();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly logger: Logger) {}

  start(): void {
    this.running = this.loop();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private pause(ms: number): Promise<unknown> {
    return setTimeout(ms, null, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private async loop(): Promise<void> {
    while (!this.stopped) {
      try {
        const position = await claimPosition(this.holder, LEASE_MS);
        if (position) await this.follow(position);
        else await this.pause(LEASE_MS / 2);
      } catch (err) {
        this.logger.warn({ err }, 'the audit log fell behind and is taken up again');
        await this.pause(1_000);
      }
    }
    await leavePosition(this.holder).catch((err: unknown) =>
      this.logger.warn({ err }, 'the audit log is not handed on'),
    );
  }

  private async follow(position: AuditPosition): Promise<void> {
    const tail = await LogTail.from(position.token, AUDITED_FACTS);
    try {
      if (position.token === null) await this.catchUp(position.upto, tail);
      let kept = 0;
      while (!this.stopped) {
        const asOf = new Date();
        const entries = await tail.next(BATCH, DRAIN_MS);
        await this.write(entries);
        if (entries.length === 0 && asOf.getTime() - kept < RENEW_MS) continue;
        kept = asOf.getTime();
        const upto = entries.length < BATCH ? asOf : new Date(entries.at(-1)?.entry.at ?? asOf);
        if (!(await keepPosition(this.holder, { token: tail.token, upto }, LEASE_MS))) return;
        if (entries.length > 0 && entries.length < BATCH) await this.pause(GATHER_MS);
      }
    } catch (error) {
      if (!(error instanceof HistoryLost)) throw error;
      this.logger.warn({ err: error }, 'the audit log catches up from the logs of runs');
      await keepPosition(this.holder, { ...position, token: null }, LEASE_MS);
    } finally {
      await tail.close();
      // Somebody else may have gone on meanwhile: what is remembered of open calls would have holes.
      this.remembered.clear();
    }
  }

  private async catchUp(upto: Date | null, tail: LogTail): Promise<void> {
    const asOf = new Date();
    for await (const entries of appendsSince(upto && new Date(upto.getTime() - SKEW_MS), BATCH)) {
      await this.write(entries);
      if (this.stopped || !(await keepPosition(this.holder, { token: null, upto }, LEASE_MS))) return;
    }
    await keepPosition(this.holder, { token: tail.token, upto: asOf }, LEASE_MS);
  }

  private async write(entries: TailedEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const runs = await this.recall(entries);
    const lines: NewAuditLine[] = [];
    for (const { run, entry } of entries) {
      const { known, asked } = runs.get(run) ?? { known: null, asked: new Map() };
      for (const [key, value] of callArguments([entry])) asked.set(key, value);
      // Gone with its run, or a run that takes over from another and has no record yet, nor anything to tell.
      if (known === null) continue;
      const { org_id, about } = known;
      for (const line of auditLines(entry, about, asked)) lines.push({ org_id, caller_user_id: about.user_id, line });
      if (entry.facts.some(({ kind }) => kind === 'ended')) this.remembered.delete(run);
    }
    await addAuditLines(lines);
    this.forget(runs);
  }

  private async recall(entries: TailedEntry[]): Promise<Map<string, Remembered>> {
    const runs = new Map<string, Remembered>();
    for (const { run, entry } of entries) {
      if (runs.has(run)) continue;
      const remembered = this.remembered.get(run) ?? { known: null, asked: await argumentsBefore(run, entry.n) };
      this.remembered.set(run, remembered);
      runs.set(run, remembered);
    }
    const unknown = [...runs].flatMap(([run, { known }]) => (known ? [] : [run]));
    for (const [run, known] of await auditedRuns(unknown)) {
      const remembered = runs.get(run);
      if (remembered) remembered.known = known;
    }
    return runs;
  }

  private forget(runs: Map<string, Remembered>): void {
    for (const { asked } of runs.values()) {
      for (const key of [...asked.keys()].slice(0, Math.max(0, asked.size - MOST_CALLS))) asked.delete(key);
    }
    const tooMany = this.remembered.size - MOST_REMEMBERED;
    for (const run of [...this.remembered.keys()].slice(0, Math.max(0, tooMany))) this.remembered.delete(run);
  }
}
