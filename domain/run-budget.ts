import type { Agent } from './agent.ts';
import { type Budget, narrower } from './budget.ts';
import { microsOf } from './money.ts';
import type { BudgetBody } from './run-requests.ts';
import type { NotebookKind } from './workspace.ts';

/** How many model calls a run on a git notebook may make where its agent sets no limit of its own. */
const CHECKOUT_ITERATIONS = 24;

const ms = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1000);

/** In a checkout nobody is asked, so less is done before somebody looks. */
const iterationsOf = ({ max_iterations, max_iterations_set }: Agent, notebook: NotebookKind | null): number =>
  notebook === 'git' && !max_iterations_set ? CHECKOUT_ITERATIONS : max_iterations;

/** What an agent's definition allows one run of it. */
export const budgetOfAgent = (agent: Agent, notebook: NotebookKind | null = null): Budget => ({
  max_iterations: iterationsOf(agent, notebook),
  max_tokens: agent.max_token_budget,
  max_micros: microsOf(agent.max_cost_usd),
  max_active_ms: ms(agent.max_duration),
});

/** A caller may want less than the agent allows, never more. */
export const budgetFor = (agent: Agent, wanted: BudgetBody = {}, notebook: NotebookKind | null = null): Budget =>
  narrower(budgetOfAgent(agent, notebook), {
    max_iterations: wanted.max_iterations ?? agent.max_iterations,
    max_tokens: wanted.max_token_budget ?? agent.max_token_budget,
    max_micros: microsOf(wanted.max_cost_usd ?? null),
    max_active_ms: ms(wanted.max_duration ?? null),
  });
