import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Logger } from 'pino';
import { restOf } from '../domain/budget.ts';
import type { Token } from '../domain/facts.ts';
import { isFailure, runError } from '../domain/failures.ts';
import type { SegmentInput, SegmentOutcome } from '../domain/segment.ts';
import { nextMove } from '../domain/turn.ts';
import { Snapshots } from '../files/snapshots.ts';
import { RunLog } from '../store/event-log.ts';
import { openAccount } from '../store/ledger.ts';
import { projectRun } from '../store/run-projection.ts';
import type { RunRecord } from '../store/run-record.ts';
import type { SecretKeys } from '../store/secrets.ts';
import { AgentSecrets } from './agent-secrets.ts';
import type { Interrupts } from './interrupts.ts';
import type { KnownSecrets } from './known-secrets.ts';
import type { Providers } from './models/index.ts';
import type { RecordsAhead } from './records-ahead.ts';
import { type CachedRun, RunCache } from './run-cache.ts';
import { filesOf, rulesOf, type Segment, toolContext } from './segment.ts';
import { Showing } from './showing.ts';
import { askPeople } from './steps/ask-people.ts';
import { bubbleUp } from './steps/bubble-up.ts';
import { callModel, forgetCall } from './steps/call-model.ts';
import { collectChildren, delegate, stopChildren } from './steps/delegate.ts';
import { giveContext } from './steps/give-context.ts';
import { settleLastTurn } from './steps/plan-call.ts';
import { runTools } from './steps/run-tools.ts';

export interface ActivityDeps {
  providerFor: Providers;
  secrets: KnownSecrets;
  /** They open the credentials of agents. */
  secretKeys: SecretKeys;
  interrupts: Interrupts;
  /** True once this worker has been asked to go: segments return at their next step. */
  draining: () => boolean;
  segmentMs: number;
  heartbeatMs: number;
  modelIdleMs: number;
  /** Tokens a conversation may have before its older part is summed up; null for what the model takes. */
  contextTokens: number | null;
  /** The hour that an agent's requests are counted in. */
  rateWindowMs: number;
  /** Trees of files as they were, for forks. */
  snapshotsDir: string;
  /** How long runs are kept after their end; for ever where it is not said. */
  keepRunsMs?: number | null;
  logger: Logger;
}

/** The record is written while the workflow starts; one that never comes was never promised to anybody. */
const SEGMENTS_WITHOUT_RECORD = 40;

export const secretsOf = ({ secrets, secretKeys }: Pick<ActivityDeps, 'secrets' | 'secretKeys'>, run: RunRecord) =>
  new AgentSecrets(secrets, secretKeys, { org_id: run.org_id, agent_id: run.agent.id });

/** Whatever is told from here on is told without them. */
function cleaned(cached: CachedRun, secrets: AgentSecrets): OpenRun {
  cached.log.cleanWith((facts) => secrets.scrubber.value(facts));
  return { cached, secrets };
}

interface OpenRun {
  cached: CachedRun;
  secrets: AgentSecrets;
}

async function openRun(
  deps: ActivityDeps,
  cache: RunCache,
  ahead: RecordsAhead,
  snapshots: Snapshots,
  { run_id, workspace_id, segment }: SegmentInput,
  token: Token,
): Promise<OpenRun | null> {
  const cached = cache.take(run_id);
  if (cached) {
    const secrets = secretsOf(deps, cached.run);
    await cached.log.reopen(token);
    return cleaned(cached, secrets);
  }
  const owner = { run_id, workspace_id };
  const isFirst = segment === 1 && token.attempt === 1;
  const [run, log] = await Promise.all([
    ahead.take(run_id),
    isFirst ? RunLog.blank(owner, token) : RunLog.open(owner, token),
  ]);
  if (!run) return null;
  const secrets = secretsOf(deps, run);
  return cleaned({ run, log, files: filesOf(run, snapshots) }, secrets);
}

