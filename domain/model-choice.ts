import type { Agent } from './agent.ts';
import type { Budget } from './budget.ts';
import {
  conflictedProposals,
  type EditRules,
  failedProposals,
  isToolBudgetUsedUp,
  schemaMisses,
} from './edits/job-rules.ts';
import type { Fact } from './facts.ts';
import { isFailureCode } from './failures.ts';
import { chooseModel, type ModelChoice, type ModePolicy, type ModeSituation, settledChoice } from './hybrid.ts';
import { demandPrice } from './prices.ts';
import { currentTurn, type RunState } from './run-state.ts';

type Modes = Pick<
  Agent,
  | 'agent_mode'
  | 'model'
  | 'local_model'
  | 'remote_model'
  | 'hybrid_max_local_attempts'
  | 'hybrid_remote_on_schema_fail'
  | 'hybrid_remote_on_context_overflow'
  | 'hybrid_remote_on_timeout_ms'
  | 'hybrid_fallback_forbidden'
>;

export const modePolicyOf = (agent: Modes): ModePolicy => ({
  mode: agent.agent_mode,
  model: agent.model,
  local_model: agent.local_model,
  remote_model: agent.remote_model,
  max_local_attempts: agent.hybrid_max_local_attempts,
  remote_on_schema_fail: agent.hybrid_remote_on_schema_fail,
  remote_on_context_overflow: agent.hybrid_remote_on_context_overflow,
  timeout_ms: agent.hybrid_remote_on_timeout_ms,
  fallback_forbidden: agent.hybrid_fallback_forbidden,
});

/** All models that an agent's calls may go to, the one it begins with first. */
export function modelsOf({ agent_mode, model, local_model, remote_model }: Modes): [string, ...string[]] {
  const [local, remote] = [local_model ?? model, remote_model ?? model];
  if (agent_mode === 'local') return [local];
  return agent_mode === 'remote' ? [remote] : [local, remote];
}

export function demandPrices(agent: Modes, { max_micros }: Pick<Budget, 'max_micros'>): void {
  if (max_micros !== null) modelsOf(agent).forEach(demandPrice);
}

const NO_JOB: EditRules = { max_tool_calls: null, max_schema_retries: 0 };

/** Until a run has gone to the remote model, all that happened to it happened with the local one. */
function situationOf(state: RunState, preface: readonly Fact[], edits: EditRules): ModeSituation {
  const failures = state.turns.flatMap((turn) => turn.failures);
  const told = (kind: Fact['kind']) => preface.filter((fact) => fact.kind === kind).length;
  const misses = state.rejections + told('output_rejected') + schemaMisses(state);
  const turn = currentTurn(state);
  const last = turn?.answered === false ? turn.failures.at(-1)?.error : undefined;
  return {
    failed_attempts: failures.length + misses,
    schema_failures: misses,
    timeouts: failures.filter(({ error }) => error.code === 'model_timeout').length,
    last_failure: last && isFailureCode(last.code) ? { code: last.code, retryable: last.retryable } : null,
    // Near its limit and still at it: the last call goes to the remote model.
    tool_budget_exhausted: told('budget_warned') > 0 || isToolBudgetUsedUp(state, edits),
    // A proposal that was refused: its hashes, its lines or its files were not what they were said to be.
    validation_failed: failedProposals(state) + conflictedProposals(state) > 0,
    chosen_before: state.selected,
  };
}

/** The model of the next call, and why it is this one. The preface goes to the log together with the call. */
export function nextModel(
  agent: Agent,
  state: RunState,
  preface: readonly Fact[],
  edits: EditRules = NO_JOB,
): ModelChoice {
  const policy = modePolicyOf(agent);
  // A long run is not looked through again for every call where nothing in it matters.
  return settledChoice(policy) ?? chooseModel(policy, situationOf(state, preface, edits));
}

/** A failed call is followed by one to another model, at once. */
export const switchesModel = (agent: Agent, state: RunState): boolean =>
  state.selected?.side === 'local' && nextModel(agent, state, []).side === 'remote';
