import type { Fact } from '../../domain/facts.ts';
import { type FailureCode, isFailure, type RunError, runError } from '../../domain/failures.ts';
import { providerOf } from '../../domain/model.ts';
import type { CallState } from '../../domain/run-state.ts';
import { storageProblem } from '../../domain/storable.ts';
import { domainCall, type ErrorEnvelope } from '../../domain/tool-domains.ts';
import { losesAttempt } from '../lost-attempt.ts';
import type { Segment } from '../segment.ts';

export type Finished = Extract<Fact, { kind: 'tool_finished' }>;

export function told(error: unknown): RunError {
  if (isFailure(error)) return runError(error.code, error.message, false, error.details);
  // What the file system says names places of the host, which are none of the model's business.
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    return runError('tool_failed', `The file system refused it (${error.code}).`);
  }
  return runError('tool_failed', error instanceof Error ? error.message : String(error));
}

/** By scope, by a person, or because the agent has no such tool. */
const REFUSED = new Set<FailureCode>(['scope_violation', 'denied', 'unknown_tool']);

/** The call as it was allowed, or is to be: a person may have changed its arguments. */
export const allowed = (call: CallState) => ({
  ...call.call,
  arguments: call.decision?.arguments ?? call.revised?.arguments ?? call.call.arguments,
});

/** Where it goes, as it was allowed. */
export const targetOf = (call: CallState): string | null => {
  const meant = allowed(call);
  const { path, file_path, prefix, from, source } = domainCall(meant)?.args ?? meant.arguments;
  const target = path ?? file_path ?? prefix ?? from ?? source;
  return typeof target === 'string' ? target.slice(0, 1000) : null;
};

/** Names a call of a run for as long as there are traces of it outside of the log. */
export const keyOf = ({ run }: Segment, turn: number, call: CallState): string =>
  `${run._id}-${turn}-${call.call.tool_call_id.replace(/[^\w-]/g, '_').slice(0, 60)}`;

type CallIds = Pick<ErrorEnvelope, 'request_id' | 'correlation_id'>;

const idsOf = (segment: Segment, turn: number, call: CallState): CallIds => ({
  request_id: keyOf(segment, turn, call),
  correlation_id: segment.run._id,
});

/** One line a call, by which it is found again from what the run shows, and the other way round. */
function tell(segment: Segment, turn: number, call: CallState, ids: CallIds, done: Finished): void {
  const model = segment.log.state.turns[turn - 1]?.model || segment.agent.model;
  segment.logger.info(
    {
      provider: providerOf(model),
      tool: done.domain?.tool_name ?? call.call.name,
      operation: done.domain?.operation ?? null,
      call_id: call.call.tool_call_id,
      ...ids,
      cycle: turn,
      ok: done.ok,
      duration_ms: done.duration_ms,
      ...(done.error ? { code: done.error.code } : {}),
    },
    'tool call',
  );
}

/** Other systems answer what they like; what the log cannot hold as it is, it holds as text. */
const storable = (result: unknown): unknown => (storageProblem(result) === null ? result : JSON.stringify(result));

/** Does a call and says what came of it: whatever it fails with is its result. */
export async function finish(
  segment: Segment,
  turn: number,
  call: CallState,
  work: () => Promise<unknown>,
): Promise<Finished> {
  const done = await outcome(segment, turn, call, work);
  tell(segment, turn, call, idsOf(segment, turn, call), done);
  return done;
}

async function outcome(
  segment: Segment,
  turn: number,
  call: CallState,
  work: () => Promise<unknown>,
): Promise<Finished> {
  const begun = Date.now();
  const { tool_call_id: call_id, name } = call.call;
  const { call_id: _, args: __, ...domain } = domainCall(allowed(call)) ?? { call_id, args: null };
  const done = {
    kind: 'tool_finished',
    turn,
    call_id,
    name,
    target: targetOf(call),
    ...('domain' in domain ? { domain } : {}),
  } as const;
  const times = () => ({ started_at: new Date(begun).toISOString(), duration_ms: Date.now() - begun });
  try {
    return { ...done, ok: true, result: storable((await work()) ?? null), error: null, was_allowed: true, ...times() };
  } catch (error) {
    if (losesAttempt(error)) throw error;
    const failure = { ...told(error), ...idsOf(segment, turn, call) };
    const was_allowed = !REFUSED.has(failure.code);
    return { ...done, ok: false, result: null, error: failure, was_allowed, ...times() };
  }
}

/** A call that cannot be made at all: its failure is its result. */
export const failCall = (segment: Segment, turn: number, call: CallState, error: unknown): Promise<Finished> =>
  finish(segment, turn, call, () => Promise.reject(error));
