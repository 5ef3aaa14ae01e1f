import { iterationsUsed, type RunState } from './run-state.ts';

export interface Budget {
  max_iterations: number;
  max_tokens: number;
}

export const WRAP_UP =
  'You are close to the limit of this run. Finish now: give your final answer in this turn and call no more tools.';

export type BudgetVerdict = { is: 'within' } | { is: 'warn' | 'exceeded'; limit: 'iterations' | 'tokens' };

/** At 80 % one more call is allowed, with a word to wrap up; at 100 %, or after that call, it is over. */
export function budgetVerdict(state: RunState, budget: Budget): BudgetVerdict {
  const used = { iterations: iterationsUsed(state), tokens: state.usage.input + state.usage.output };
  const limits = [
    ['iterations', used.iterations, budget.max_iterations],
    ['tokens', used.tokens, budget.max_tokens],
  ] as const;
  for (const [limit, spent, max] of limits) if (spent >= max) return { is: 'exceeded', limit };
  const near = limits.find(([, spent, max]) => spent >= 0.8 * max);
  if (!near) return { is: 'within' };
  const warnedAnswer = state.warned_at_turn !== null && state.turns[state.warned_at_turn - 1]?.answered === true;
  if (warnedAnswer) return { is: 'exceeded', limit: near[0] };
  return state.warned_at_turn === null ? { is: 'warn', limit: near[0] } : { is: 'within' };
}
