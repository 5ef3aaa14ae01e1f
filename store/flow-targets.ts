import type { Agent } from '../domain/agent.ts';
import { Failure } from '../domain/failures.ts';
import { type Bound, isPassed } from '../domain/rights.ts';
import type { FlowTarget, RunDefinition } from '../domain/run-definition.ts';
import type { RunTool } from '../domain/run-tool.ts';
import { allSteps } from '../domain/step-lists.ts';
import { isSystemTool } from '../domain/system-tools.ts';
import type { FlowStep, WorkflowDefinition } from '../domain/workflow-definition.ts';
import { agentCollection } from './agent-record.ts';
import { loadDefinition } from './definition-upkeep.ts';
import { runToolsOf } from './run-tools.ts';
import { loadWorkflow, loadWorkflowNamed } from './workflow-source.ts';

/** Of our own tools those that make no sense without a model: they ask for it, or read what it was told. */
const FOR_MODELS = new Set(['clarify_user', 'read_result', 'propose_edits', 'execute_workflow']);

interface Around {
  org_id: string;
  definition: WorkflowDefinition;
  acting: Acting;
}

/** As which it runs, and within what: what its rights do not cover is not there for it. */
interface Acting {
  agent: Agent;
  bound: Bound;
}

const gone = (step: FlowStep, name: string): Failure =>
  new Failure('not_found', `Step ${step.id}: there is no ${step.type} ${name}.`, { step: step.id });

/** Those everybody in the workspace may use, and those of who made the workflow. */
async function agentTarget({ org_id, definition }: Around, step: FlowStep, name: string): Promise<FlowTarget> {
  const { workspace_id, created_by } = definition;
  const found = await agentCollection()
    .find({
      org_id,
      workspace_id,
      deleted_at: null,
      $and: [
        { $or: [{ _id: name }, { slug: name }, { name }] },
        { $or: [{ visibility: 'workspace' }, { is_builtin: true }, { created_by }] },
      ],
    })
    .limit(20)
    .toArray();
  const agent = found.find(({ _id, slug }) => [_id, slug].includes(name)) ?? found[0];
  if (!agent) throw gone(step, name);
  if (!agent.is_active) {
    throw new Failure('agent_inactive', `Step ${step.id}: the agent ${agent.name} is not active.`, { step: step.id });
  }
  return { kind: 'agent', id: agent._id, name: agent.name };
}

async function workflowTarget({ org_id, definition }: Around, step: FlowStep, name: string): Promise<FlowTarget> {
  const found = (await loadWorkflow(org_id, name)) ?? (await loadWorkflowNamed(org_id, definition.workspace_id, name));
  if (!found || found.workspace_id !== definition.workspace_id) throw gone(step, name);
  if (!found.is_active) {
    const said = `Step ${step.id}: the workflow ${found.name} is not active.`;
    throw new Failure('workflow_inactive', said, { step: step.id });
  }
  return { kind: 'workflow', id: found.id, version: found.version, name: found.name };
}

interface FoundTool {
  target: FlowTarget;
  /** Where its organization brings it. */
  tool: RunTool | null;
}

/** One of our own, or one of the workspace's with whatever is behind it. */
async function toolNamed(around: Around, step: FlowStep, name: string): Promise<FoundTool> {
  const { org_id, definition, acting } = around;
  if (FOR_MODELS.has(name)) {
    throw new Failure('invalid_request', `Step ${step.id}: ${name} is for agents only.`, { step: step.id });
  }
  if (isSystemTool(name)) return { target: { kind: 'tool', name }, tool: null };
  const stored = await loadDefinition({ org_id, workspace_id: definition.workspace_id }, 'tool', name);
  if (stored?.is_builtin) return toolNamed(around, step, stored.name);
  const isThere = stored !== null && isPassed(acting.bound, stored.name);
  const [tool] = isThere ? await runToolsOf(org_id, { ...acting.agent, tools: [stored.name] }) : [];
  if (!tool) throw gone(step, name);
  if (tool.source.kind !== 'workflow') return { target: { kind: 'tool', name: tool.name }, tool };
  const { workflow_id: id, version } = tool.source;
  return { target: { kind: 'workflow', id, version, name: tool.name }, tool };
}

/**
 * What the steps of a workflow refer to, found once when a run of it begins: whatever is gone or off is refused before
 * anything runs, and what is changed later does not reach the run.
 */
export async function definitionFor(
  org_id: string,
  definition: WorkflowDefinition,
  acting: Acting,
  asks_first: boolean,
): Promise<{ definition: RunDefinition; tools: RunTool[] }> {
  const around = { org_id, definition, acting };
  const { steps, input_schema, output_mapping, budget } = definition;
  const targets: Record<string, FlowTarget> = {};
  const tools = new Map<string, RunTool>();
  for (const step of allSteps(steps)) {
    if (step.type === 'agent') targets[step.id] = await agentTarget(around, step, step.agent_id ?? step.agent ?? '');
    if (step.type === 'workflow')
      targets[step.id] = await workflowTarget(around, step, step.workflow_id ?? step.workflow ?? '');
    if (step.type !== 'tool') continue;
    const { target, tool } = await toolNamed(around, step, step.tool_id ?? step.tool ?? '');
    targets[step.id] = target;
    if (tool) tools.set(tool.name, tool);
  }
  const plan = { steps, input_schema, budget, ...(output_mapping === undefined ? {} : { output_mapping }) };
  return { definition: { plan, targets, asks_first }, tools: [...tools.values()] };
}
