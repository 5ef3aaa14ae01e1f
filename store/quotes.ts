import type { Caller } from '../domain/identity.ts';
import type { PastRun } from '../domain/quote.ts';
import { type RunRecord, runCollection } from './run-record.ts';
import { visibleWorkspaces } from './tenancy.ts';

/** Enough for a ninth of ten, and few enough that old habits are forgotten. */
const NEWEST = 500;

/**
 * What past runs used, each with all below it. All that ended count, however they did: the next one may end the same
 * way. Runs below others do not, nor do those that went on from where another was: they are no whole runs.
 */
export async function pastRuns(
  caller: Caller,
  { models, ...like }: { models: string[]; agent_id?: string },
): Promise<PastRun[]> {
  const found = await runCollection()
    .find({
      ...visibleWorkspaces(caller),
      ...like,
      llm_model: { $in: models },
      status: { $in: ['completed', 'failed', 'cancelled', 'budget_exceeded'] },
      relation: null,
      'tree.tokens': { $exists: true },
    })
    .sort({ created_at: -1 })
    .limit(NEWEST)
    .project<Pick<RunRecord, 'tree' | 'cost_usd'>>({ tree: 1, cost_usd: 1 })
    .toArray();
  return found.map(({ tree, cost_usd }) => ({
    tokens: tree.tokens,
    usd: cost_usd === null ? null : tree.cost_usd,
  }));
}
