import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { EditLimits } from '../domain/edits/limits.ts';
import { isFailure, runError } from '../domain/failures.ts';
import type { Token } from '../domain/log-entry.ts';
import type { SegmentInput, SegmentOutcome } from '../domain/segment.ts';
import { Snapshots } from '../files/snapshots.ts';
import { RunLog } from '../store/event-log.ts';
import { projectRun } from '../store/run-projection.ts';
import type { RunRecord } from '../store/run-record.ts';
import type { SecretKeys } from '../store/secrets.ts';
import { AgentSecrets } from './agent-secrets.ts';
import { CallerRoles } from './caller-roles.ts';
import { carryAgent } from './carry-agent.ts';
import { carryDefinition } from './carry-definition.ts';
import type { Checkouts } from './checkouts.ts';
import { openCheckout, sendOn, sendOrWait } from './executor-moves.ts';
import type { Interrupts } from './interrupts.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { losesAttempt } from './lost-attempt.ts';
import type { McpConnections } from './mcp/connections.ts';
import type { Embedder } from './models/embedder.ts';
import type { Providers } from './models/index.ts';
import type { RecordsAhead } from './records-ahead.ts';
import { type CachedRun, RunCache } from './run-cache.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { Setups } from './sandbox/setups.ts';
import { filesOf, rulesOf, type Segment, toolboxOf, toolContext } from './segment.ts';
import { Showing } from './showing.ts';
import { beginRun } from './steps/begin-run.ts';
import { forgetCall } from './steps/call-model.ts';
import type { ToolMakers } from './tools/brought.ts';

export interface ActivityDeps {
  providerFor: Providers;
  /** Where the installation has a model for it. */
  embedder?: Embedder | null;
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
  /** Lines to MCP servers. */
  mcp: McpConnections;
  /** How the tools that organizations bring are made; those of a source without a maker are not offered. */
  toolMakers?: ToolMakers;
  /** Runs commands of agents; without it they are refused. */
  sandbox?: Sandbox;
  /** Trees of files as they were, for forks. */
  snapshotsDir: string;
  /** Those of this executor; a worker that is none sends runs on git notebooks to one. */
  checkouts?: Checkouts;
  /** How long runs are kept after their end; for ever where it is not said. */
  keepRunsMs?: number | null;
  /** Of sessions that edit; the defaults where it is not said. */
  editLimits?: EditLimits;
  logger: Logger;
}

/** The record is written while the workflow starts; one that never comes was never promised to anybody. */
const SEGMENTS_WITHOUT_RECORD = 40;

export const secretsOf = ({ secrets, secretKeys }: Pick<ActivityDeps, 'secrets' | 'secretKeys'>, run: RunRecord) =>
  new AgentSecrets(
    secrets,
    secretKeys,
    {
      org_id: run.org_id,
      agent_id: run.agent.id,
      integrations: run.tools.flatMap(({ source }) => (source.kind === 'integration' ? source.integration_id : [])),
    },
    run.created_at,
  );

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
  const [begun, log] = await Promise.all([
    ahead.take(run_id),
    isFirst ? RunLog.blank(owner, token) : RunLog.open(owner, token),
  ]);
  if (!begun) return null;
  const { run, files, secrets } = begun;
  return cleaned({ run, log, files }, secrets);
}

/** Runs that draw on the same budget: those above it, and those it may have below it. */
const hasOthers = ({ line, delegates, tools, definition }: RunRecord): boolean =>
  line.length > 1 ||
  delegates.length > 0 ||
  definition !== null ||
  tools.some(({ source }) => source.kind === 'workflow');

