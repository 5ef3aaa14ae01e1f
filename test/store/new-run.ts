import { newId } from '../../store/ids.ts';
import type { NewRun } from '../../store/new-run.ts';
import { agentWith, budgetOf } from '../domain/told.ts';
import { draft } from '../recorded-run.ts';

type Draft = Omit<NewRun, 'org_id' | 'caller'>;

/** A run as somebody starts it, with an input that is awkward to store. */
export const newRun = (workspace_id = 'ws_1', { id = newId('run'), ...more }: Partial<Draft> = {}): Draft =>
  draft(id, agentWith({ workspace_id }), {
    input: { deep: [1, null, { $odd: 'a.b' }] },
    budget: budgetOf({ max_iterations: 3, max_tokens: 100 }),
    ...more,
  });
