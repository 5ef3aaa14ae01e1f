import type { Agent } from '../domain/agent.ts';
import { Failure } from '../domain/failures.ts';
import { type Caller, holds } from '../domain/identity.ts';
import { parseModel } from '../domain/model.ts';
import { demandPrices } from '../domain/model-choice.ts';
import { outputCheck } from '../domain/output-schema.ts';
import { boundOfCaller, within } from '../domain/rights.ts';
import type { Trigger } from '../domain/run.ts';
import { budgetFor } from '../domain/run-budget.ts';
import { agentOfDefinition, budgetOfPlan, demandFitting } from '../domain/run-definition.ts';
import type { BudgetBody } from '../domain/run-requests.ts';
import type { WorkflowDefinition } from '../domain/workflow-definition.ts';
import type { Notebook } from '../domain/workspace.ts';
import { delegatesOf } from './agent-upkeep.ts';
import { definitionFor } from './flow-targets.ts';
import type { Draft } from './new-run.ts';
import { findNotebook } from './notebooks.ts';
import { runToolsOf } from './run-tools.ts';

interface Wanted {
  input: unknown;
  budget?: BudgetBody | undefined;
  output_schema?: Record<string, unknown> | undefined;
  trigger_type: Trigger;
}

/** A run of an agent. All that can be refused is refused here, before anything is written. */
export async function draftAgentRun(
  caller: Caller,
  { agent, notebook }: { agent: Agent; notebook: Notebook | null },
  wanted: Wanted,
  id: string,
): Promise<Draft> {
  if (!agent.is_active)
    throw new Failure('agent_inactive', `The agent ${agent.name} is not active.`, { agent_id: agent.id });
  if (notebook && notebook.workspace_id !== agent.workspace_id) {
    throw new Failure('not_found', `The workspace of ${agent.name} has no notebook ${notebook.id}.`);
  }
  parseModel(agent.model);
  if (wanted.output_schema) outputCheck(wanted.output_schema);
  const budget = budgetFor(agent, wanted.budget, notebook?.kind);
  demandPrices(agent, budget);
  const bound = boundOfCaller(holds(caller, agent.workspace_id, 'write'));
  const acting = within(agent, bound);
  const [delegates, tools] = await Promise.all([delegatesOf(caller.org_id, agent), runToolsOf(caller.org_id, acting)]);
  return {
    id,
    agent: acting,
    bound,
    delegates,
    tools,
    notebook,
    trigger_type: wanted.trigger_type,
    trigger_source: `user: ${caller.name}`,
    input: wanted.input,
    output_schema: wanted.output_schema ?? null,
    budget,
    parent: null,
    line: [id],
  };
}

interface WantedOfWorkflow extends Omit<Wanted, 'output_schema'> {
  notebook_id?: string | undefined;
}

/** A run of a workflow, likewise. */
export async function draftDefinitionRun(
  caller: Caller,
  workflow: WorkflowDefinition,
  wanted: WantedOfWorkflow,
  id: string,
  /** Nobody has looked it over: its changes wait for a person. */
  asksFirst = false,
): Promise<Draft> {
  if (!workflow.is_active) {
    throw new Failure('workflow_inactive', `The workflow ${workflow.name} is not active.`, {
      workflow_id: workflow.id,
    });
  }
  demandFitting(workflow.name, workflow.input_schema, wanted.input);
  const notebook = wanted.notebook_id ? await findNotebook(caller, wanted.notebook_id) : null;
  if (notebook && notebook.workspace_id !== workflow.workspace_id) {
    throw new Failure('not_found', `The workspace of ${workflow.name} has no notebook ${notebook.id}.`);
  }
  const bound = boundOfCaller(holds(caller, workflow.workspace_id, 'write'));
  const agent = within(agentOfDefinition(workflow, new Date()), bound);
  return {
    id,
    agent,
    bound,
    delegates: [],
    ...(await definitionFor(caller.org_id, workflow, { agent, bound }, asksFirst)),
    notebook,
    trigger_type: wanted.trigger_type,
    trigger_source: `user: ${caller.name}`,
    input: wanted.input,
    output_schema: null,
    budget: budgetOfPlan(workflow, wanted.budget),
    parent: null,
    line: [id],
  };
}
