import { compactableUpTo } from '../../domain/compaction.ts';
import type { Fact } from '../../domain/facts.ts';
import { Failure, isFailure, type RunError, runError } from '../../domain/failures.ts';
import type { ModelChoice } from '../../domain/hybrid.ts';
import { parseModel, type StepResult, type Usage } from '../../domain/model.ts';
import { nextModel } from '../../domain/model-choice.ts';
import type { SegmentOutcome } from '../../domain/segment.ts';
import type { OpenCredential } from '../../store/credential-upkeep.ts';
import { ownAccess } from '../agent-secrets.ts';
import { losesAttempt } from '../lost-attempt.ts';
import type { Segment } from '../segment.ts';
import { DeltaWriter } from './delta-writer.ts';
import { type CallMove, type Planned, planned, priceOf, settleInTree, waitForTurn } from './plan-call.ts';

/**
 * Calls of this process whose answers are not known to be in the log. An attempt that takes over from one in the same
 * process (its heartbeat was late, or the store refused it) joins the call instead of paying for another.
 */
const unstored = new Map<string, Promise<StepResult>>();
/** Of runs that went on elsewhere nobody ever says that theirs is stored. */
const MOST_UNSTORED = 500;

const keyOf = (run: string, turn: number): string => `${run}:${turn}`;

function keepCall(key: string, call: Promise<StepResult>): void {
  const [oldest] = unstored.keys();
  if (unstored.size >= MOST_UNSTORED && oldest !== undefined) unstored.delete(oldest);
  unstored.set(key, call);
  // What came to nothing is tried again by a call of its own.
  call.catch(() => unstored.delete(key));
}

/** The answer of this turn is in the log: whoever comes now reads it there. */
export const forgetCall = (run: string, turn: number): boolean => unstored.delete(keyOf(run, turn));

