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

const steers = (change: object): boolean => STEERING.some((field) => field in change);

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

/** Its name; it lies where what starts it does. */
export async function targetNameIn(caller: Caller, target: Target, workspaceId: string): Promise<string> {
  const { workspace_id, name } = await findTarget(caller, target);
  if (workspace_id === workspaceId) return name;
  throw badField(target.agent_id === null ? 'workflow_id' : 'agent_id', 'it lies in another workspace');
}

interface Kept {
  workspace_id: string;
  created_by: string;
  name: string;
}

interface Trigger extends Kept, Target {
  target_name: string | null;
  notebook_id: string | null;
  is_active: boolean;
  version: number;
  updated_by: string;
  updated_at: Date;
}

/** The next version of a trigger: sound, and starting only what who changes it can see, in its own workspace. */
export async function nextTrigger<T extends Trigger>(
  caller: Caller,
  doc: T,
  said: Partial<T>,
  demandSound: (next: T) => void,
): Promise<T> {
  const { workspace_id } = doc;
  const raised = { version: doc.version + 1, updated_by: caller.user_id, updated_at: new Date() };
  const next: T = { ...doc, ...said, ...raised };
  demandSound(next);
  const isRedirected = next.agent_id !== doc.agent_id || next.workflow_id !== doc.workflow_id;
  const isNamed = isRedirected || (next.is_active && !doc.is_active);
  const target_name = isNamed ? await targetNameIn(caller, next, workspace_id) : doc.target_name;
  if (!isNamed && steers(said)) await demandTargetSeen(caller, doc);
  if (next.notebook_id !== doc.notebook_id) await demandTargetNotebook(caller, next.notebook_id, workspace_id);
  return { ...next, target_name };
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
