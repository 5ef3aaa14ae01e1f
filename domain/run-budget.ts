import type { Agent } from './agent.ts';
import { type Budget, narrower } from './budget.ts';
import { microsOf } from './money.ts';
import type { BudgetBody } from './run.ts';

const ms = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1000);

/** What an agent's definition allows one run of it. */
export const budgetOfAgent = (agent: Agent): Budget => ({
  max_iterations: agent.max_iterations,
  max_tokens: agent.max_token_budget,
  max_micros: microsOf(agent.max_cost_usd),
  max_active_ms: ms(agent.max_duration),
});

/** A caller may want less than the agent allows, never more. */
export const budgetFor = (agent: Agent, wanted: BudgetBody = {}): Budget =>
  narrower(budgetOfAgent(agent), {
    max_iterations: wanted.max_iterations ?? agent.max_iterations,
    max_tokens: wanted.max_token_budget ?? agent.max_token_budget,
    max_micros: microsOf(wanted.max_cost_usd ?? null),
    max_active_ms: ms(wanted.max_duration ?? null),
  });
