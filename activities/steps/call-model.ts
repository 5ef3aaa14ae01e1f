import { conversation } from '../../domain/conversation.ts';
import type { Fact } from '../../domain/facts.ts';
import { isFailure, type RunError, runError } from '../../domain/failures.ts';
import type { StepResult } from '../../domain/model.ts';
import type { Move } from '../../domain/turn.ts';
import type { Segment } from '../segment.ts';
import { toolSchemas } from '../tools/index.ts';
import { DeltaWriter } from './delta-writer.ts';

/**
 * Calls under way in this process. An attempt that takes over from one in the same process (its heartbeat was late,
 * nothing died) joins the call that is still running instead of paying for another.
 */
const inFlight = new Map<string, Promise<StepResult>>();

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

function request(segment: Segment) {
  const { agent, run, log } = segment;
  return {
    model: segment.model,
    messages: conversation(agent, run.input, log.state),
    tools: toolSchemas(agent, segment.tools !== null),
    max_tokens: agent.max_tokens_per_request,
  };
}

/**
 * One model call: said to the log before it leaves, its answer said before anything follows from it. A call this
 * attempt aborts leaves no outcome behind: it may have been billed, and the log shows it as unconfirmed.
 */
export async function callModel(segment: Segment, move: Extract<Move, { do: 'call' }>): Promise<void> {
  const { log, run } = segment;
  const { turn } = move;
  const key = `${run._id}:${turn}`;
  let call = inFlight.get(key);
  const attempt = call ? Math.max(1, move.try - 1) : move.try;
  const begun = Date.now();
  const deltas = new DeltaWriter(run._id, turn, attempt, segment.logger);
  if (!call) {
    const started: Fact = { kind: 'call_started', turn, try: attempt, model: run.llm_model };
    log.stage(move.warning ? [move.warning, started] : [started]);
    await log.flush();
    segment.show();
    const unusable = await segment.tools?.then(() => null, describe);
    if (unusable) {
      // Nothing has left: a run whose notebook is gone must not pay to find out.
      log.stage([{ kind: 'call_failed', turn, try: attempt, ...unusable }]);
      return log.flush();
    }
    // Somebody may have cancelled between the decision and the append: then nothing must leave.
    if (log.state.cancel_requested) return;
    call = segment.provider.streamStep(request(segment), {
      signal: segment.signal,
      idleMs: segment.idleMs,
      onDelta: (text) => deltas.write(text),
    });
    inFlight.set(key, call);
    const forget = () => inFlight.delete(key);
    call.then(forget, forget);
  }
  try {
    const answer = await call;
    log.stage([
      {
        kind: 'answered',
        turn,
        try: attempt,
        model: run.llm_model,
        text: answer.assistant_message,
        tool_calls: answer.tool_calls,
        usage: { input: answer.raw_usage.input, output: answer.raw_usage.output, cached: answer.raw_usage.cached },
        duration_ms: Date.now() - begun,
        ...(answer.stop_reason === 'error' ? { cut: true as const } : {}),
      },
    ]);
  } catch (error) {
    if (segment.signal.aborted) return;
    log.stage([{ kind: 'call_failed', turn, try: attempt, ...describe(error) }]);
    await log.flush();
  } finally {
    await deltas.end();
  }
}
