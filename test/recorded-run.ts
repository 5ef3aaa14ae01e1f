import type { Agent } from '../domain/agent.ts';
import type { Budget } from '../domain/budget.ts';
import { boundOfCaller } from '../domain/rights.ts';
import type { NewRun } from '../store/new-run.ts';

type Draft = Omit<NewRun, 'org_id' | 'caller'>;

const budget = (more: Partial<Budget> = {}): Budget => ({
  max_iterations: 10,
  max_tokens: 100_000,
  max_micros: null,
  max_active_ms: null,
  ...more,
});

/** A run as its record begins, for whatever a test does not care about. */
export const draft = (id: string, agent: Agent, more: Partial<Draft> = {}): Draft => ({
  id,
  agent,
  bound: boundOfCaller(true),
  delegates: [],
  notebook: null,
  trigger_type: 'sdk',
  trigger_source: 'test',
  input: 'x',
  output_schema: null,
  budget: budget(),
  parent: null,
  line: [id],
  ...more,
});
