import type { Agent } from '../domain/agent.ts';
import type { Caller } from '../domain/identity.ts';
import { slugIfTaken } from '../domain/usual-agent.ts';
import { agentCollection, toAgent } from './agent-record.ts';
import { ensureBuiltinAgent, findAgent, type NewAgent } from './agents.ts';
import { isDuplicate } from './connection.ts';
import { dispatcherIn } from './dispatcher-agent.ts';
import { editorIn } from './editor-agent.ts';
import { findWorkspace, workspacesAfter } from './workspaces.ts';

const AT_ONCE = 500;

type Builtin = NewAgent & { slug: string };

/** Those of every workspace. Their models are the installation's to choose; without one there is no such agent. */
export interface BuiltinModels {
  editor: string | undefined;
  dispatcher: string | undefined;
}

const builtinsIn = (workspaceId: string, { editor, dispatcher }: BuiltinModels): Builtin[] => [
  ...(editor === undefined ? [] : [editorIn(workspaceId, editor)]),
  ...(dispatcher === undefined ? [] : [dispatcherIn(workspaceId, dispatcher)]),
];

/** Made where it is not there yet, and given the model that is wanted now. Nobody else changes a built-in agent. */
async function ensure(org_id: string, agent: Builtin): Promise<void> {
  const { id, model } = agent;
  const found = await agentCollection().findOne({ _id: id, org_id }, { projection: { model: 1 } });
  if (found?.model === model) return;
  if (found) {
    const anew = { $set: { model, updated_at: new Date() }, $inc: { version: 1 } };
    await agentCollection().updateOne({ _id: id, org_id, model: found.model }, anew);
    return;
  }
  await ensureBuiltinAgent(org_id, 'system', agent).catch(async (error: unknown) => {
    // Somebody has an agent of that name already, which stays theirs.
    if (!isDuplicate(error)) throw error;
    await ensureBuiltinAgent(org_id, 'system', { ...agent, slug: slugIfTaken(agent.slug) });
  });
}

/** At start, for the workspaces there are: of those of an older version, and where another model is set. */
export async function ensureBuiltins(models: BuiltinModels): Promise<void> {
  for (let last = ''; ; ) {
    const workspaces = await workspacesAfter(last, AT_ONCE);
    const wanted = workspaces.flatMap(({ _id, org_id }) => builtinsIn(_id, models).map((agent) => ({ org_id, agent })));
    const known = await agentCollection()
      .find({ _id: { $in: wanted.map(({ agent }) => agent.id) } }, { projection: { model: 1 } })
      .toArray();
    const inPlace = new Map(known.map(({ _id, model }) => [_id, model]));
    for (const { org_id, agent } of wanted) if (inPlace.get(agent.id) !== agent.model) await ensure(org_id, agent);
    if (workspaces.length < AT_ONCE) return;
    last = workspaces.at(-1)?._id ?? '';
  }
}

/** With a new workspace. */
export async function addBuiltins(caller: Caller, workspaceId: string, models: BuiltinModels): Promise<void> {
  await findWorkspace(caller, workspaceId);
  for (const agent of builtinsIn(workspaceId, models)) await ensure(caller.org_id, agent);
}

async function builtinOf(caller: Caller, agent: Builtin): Promise<Agent> {
  const [found] = await Promise.all([
    agentCollection().findOne({ _id: agent.id, org_id: caller.org_id }),
    findWorkspace(caller, agent.workspace_id),
  ]);
  if (found?.model === agent.model) return toAgent(found);
  // Whoever made the workspace may have died before it had its agents.
  await ensure(caller.org_id, agent);
  return findAgent(caller, agent.id);
}

export const dispatcherOf = (caller: Caller, workspaceId: string, model: string): Promise<Agent> =>
  builtinOf(caller, dispatcherIn(workspaceId, model));

export const editorOf = (caller: Caller, workspaceId: string, model: string): Promise<Agent> =>
  builtinOf(caller, editorIn(workspaceId, model));
