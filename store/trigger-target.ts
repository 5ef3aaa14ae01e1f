import { Failure } from '../domain/failures.ts';
import { type Caller, holds } from '../domain/identity.ts';
import type { Target } from '../domain/trigger.ts';
import { findAgent } from './agents.ts';
import { findNotebook } from './notebooks.ts';
import { demandRole } from './tenancy.ts';
import { findWorkflow } from './workflow-source.ts';

export const badField = (field: string, message: string): Failure =>
  new Failure('invalid_request', `${field}: ${message}.`, { in: 'body', fields: { [field]: message } });

/** What a change or a filter says; the rest stays as it is. */
export const defined = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;

interface FoundTarget {
  workspace_id: string;
  name: string;
}

/** The agent or workflow that a trigger is to start: one its maker can see, and that can be started. */
export async function findTarget(caller: Caller, { agent_id, workflow_id }: Target): Promise<FoundTarget> {
  if (agent_id !== null) {
    const agent = await findAgent(caller, agent_id);
    if (!agent.is_active)
      throw new Failure('agent_inactive', `The agent ${agent.name} is not active.`, { agent_id: agent.id });
    return agent;
  }
  return findWorkflow(caller, workflow_id ?? '');
}

/** Who can no longer see what a trigger starts has no say any more in what it is started with. */
export async function demandTargetSeen(caller: Caller, { agent_id, workflow_id }: Target): Promise<void> {
  if (agent_id === null) await findWorkflow(caller, workflow_id ?? '');
  else await findAgent(caller, agent_id);
}

/** The parts of a trigger that say what is run, and with what. */
const STEERING = ['input', 'input_mapping', 'notebook_id', 'scopes', 'tier', 'filter'] as const;

export const steers = (change: object): boolean => STEERING.some((field) => field in change);

/** What its workspace has not got is not there for it. */
export async function demandTargetNotebook(
  caller: Caller,
  notebookId: string | null,
  workspaceId: string,
): Promise<void> {
  if (notebookId === null) return;
  const notebook = await findNotebook(caller, notebookId);
  if (notebook.workspace_id !== workspaceId) throw badField('notebook_id', 'it lies in another workspace');
}

interface Kept {
  workspace_id: string;
  created_by: string;
  name: string;
}

/** Who made it, as long as the role is enough, and admins. */
export function demandKeeper(caller: Caller, kept: Kept, noun: string, action: string): void {
  demandRole(caller, kept.workspace_id, 'write', `${action} ${noun}s`);
  if (kept.created_by === caller.user_id || holds(caller, kept.workspace_id, 'admin')) return;
  throw new Failure('forbidden', `Only who made the ${noun} ${kept.name} and admins can ${action} it.`);
}

export function demandVersionOf(
  { _id, version }: { _id: string; version: number },
  noun: string,
  expected: number | null,
): void {
  if (expected === null || expected === version) return;
  throw new Failure('version_conflict', `The ${noun} ${_id} is at version ${version}, not ${expected}.`, {
    id: _id,
    version,
  });
}