function segmentOf(
  { cached, secrets }: OpenRun,
  deps: ActivityDeps,
  snapshots: Snapshots,
  signal: AbortSignal,
  show: () => void,
): Segment {
  const { run, log, files } = cached;
  const tools = files?.then((opened) => toolContext(run, opened, signal)) ?? null;
  // Awaited by whoever needs them; a run may end without anybody having done so.
  tools?.catch(() => undefined);
  return {
    run,
    agent: run.agent,
    log,
    rules: rulesOf(run, deps.contextTokens),
    tools,
    providerFor: deps.providerFor,
    secrets,
    shares: run.line.length > 1 || run.delegates.length > 0,
    snapshots,
    signal,
    idleMs: deps.modelIdleMs,
    rateWindowMs: deps.rateWindowMs,
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

/** Takes steps until something must be decided elsewhere, or its time is up. */
async function carry(segment: Segment, stopAt: () => boolean): Promise<SegmentOutcome> {
  const { log } = segment;
  if (log.state.started_at === null && !log.state.ended) {
    const { run } = segment;
    // The account of a tree is there before anybody draws on it.
    if (segment.shares && run.line.length === 1) {
      await openAccount(run._id, run._id, restOf(log.state, segment.rules.budget));
    }
    log.stage([
      {
        kind: 'queued',
        at: run.created_at.toISOString(),
        ...(run.conversation_id ? { conversation_id: run.conversation_id } : {}),
      },
      { kind: 'started', model: run.llm_model },
    ]);
  }
  // The first call waits for them beside its append; before it nothing is told that could hold a secret but pinned rows.
  if (log.state.turns.length > 0 || segment.run.context_rows.length > 0) await segment.secrets.ready();
  await giveContext(segment);
  await settleLastTurn(segment);
  await collectChildren(segment);
  await bubbleUp(segment);
  for (;;) {
    const move = nextMove(log.state, segment.rules, Date.now());
    switch (move.do) {
      case 'nothing':
        return { next: 'ended' };
      case 'end':
        await end(segment);
        continue;
      case 'wait':
        await log.flush();
        await bubbleUp(segment);
        return { next: 'wait', ids: move.ids, ...(move.children.length > 0 ? { children: move.children } : {}) };
      case 'stop_children':
        await log.flush();
        await stopChildren(segment, move.children);
        return { next: 'wait', ids: [], children: move.children, cancelled: true };
      case 'retry':
        return { next: 'retry', after_ms: move.after_ms };
      case 'call': {
        const waits = await callModel(segment, move);
        if (waits) return waits;
        break;
      }
      case 'delegate':
        await delegate(segment, move.turn, move.calls);
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

export function createAdvance(
  deps: ActivityDeps,
  ahead: RecordsAhead,
): (input: SegmentInput) => Promise<SegmentOutcome> {
  const cache = new RunCache();
  const snapshots = new Snapshots(deps.snapshotsDir);

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
      const opened = await openRun(deps, cache, ahead, snapshots, input, token);
      if (!opened) return input.segment < SEGMENTS_WITHOUT_RECORD ? { next: 'retry', after_ms: 50 } : { next: 'ended' };
      const { cached } = opened;
      const { log } = cached;
      if (log.state.cancel_requested) controller.abort(new Error('the run was cancelled'));
      const showing = new Showing(log, deps.logger);
      const outcome = await settleFailures(cached, deps.logger, async () => {
        const segment = segmentOf(opened, deps, snapshots, controller.signal, () => showing.update());
        return carry(segment, () => deps.draining() || Date.now() >= deadline);
      });
      await log.flush();
      forgetCall(run_id, log.state.turns.length);
      await showing.settled();
      await projectRun(log, {
        retry_at: outcome.next === 'retry' ? new Date(Date.now() + outcome.after_ms) : null,
        ...(input.history ? { history: input.history } : {}),
      });
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
