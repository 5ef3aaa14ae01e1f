import { Failure } from '../domain/failures.ts';
import { type Caller, holds } from '../domain/identity.ts';
import type { RunTool } from '../domain/run-tool.ts';
import { type Target, TIERS, type Tier } from '../domain/trigger.ts';
import { agentCollection, toAgent } from './agent-record.ts';
import { callerOf } from './callers.ts';
import { definitionCollection } from './definition-record.ts';
import type { Draft } from './new-run.ts';
import { findNotebook } from './notebooks.ts';
import { draftAgentRun, draftDefinitionRun } from './run-drafts.ts';
import { systemCaller } from './system-user.ts';
import { loadWorkflow } from './workflow-source.ts';

/** A schedule or a subscription, as far as it says what to start. */
export interface Triggering extends Target {
  org_id: string;
  workspace_id: string;
  notebook_id: string | null;
  tier: Tier;
  scopes: string[];
  created_by: string;
}

export interface Occasion {
  run_id: string;
  /** Where it comes from, in words. */
  source: string;
  input: unknown;
  trigger_type: 'schedule' | 'event';
  schedule_id?: string;
  event_delivery_id?: string;
}

/** One that everybody in the workspace may use, or that of who made the trigger. */
async function agentOf({ org_id, workspace_id, created_by, agent_id }: Triggering) {
  const found = await agentCollection().findOne({
    _id: agent_id ?? '',
    org_id,
    workspace_id,
    deleted_at: null,
    $or: [{ visibility: 'workspace' }, { is_builtin: true }, { created_by }],
  });
  if (!found) throw new Failure('not_found', `There is no agent ${agent_id} any more.`, { agent_id });
  const agent = toAgent(found);
  if (agent.visibility !== 'workspace' && !agent.is_builtin) await demandMaker(created_by, workspace_id);
  return agent;
}

/** A personal agent works for its maker: not beyond the day on which they are no longer let work here. */
async function demandMaker(userId: string, workspaceId: string): Promise<void> {
  const maker = await callerOf(userId);
  if (maker && holds(maker, workspaceId, 'write')) return;
  throw new Failure(
    'forbidden',
    'It starts a personal agent of somebody who may no longer write in this workspace. Delete it, or let it start an agent that is shared.',
  );
}

async function workflowOf({ org_id, workspace_id, workflow_id }: Triggering) {
  const found = await loadWorkflow(org_id, workflow_id ?? '');
  if (found?.workspace_id !== workspace_id) {
    throw new Failure('not_found', `There is no workflow ${workflow_id} any more.`, { workflow_id });
  }
  return found;
}

/** Tools that need a scope which the trigger does not list are not there for its runs; without a list all are. */
async function withinScopes({ org_id, workspace_id, scopes }: Triggering, tools: RunTool[]): Promise<RunTool[]> {
  if (scopes.length === 0 || tools.length === 0) return tools;
  const found = await definitionCollection()
    .find({ org_id, workspace_id, kind: 'tool', is_active: true, name: { $in: tools.map(({ name }) => name) } })
    .toArray();
  const needs = (name: string): unknown => found.find((each) => each.name === name)?.content.scopes;
  return tools.filter(({ name }) => {
    const needed = needs(name);
    return !Array.isArray(needed) || needed.every((scope) => scopes.includes(String(scope)));
  });
}

export interface TriggeredRun {
  caller: Caller;
  draft: Draft;
}

/** The run that a trigger starts, as the system user of its organization. What can be refused is refused here. */
export async function draftTriggered(trigger: Triggering, occasion: Occasion): Promise<TriggeredRun> {
  const caller = await systemCaller(trigger.org_id, trigger.workspace_id);
  const { input, trigger_type, run_id, source, schedule_id, event_delivery_id } = occasion;
  const { notebook_id } = trigger;
  const wanted = { input, trigger_type, budget: TIERS[trigger.tier] };
  const draft =
    trigger.agent_id === null
      ? await draftDefinitionRun(
          caller,
          await workflowOf(trigger),
          { ...wanted, ...(notebook_id ? { notebook_id } : {}) },
          run_id,
        )
      : await draftAgentRun(
          caller,
          {
            agent: await agentOf(trigger),
            notebook: notebook_id ? await findNotebook(caller, notebook_id) : null,
          },
          wanted,
          run_id,
        );
  const tools = await withinScopes(trigger, draft.tools ?? []);
  return {
    caller,
    draft: {
      ...draft,
      tools,
      trigger_source: source,
      schedule_id: schedule_id ?? null,
      event_delivery_id: event_delivery_id ?? null,
    },
  };
}
