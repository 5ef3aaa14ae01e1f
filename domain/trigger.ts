import { z } from 'zod';
import { ExpressionProblem } from './expression.ts';
import { type Mention, mentionsOf, mentionsOfCondition } from './mapping.ts';
import type { BudgetBody } from './run-requests.ts';

/** What schedules and subscriptions have in common: what they start, with what, and how much it may use. */
export const tierSchema = z.enum(['simple', 'standard', 'complex', 'batch']);
export type Tier = z.infer<typeof tierSchema>;

/** Never more than the agent or the workflow allows itself; `batch` is just that. */
export const TIERS: Record<Tier, BudgetBody> = {
  simple: { max_iterations: 10, max_token_budget: 25_000, max_duration: 300 },
  standard: { max_iterations: 100, max_token_budget: 500_000, max_duration: 3_600 },
  complex: { max_iterations: 500, max_token_budget: 5_000_000, max_duration: 21_600 },
  batch: {},
};

const id = z.string().min(1).max(100);

/** Without defaults, so that a change is what was said and nothing else. */
export const targetFields = {
  agent_id: id.nullable(),
  workflow_id: id.nullable(),
  notebook_id: id.nullable(),
  tier: tierSchema,
  scopes: z.array(z.string().min(1).max(100)).max(100),
};

export interface Target {
  agent_id: string | null;
  workflow_id: string | null;
}

/** A field and what is wrong with it. */
export type Problem = [field: string, message: string];

/** What a mapping or a condition says of names that will be there when it is used; null where all is well. */
function namesProblem(read: () => Mention[], names: readonly string[]): string | null {
  try {
    const unknown = read().find(({ root }) => !names.includes(root));
    return unknown ? `there is no ${unknown.root} here; there are ${names.join(', ')}` : null;
  } catch (error) {
    if (error instanceof ExpressionProblem) return error.message;
    throw error;
  }
}

export const mappingProblem = (mapping: unknown, names: readonly string[]): string | null =>
  namesProblem(() => mentionsOf(mapping), names);

export const conditionProblem = (condition: string, names: readonly string[]): string | null =>
  namesProblem(() => mentionsOfCondition(condition), names);

/** Why the last attempt to start something came to nothing. */
export const refusalSchema = z.object({ code: z.string(), message: z.string(), at: z.iso.datetime() });
export type Refusal = z.infer<typeof refusalSchema>;
