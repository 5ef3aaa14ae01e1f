import type { FailureCode } from './failures.ts';
import { isLocalModel } from './model.ts';

/** What the agent's maker decided about where its models run. */
export interface ModePolicy {
  mode: 'local' | 'remote' | 'hybrid_auto';
  model: string;
  local_model: string | null;
  remote_model: string | null;
  /** Calls of the local model that may come to nothing before the remote one is asked. */
  max_local_attempts: number;
  /** Answers that may miss the schema before the remote model is asked; 0 for any number of them. */
  remote_on_schema_fail: number;
  remote_on_context_overflow: boolean;
  /** How long a local call may take; null leaves slow calls to the ordinary time-out and its retries. */
  timeout_ms: number | null;
  fallback_forbidden: boolean;
}

/** How the run has fared so far, from its log. Counts are of calls to the local model only. */
export interface ModeSituation {
  /** Calls that came to nothing, whatever the reason: failed, timed out, or answered against the schema. */
  failed_attempts: number;
  schema_failures: number;
  timeouts: number;
  /** Of the newest call, where it failed. */
  last_failure: { code: FailureCode; retryable: boolean } | null;
  /** All tool calls of the job are used, and nothing usable came of them. */
  tool_budget_exhausted: boolean;
  /** A check on the result (of edits, of output) said no. */
  validation_failed: boolean;
  chosen_before: ModelChoice | null;
}

export type RemoteTrigger =
  | 'tool_budget_exhausted'
  | 'schema_failures'
  | 'context_overflow'
  | 'timeout'
  | 'validation_failed'
  | 'local_failed'
  | 'local_attempts_used_up';

/** As it stands in the trace. A fallback names its trigger; a forbidden one the trigger it would have followed. */
export interface ModelChoice {
  model: string;
  side: 'local' | 'remote';
  reason: 'mode_local' | 'mode_remote' | 'local_first' | 'fallback' | 'fallback_forbidden' | 'stays_remote';
  trigger: RemoteTrigger | null;
}

function triggerOf(policy: ModePolicy, situation: ModeSituation): RemoteTrigger | null {
  const failure = situation.last_failure;
  if (situation.tool_budget_exhausted) return 'tool_budget_exhausted';
  if (situation.validation_failed) return 'validation_failed';
  const misses = policy.remote_on_schema_fail;
  if (misses > 0 && situation.schema_failures >= misses) return 'schema_failures';
  if (failure?.code === 'context_overflow') return policy.remote_on_context_overflow ? 'context_overflow' : null;
  if (policy.timeout_ms !== null && situation.timeouts > 0) return 'timeout';
  if (failure && !failure.retryable) return 'local_failed';
  if (situation.failed_attempts >= policy.max_local_attempts) return 'local_attempts_used_up';
  return null;
}

/** Where the mode alone decides, however the run has fared. */
export function settledChoice({ mode, model, local_model, remote_model }: ModePolicy): ModelChoice | null {
  if (mode === 'local') return { model: local_model ?? model, side: 'local', reason: 'mode_local', trigger: null };
  if (mode === 'remote') return { model: remote_model ?? model, side: 'remote', reason: 'mode_remote', trigger: null };
  return null;
}

/**
 * Which model takes the next call. Once a run has gone to the remote model it stays there: going back would put
 * the same obstacle before the same model, and a conversation that changes hands at every turn explains nothing.
 */
export function chooseModel(policy: ModePolicy, situation: ModeSituation): ModelChoice {
  const settled = settledChoice(policy);
  if (settled) return settled;
  const local = policy.local_model ?? policy.model;
  const remote = policy.remote_model ?? policy.model;
  const before = situation.chosen_before;
  if (before?.side === 'remote') return { ...before, model: remote, reason: 'stays_remote' };
  const trigger = triggerOf(policy, situation);
  if (!trigger) return { model: local, side: 'local', reason: 'local_first', trigger };
  if (policy.fallback_forbidden) return { model: local, side: 'local', reason: 'fallback_forbidden', trigger };
  return { model: remote, side: 'remote', reason: 'fallback', trigger };
}

/** What is wrong with a policy, in words for its maker; null where it can be followed. */
export function modeProblem({ mode, model, local_model }: ModePolicy): string | null {
  if (mode === 'remote' || local_model !== null || isLocalModel(model)) return null;
  return `agent_mode ${mode} needs a local_model: ${model} does not run locally.`;
}