function segmentOf(
  { cached, secrets }: OpenRun,
  deps: ActivityDeps,
  { snapshots, callers }: Pick<Segment, 'snapshots' | 'callers'>,
  signal: AbortSignal,
  show: () => void,
): Segment {
  const { run, log, files } = cached;
  const box = toolboxOf(run, deps.toolMakers ?? {});
  const tools = files?.then((opened) => toolContext(run, opened, signal, null, deps.editLimits)) ?? null;
  // Awaited by whoever needs them; a run may end without anybody having done so.
  tools?.catch(() => undefined);
  return {
    run,
    agent: run.agent,
    log,
    rules: rulesOf(run, box, deps.contextTokens, log.state.selected),
    toolbox: box,
    checkout: null,
    tools,
    providerFor: deps.providerFor,
    embedder: deps.embedder,
    callers,
    secrets,
    shares: hasOthers(run),
    snapshots,
    sandbox: deps.sandbox,
    setups: deps.sandbox && Setups.beside(deps.snapshotsDir),
    signal,
    idleMs: deps.modelIdleMs,
    rateWindowMs: deps.rateWindowMs,
    show,
    logger: deps.logger.child({ run_id: run._id, correlation_id: run._id }),
  };
}

/** What no step foresaw ends the run where people see it, instead of being tried for ever. */
async function settleFailures(
  cached: CachedRun,
  logger: Logger,
  work: () => Promise<SegmentOutcome>,
): Promise<SegmentOutcome> {
  try {
    return await work();
  } catch (error) {
    if (losesAttempt(error)) throw error;
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
  const callers = new CallerRoles();
  ahead.beginWith((run) => ({ run, secrets: secretsOf(deps, run), files: filesOf(run, snapshots) }));

  return async (input) => {
    const { run_id } = input;
    const info = activityInfo();
    const token: Token = { scheduled: info.scheduledTimestampMs, attempt: info.attempt };
    const controller = new AbortController();
    const forget = deps.interrupts.register(run_id, controller);
    const goneSignal = cancellationSignal();
    const onGone = () => controller.abort(goneSignal.reason);
    goneSignal.addEventListener('abort', onGone);
    // Soon enough for one that is late; a segment that is over before need not beat at all.
    const beat = setInterval(() => heartbeat(), deps.heartbeatMs / 2.5);
    const deadline = Date.now() + deps.segmentMs;
    try {
      // Nothing but its record is needed to find out, and its log may be long.
      const known = input.needs_executor && !deps.checkouts ? await ahead.take(run_id) : null;
      const goes = known && (await sendOn(known.run, input.lost));
      if (goes) return goes;
      const opened = await openRun(deps, cache, ahead, input, token);
      if (!opened) return input.segment < SEGMENTS_WITHOUT_RECORD ? { next: 'retry', after_ms: 50 } : { next: 'ended' };
      const { cached } = opened;
      const { log } = cached;
      if (log.state.cancel_requested) controller.abort(new Error('the run was cancelled'));
      const sent = deps.checkouts ? null : await sendOrWait(deps.logger, cached, input.lost);
      if (sent) return sent;
      const showing = new Showing(log, deps.logger);
      const outcome = await settleFailures(cached, deps.logger, async () => {
        const segment = segmentOf(opened, deps, { snapshots, callers }, controller.signal, () => showing.update());
        const stopAt = () => deps.draining() || Date.now() >= deadline;
        await beginRun(segment);
        if (deps.checkouts && !(await openCheckout(deps.checkouts, segment))) return { next: 'move' };
        const { definition } = cached.run;
        return definition ? carryDefinition(segment, definition, input, stopAt) : carryAgent(segment, stopAt);
      });
      await log.flush();
      forgetCall(run_id, log.state.turns.length);
      await showing.settled();
      await projectRun(log, {
        retry_at: outcome.next === 'retry' ? new Date(Date.now() + outcome.after_ms) : null,
        ...(input.history ? { history: input.history } : {}),
      });
      if (outcome.next !== 'ended') cache.put(cached);
      else if (deps.checkouts && cached.run.line.length <= 1) await deps.checkouts.release(cached.run);
      // The queue of an executor that goes is read by nobody: the next segment is somebody else's.
      return deps.checkouts && deps.draining() && outcome.next === 'continue' ? { next: 'move' } : outcome;
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
