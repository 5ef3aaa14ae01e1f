import { type Agent, completeAgent } from '../../domain/agent.ts';
import { narrower, restOf } from '../../domain/budget.ts';
import { agentOnCopy, type Bound, boundBelow, within } from '../../domain/rights.ts';
import { budgetOfAgent } from '../../domain/run-budget.ts';
import { agentOfDefinition, budgetOfPlan } from '../../domain/run-definition.ts';
import type { CallState } from '../../domain/run-state.ts';
import type { WorkflowDefinition } from '../../domain/workflow-definition.ts';
import { delegatesOf, loadAgent } from '../../store/agent-upkeep.ts';
import { definitionFor } from '../../store/flow-targets.ts';
import { openAccount } from '../../store/ledger.ts';
import type { NewRun } from '../../store/new-run.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { runToolsOf } from '../../store/run-tools.ts';
import { insertChildRun, originalsOf } from '../../store/run-upkeep.ts';
import { loadWorkflow } from '../../store/workflow-source.ts';
import type { Segment } from '../segment.ts';

/** What the run above wants of one below it. */
export interface ChildWish {
  input: unknown;
  output_schema: Record<string, unknown> | null;
  /** The version of a workflow, as it was when the run above began. */
  version?: number;
}

type Child = NonNullable<CallState['child']>;
type Own = Pick<NewRun, 'agent' | 'delegates' | 'budget' | 'definition' | 'tools'>;

async function ofAgent({ run }: Segment, child: Child): Promise<Own | null> {
  const stored = await loadAgent(run.org_id, child.agent_id);
  if (!stored) return null;
  const copy = { of: await originalsOf(run.notebook_id), id: run.notebook_id ?? '' };
  const agent: Agent = agentOnCopy(completeAgent(stored), copy);
  // Those that its rights below this run do not cover are left out.
  const tools = await runToolsOf(run.org_id, within(agent, boundBelow(run.agent, run.bound)));
  return {
    agent,
    delegates: await delegatesOf(run.org_id, agent),
    tools,
    budget: budgetOfAgent(agent, run.notebook_kind),
  };
}

/** As which a workflow would run below this one. */
export function actingBelow(run: RunRecord, workflow: WorkflowDefinition): { agent: Agent; bound: Bound } {
  const bound = boundBelow(run.agent, run.bound);
  return { agent: within(agentOfDefinition(workflow, run.created_at), bound), bound };
}

async function ofWorkflow({ run }: Segment, child: Child, { version }: ChildWish): Promise<Own | null> {
  const stored = await loadWorkflow(run.org_id, child.agent_id, version);
  if (!stored) return null;
  // An agent anywhere above chose what goes into it.
  const asksFirst = run.definition === null || run.definition.asks_first;
  const { definition, tools } = await definitionFor(run.org_id, stored, actingBelow(run, stored), asksFirst);
  return {
    agent: agentOfDefinition(stored, run.created_at),
    delegates: [],
    budget: budgetOfPlan(stored),
    definition,
    tools,
  };
}

/** The run below, with what is left for it and what it may do at most. Safe to repeat. */
export async function makeChild(segment: Segment, child: Child, wish: ChildWish): Promise<void> {
  const { run, log, rules } = segment;
  const own = child.definition ? await ofWorkflow(segment, child, wish) : await ofAgent(segment, child);
  if (!own) return;
  const bound = boundBelow(run.agent, run.bound);
  const budget = narrower(own.budget, restOf(log.state, rules.budget));
  const isFlow = run.definition !== null;
  await openAccount(run.line[0] ?? run._id, child.child_run_id, budget);
  await insertChildRun(run, {
    ...own,
    id: child.child_run_id,
    agent: within(own.agent, bound),
    bound,
    budget,
    notebook: run.notebook_id && run.notebook_kind ? { id: run.notebook_id, kind: run.notebook_kind } : null,
    branch: run.branch,
    session: run.conversation_id ? { id: run.conversation_id, context_rows: [] } : null,
    trigger_type: isFlow ? 'workflow' : 'delegation',
    trigger_source: `${isFlow ? 'workflow' : 'agent'}: ${run.agent_name}`,
    input: wish.input,
    output_schema: wish.output_schema,
    parent: { run_id: run._id, relation: isFlow || child.definition ? 'workflow' : 'delegation', step: null },
    line: [...run.line, child.child_run_id],
  });
}
