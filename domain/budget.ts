import type { Limit, Reserve, Spent } from './facts.ts';
import type { Run } from './run.ts';
import { NOTHING_SPENT, type RunState } from './run-state.ts';
import { activeMs, addSpent, spentInTree, unconfirmed, unconfirmedBefore } from './spending.ts';

/** What a run and all below it may use; null for no limit. */
export interface Budget {
  max_iterations: number;
  max_tokens: number;
  max_micros: number | null;
  max_active_ms: number | null;
}

/** Of a workflow where nothing is said: far more than anything uses, so that what the agents in it may use decides. */
export const UNBOUNDED: Budget = {
  max_iterations: 100_000,
  max_tokens: 1_000_000_000,
  max_micros: null,
  max_active_ms: null,
};

/** What somebody has set for a run, as its record shows it; null where that was nobody. */
export function limitsSet(
  run: Pick<Run, 'definition_id' | 'budget_max_iterations' | 'budget_max_tokens'>,
): Record<'iterations' | 'tokens', number | null> {
  const set = (value: number, unbounded: number) => (run.definition_id !== null && value >= unbounded ? null : value);
  return {
    iterations: set(run.budget_max_iterations, UNBOUNDED.max_iterations),
    tokens: set(run.budget_max_tokens, UNBOUNDED.max_tokens),
  };
}

export const WRAP_UP =
  'You are close to the limit of this run. Finish now: give your final answer in this turn and call no more tools.';

export type BudgetVerdict = { is: 'within' } | { is: 'warn' | 'exceeded'; limit: Limit };

/** Against the budget counts what a run took over from the one it goes on from. */
const counted = (state: RunState): Spent => addSpent(spentInTree(state), state.inherited?.spent ?? NOTHING_SPENT);

/** At 80 % one more call is allowed, with a word to wrap up; at 100 %, or after that call, it is over. */
export function budgetVerdict(state: RunState, budget: Budget, now: number): BudgetVerdict {
  const spent = counted(state);
  const limits: [Limit, number, number | null][] = [
    ['iterations', spent.iterations, budget.max_iterations],
    ['tokens', spent.tokens, budget.max_tokens],
    ['cost', spent.micros, budget.max_micros],
    ['duration', activeMs(state, now), budget.max_active_ms],
  ];
  for (const [limit, used, max] of limits) if (max !== null && used >= max) return { is: 'exceeded', limit };
  const near = limits.find(([, used, max]) => max !== null && used >= 0.8 * max);
  if (!near) return { is: 'within' };
  const warnedAnswer = state.warned_at_turn !== null && state.turns[state.warned_at_turn - 1]?.answered === true;
  if (warnedAnswer) return { is: 'exceeded', limit: near[0] };
  return state.warned_at_turn === null ? { is: 'warn', limit: near[0] } : { is: 'within' };
}

/** What a call needs at least to say anything of use. */
const LEAST_OUTPUT = 64;

export interface CallPlan {
  max_tokens: number;
  reserve: Reserve;
}

export interface CallSize {
  /** What the request counts at most. */
  input: number;
  /** What the agent allows one answer. */
  max_output: number;
  /** Millionths of a dollar for so many tokens in and out; 0 where nothing is charged. */
  price: (input: number, output: number) => number;
}

/**
 * The worst case of a call, cut to what is left: the answer may be as long as the budget can still pay for. Null with
 * the limit that stands in the way where not even a short answer can be paid.
 */
export function planCall(state: RunState, budget: Budget, size: CallSize): CallPlan | { denied: Limit } {
  const spent = counted(state);
  const lost = unconfirmedBefore(state);
  const tokensLeft = budget.max_tokens - spent.tokens - lost.tokens;
  const least = Math.min(LEAST_OUTPUT, size.max_output);
  let max_tokens = Math.min(size.max_output, tokensLeft - size.input);
  if (max_tokens < least) return { denied: 'tokens' };
  if (budget.max_micros !== null) {
    const microsLeft = budget.max_micros - spent.micros - lost.micros;
    if (size.price(size.input, least) > microsLeft) return { denied: 'cost' };
    while (size.price(size.input, max_tokens) > microsLeft) max_tokens = Math.max(least, Math.floor(max_tokens / 2));
  }
  const reserve = { tokens: size.input + max_tokens, micros: size.price(size.input, max_tokens) };
  return { max_tokens, reserve };
}

/** What a child may use at most of a parent's budget, as far as the parent can tell. */
export function restOf(state: RunState, budget: Budget): Budget {
  const spent = counted(state);
  const lost = unconfirmed(state);
  return {
    max_iterations: Math.max(0, budget.max_iterations - spent.iterations),
    max_tokens: Math.max(0, budget.max_tokens - spent.tokens - lost.tokens),
    max_micros: budget.max_micros === null ? null : Math.max(0, budget.max_micros - spent.micros - lost.micros),
    max_active_ms: budget.max_active_ms,
  };
}

const smaller = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

export const narrower = (a: Budget, b: Budget): Budget => ({
  max_iterations: Math.min(a.max_iterations, b.max_iterations),
  max_tokens: Math.min(a.max_tokens, b.max_tokens),
  max_micros: smaller(a.max_micros, b.max_micros),
  max_active_ms: smaller(a.max_active_ms, b.max_active_ms),
});