function describe(error: unknown): { error: RunError; retry_after_ms: number | null } {
  if (isFailure(error)) {
    const { retryable = false, retry_after_ms = null, ...details } = error.details;
    return {
      error: runError(error.code, error.message, retryable === true, details),
      retry_after_ms: typeof retry_after_ms === 'number' ? retry_after_ms : null,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { error: runError('provider_unavailable', message, true), retry_after_ms: null };
}

/** A choice that is not the one that was told last. */
function selection({ agent, log }: Segment, turn: number, choice: ModelChoice): Fact[] {
  const before = log.state.selected;
  const isTold = before?.model === choice.model && before.reason === choice.reason && before.trigger === choice.trigger;
  return isTold ? [] : [{ kind: 'provider_selected', turn, mode: agent.agent_mode, choice }];
}

/** The failure may be the end of the run: that another model would have been asked is told while there is time. */
function forbiddenChoice(segment: Segment, turn: number): Fact[] {
  const choice = nextModel(segment.agent, segment.log.state, [], segment.rules.edits);
  return choice.reason === 'fallback_forbidden' ? selection(segment, turn, choice) : [];
}

function sayStarted(segment: Segment, move: CallMove, { choice, plan, bytes }: Planned): void {
  const { turn } = move;
  const started: Fact = {
    kind: 'call_started',
    turn,
    try: move.try,
    model: choice.model,
    reserved: plan.reserve,
    bytes,
    ...(move.purpose ? { purpose: move.purpose } : {}),
  };
  segment.log.stage([...move.preface, ...selection(segment, turn, choice), started]);
}

/** A local model that is given up for a remote one after a while; nobody else is hurried. */
function withinTime(segment: Segment, choice: ModelChoice, call: (signal: AbortSignal) => Promise<StepResult>) {
  const { agent, signal } = segment;
  if (agent.agent_mode !== 'hybrid_auto' || choice.side !== 'local') return call(signal);
  const late = AbortSignal.timeout(agent.hybrid_remote_on_timeout_ms);
  return call(AbortSignal.any([signal, late])).catch((error: unknown) => {
    if (!late.aborted || signal.aborted) throw error;
    const seconds = agent.hybrid_remote_on_timeout_ms / 1000;
    throw new Failure('model_timeout', `The local model took longer than ${seconds} s.`, { retryable: true });
  });
}

function answeredBy(
  segment: Segment,
  move: CallMove,
  attempt: number,
  model: string,
  begun: number,
  answer: StepResult,
): Fact {
  const { input, output, cached, cache_write } = answer.raw_usage;
  const usage: Usage = { input, output, cached, ...(cache_write === undefined ? {} : { cache_write }) };
  return {
    kind: 'answered',
    turn: move.turn,
    try: attempt,
    model,
    text: answer.assistant_message,
    tool_calls: move.purpose === 'compact' ? [] : answer.tool_calls,
    usage,
    duration_ms: Date.now() - begun,
    cost_micros: priceOf(model, usage),
    ...(answer.stop_reason === 'error' ? { cut: true as const } : {}),
    ...(move.purpose === 'compact' ? { purpose: 'compact' as const, upto: compactableUpTo(segment.log.state) } : {}),
  };
}

/** Read while the call is planned and told to the log; that they could not be read is a failed try like any other. */
function credentialsFor({ secrets }: Segment): Promise<OpenCredential[]> {
  const credentials = secrets.forCall().catch((cause: unknown) => {
    const message = 'The credentials of the agent cannot be read at the moment.';
    throw new Failure('unavailable', message, { retryable: true }, { cause });
  });
  credentials.catch(() => undefined);
  return credentials;
}

/**
 * What the call will need, made while the log is being told of it. A provider that is not set up here fails the call
 * like any other: another model may take the next one.
 */
function prepare(segment: Segment, { choice, request }: Planned, credentials: Promise<OpenCredential[]>) {
  const prepared = credentials.then((opened) => {
    const ref = parseModel(choice.model);
    const provider = segment.providerFor(ref, ownAccess(opened, ref.provider));
    // What people and files have told is told on without secrets.
    return { provider, request: segment.secrets.scrubber.value(request) };
  });
  prepared.catch(() => undefined);
  return prepared;
}

/**
 * One model call: said to the log before it leaves, its answer said before anything follows from it. A call this
 * attempt aborts leaves no outcome behind: it may have been billed, and the log shows it as unconfirmed. Gives back an
 * outcome where the call has to wait.
 */
export async function callModel(segment: Segment, move: CallMove): Promise<SegmentOutcome | null> {
  const { log, run } = segment;
  const { turn } = move;
  const key = keyOf(run._id, turn);
  let call = unstored.get(key);
  const attempt = call ? Math.max(1, move.try - 1) : move.try;
  const begun = Date.now();
  const deltas = new DeltaWriter(run._id, turn, attempt, () => segment.secrets.scrubber.stream(), segment.logger);
  let model = log.state.turns[turn - 1]?.model ?? run.llm_model;
  if (!call) {
    const credentials = credentialsFor(segment);
    const waits = await waitForTurn(segment, move);
    if (waits) return waits;
    const ready = await planned(segment, move);
    if (!ready) return null;
    model = ready.choice.model;
    sayStarted(segment, move, ready);
    const prepared = prepare(segment, ready, credentials);
    await log.flush();
    forgetCall(run._id, turn - 1);
    const unusable = await segment.tools?.then(() => null, describe);
    if (unusable) {
      // Nothing has left: a run whose notebook is gone must not pay to find out.
      log.stage([{ kind: 'call_failed', turn, try: attempt, ...unusable }]);
      await log.flush();
      await settleInTree(segment, turn, attempt);
      return null;
    }
    // Somebody may have cancelled between the decision and the append: then nothing must leave.
    if (log.state.cancel_requested) return null;
    call = withinTime(segment, ready.choice, async (signal) => {
      const { provider, request } = await prepared;
      return provider.streamStep(request, {
        signal,
        idleMs: segment.idleMs,
        onDelta: (text) => move.purpose !== 'compact' && deltas.write(text),
      });
    });
    keepCall(key, call);
    // Only now: the call is what everybody waits for.
    segment.show();
  }
  try {
    log.stage([answeredBy(segment, move, attempt, model, begun, await call)]);
    if (segment.shares) await log.flush();
  } catch (error) {
    if (losesAttempt(error)) throw error;
    if (segment.signal.aborted) return null;
    log.stage([{ kind: 'call_failed', turn, try: attempt, ...describe(error) }]);
    log.stage(forbiddenChoice(segment, turn));
    await log.flush();
  } finally {
    await deltas.end();
  }
  await settleInTree(segment, turn, attempt);
  return null;
}
