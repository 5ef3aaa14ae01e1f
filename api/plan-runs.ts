import type { PlanStep } from '../domain/dispatch.ts';
import type { Asked, Decision } from '../domain/dispatch-decision.ts';
import { inputOfPlan, stepsOf } from '../domain/dispatch-plan.ts';
import { isFailure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import type { WorkflowDefinition } from '../domain/workflow-definition.ts';
import { listWorkspaces } from '../store/workspaces.ts';
import type { NewId } from './begun-runs.ts';
import type { RunCommands } from './run-commands.ts';

interface Planned {
  asked: Asked;
  decision: Decision;
  plan: readonly PlanStep[];
  isUnsure: boolean;
  place: { workspace_id: string | undefined; notebook_id: string | undefined };
}

type Done = { run_id: string; not_executed: null } | { run_id: null; not_executed: string };

const refuse = (not_executed: string): Done => ({ run_id: null, not_executed });

/** What must not be begun, in words for who wanted it. */
function obstacle({ plan, isUnsure }: Planned): string | null {
  if (isUnsure) return 'It is not clear which one is meant: choose one of them.';
  if (plan.length === 0) return 'There is nothing to run: nothing that may be used here fits.';
  const lacking = plan.find(({ missing }) => missing.length > 0);
  return lacking ? `${lacking.title} needs ${lacking.missing.join(', ')}, which the request does not give.` : null;
}

/** The one workspace of all that is in a plan; of the product's own tools that of the caller. */
async function workspaceOf(caller: Caller, { decision, place }: Planned): Promise<string | null> {
  const named = new Set(decision.selected.flatMap(({ candidate }) => candidate.workspace_id ?? []));
  const [only] = named;
  if (named.size > 1) return null;
  return only ?? place.workspace_id ?? (await listWorkspaces(caller, { limit: 1 })).items[0]?.id ?? null;
}

/** One agent alone is a run of that agent; everything else one run of a workflow that is stored nowhere. */
async function begin(runs: RunCommands, caller: Caller, planned: Planned, newId: NewId): Promise<Done> {
  const { asked, decision, plan, place } = planned;
  const source = `dispatch: ${caller.name}`;
  const notebook = place.notebook_id === undefined ? {} : { notebook_id: place.notebook_id };
  const [first] = plan;
  if (plan.length === 1 && first?.type === 'agent') {
    const body = { agent_id: first.name, input: first.input, trigger_type: 'chat' as const, ...notebook };
    return { run_id: (await runs.start(caller, body, newId, { source }))._id, not_executed: null };
  }
  const workspace_id = await workspaceOf(caller, planned);
  if (workspace_id === null) return refuse('The steps are of different workspaces: give workspace_id.');
  const selected = decision.selected.map(({ candidate }) => candidate);
  const workflow: WorkflowDefinition = {
    id: newId('wf'),
    workspace_id,
    name: `Dispatched: ${asked.query.slice(0, 60)}`,
    description: decision.reasoning.slice(0, 500),
    version: 1,
    is_active: true,
    // Who asks: their personal agents are theirs to use.
    created_by: caller.user_id,
    steps: stepsOf(plan, selected),
    input_schema: null,
    budget: {},
  };
  const body = { input: inputOfPlan(asked, plan), trigger_type: 'chat' as const, ...notebook };
  return { run_id: (await runs.startUnsaved(caller, workflow, body, newId, source))._id, not_executed: null };
}

/** Runs a plan where nothing speaks against it; what does is told, beside the decision. */
export async function executePlan(runs: RunCommands, caller: Caller, planned: Planned, newId: NewId): Promise<Done> {
  const why = obstacle(planned);
  if (why !== null) return refuse(why);
  try {
    return await begin(runs, caller, planned, newId);
  } catch (error) {
    if (isFailure(error)) return refuse(error.message);
    throw error;
  }
}
