import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { Token } from '../domain/facts.ts';
import { isFailure, runError } from '../domain/failures.ts';
import { type ModelRef, parseModel } from '../domain/model.ts';
import type { SegmentInput, SegmentOutcome } from '../domain/segment.ts';
import { nextMove } from '../domain/turn.ts';
import { RunLog } from '../store/event-log.ts';
import { projectRun } from '../store/run-projection.ts';
import { loadRun } from '../store/run-upkeep.ts';
import type { Interrupts } from './interrupts.ts';
import type { ModelProvider } from './models/contract.ts';
import { type CachedRun, RunCache } from './run-cache.ts';
import { filesOf, rulesOf, type Segment, toolContext } from './segment.ts';
import { askPeople } from './steps/ask-people.ts';
import { callModel } from './steps/call-model.ts';
import { runTools } from './steps/run-tools.ts';

export interface ActivityDeps {
  providerFor: (ref: ModelRef) => ModelProvider;
  interrupts: Interrupts;
  /** True once this worker has been asked to go: segments return at their next step. */
  draining: () => boolean;
  segmentMs: number;
  heartbeatMs: number;
  modelIdleMs: number;
  logger: Logger;
}

const SHOW_EVERY_MS = 1_000;
/** The record is written while the workflow starts; one that never comes was never promised to anybody. */
const SEGMENTS_WITHOUT_RECORD = 40;

async function openRun(
  cache: RunCache,
  { run_id, workspace_id }: SegmentInput,
  token: Token,
): Promise<CachedRun | null> {
  const cached = cache.take(run_id);
  if (cached) {
    await cached.log.reopen(token);
    return cached;
  }
  const [run, log] = await Promise.all([loadRun(run_id), RunLog.open({ run_id, workspace_id }, token)]);
  if (!run) return null;
  return { run, log, files: filesOf(run) };
}

function segmentOf(cached: CachedRun, deps: ActivityDeps, signal: AbortSignal, show: () => void): Segment {
  const { run, log, files } = cached;
  const ref = parseModel(run.llm_model);
  const tools = files?.then((opened) => toolContext(run, opened, signal)) ?? null;
  // Awaited by whoever needs them; a run may end without anybody having done so.
  tools?.catch(() => undefined);
  return {
    run,
    agent: run.agent,
    log,
    rules: rulesOf(run),
    tools,
    provider: deps.providerFor(ref),
    model: ref.model,
    signal,
    idleMs: deps.modelIdleMs,
    show,
    logger: deps.logger.child({ run_id: run._id, correlation_id: run._id }),
  };
}

async function end(segment: Segment): Promise<void> {
  await segment.log.append((state) => {
    // Asked again if somebody was faster: a message that came in last is not to be lost.
    const move = nextMove(state, segment.rules, Date.now());
    return move.do === 'end' ? [{ kind: 'ended', status: move.status, output: move.output, error: move.error }] : null;
  });
}

/** A record that shows a run at work, without holding the run up for it. */
class Showing {
  private last = 0;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: RunLog,
    private readonly logger: Logger,
  ) {}

  update(): void {
    if (Date.now() - this.last < SHOW_EVERY_MS) return;
    this.last = Date.now();
    this.writing = projectRun(this.log, null).catch((err: unknown) =>
      this.logger.warn({ err }, 'a run was not shown at work'),
    );
  }

  settled(): Promise<void> {
    return this.writing;
  }
}

/** Takes steps until something must be decided elsewhere, or its time is up. */
async function carry(segment: Segment, stopAt: () => boolean): Promise<SegmentOutcome> {
  const { log } = segment;
  if (log.state.started_at === null && !log.state.ended) {
    log.stage([
      { kind: 'queued', at: segment.run.created_at.toISOString() },
      { kind: 'started', model: segment.run.llm_model },
    ]);
  }
  for (;;) {
    const move = nextMove(log.state, segment.rules, Date.now());
    switch (move.do) {
      case 'nothing':
        return { next: 'ended' };
      case 'end':
        await end(segment);
        continue;
      case 'wait':
        return { next: 'wait', ids: move.ids };
      case 'retry':
        return { next: 'retry', after_ms: move.after_ms };
      case 'call':
        await callModel(segment, move);
        break;
      case 'tools':
        await runTools(segment, move.turn, move.calls);
        break;
      case 'ask':
        await askPeople(segment, move.turn, move.calls);
        break;
    }
    if (segment.signal.aborted) {
      await log.flush();
      await log.refresh();
      if (!log.state.cancel_requested) return { next: 'continue' };
    }
    if (stopAt()) return { next: 'continue' };
  }
}

const isOfStore = (error: unknown): boolean => error instanceof Error && error.name.startsWith('Mongo');

/** What no step foresaw ends the run where people see it, instead of being tried for ever; a lost store is not that. */
async function settleFailures(
  cached: CachedRun,
  logger: Logger,
  work: () => Promise<SegmentOutcome>,
): Promise<SegmentOutcome> {
  try {
    return await work();
  } catch (error) {
    if (isOfStore(error) || (error instanceof Error && error.name === 'StaleAttempt')) throw error;
    logger.error({ err: error, run_id: cached.run._id }, 'a run failed');
    const message = error instanceof Error ? error.message : String(error);
    const failure = isFailure(error)
      ? runError(error.code, error.message, true, error.details)
      : runError('internal', message, true);
    await cached.log.refresh();
    await cached.log.append((state) =>
      state.ended ? null : [{ kind: 'ended', status: 'failed', output: null, error: failure }],
    );
    return { next: 'ended' };
  }
}

export function createAdvance(deps: ActivityDeps): (input: SegmentInput) => Promise<SegmentOutcome> {
  const cache = new RunCache();

  return async (input) => {
    const { run_id } = input;
    const info = activityInfo();
    const token: Token = { scheduled: info.scheduledTimestampMs, attempt: info.attempt };
    const controller = new AbortController();
    const forget = deps.interrupts.register(run_id, controller);
    const goneSignal = cancellationSignal();
    const onGone = () => controller.abort(goneSignal.reason);
    goneSignal.addEventListener('abort', onGone);
    const beat = setInterval(() => heartbeat(), deps.heartbeatMs / 5);
    const deadline = Date.now() + deps.segmentMs;
    try {
      const cached = await openRun(cache, input, token);
      if (!cached) return input.segment < SEGMENTS_WITHOUT_RECORD ? { next: 'retry', after_ms: 50 } : { next: 'ended' };
      const { log } = cached;
      if (log.state.cancel_requested) controller.abort(new Error('the run was cancelled'));
      const showing = new Showing(log, deps.logger);
      const outcome = await settleFailures(cached, deps.logger, async () => {
        const segment = segmentOf(cached, deps, controller.signal, () => showing.update());
        return carry(segment, () => deps.draining() || Date.now() >= deadline);
      });
      await log.flush();
      await showing.settled();
      await projectRun(log, outcome.next === 'retry' ? new Date(Date.now() + outcome.after_ms) : null);
      if (outcome.next !== 'ended') cache.put(cached);
      return outcome;
    } catch (error) {
      if (error instanceof Error && error.name === 'StaleAttempt') return { next: 'continue' };
      throw error;
    } finally {
      clearInterval(beat);
      goneSignal.removeEventListener('abort', onGone);
      forget();
    }
  };
}
