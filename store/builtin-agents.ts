import type { Agent } from '../domain/agent.ts';
import type { Caller } from '../domain/identity.ts';
import { agentCollection, toAgent } from './agent-record.ts';
import { ensureBuiltinAgent, findAgent, type NewAgent } from './agents.ts';
import { isDuplicate } from './connection.ts';
import { findWorkspace } from './workspaces.ts';

/**
 * A built-in agent of a workspace, made when it is first needed there. Its model is the installation's to choose;
 * nobody else changes a built-in agent.
 */
export async function builtinOf(caller: Caller, agent: NewAgent & { slug: string }): Promise<Agent> {
  const { id, workspace_id, model } = agent;
  await findWorkspace(caller, workspace_id);
  const found = await agentCollection().findOne({ _id: id, org_id: caller.org_id });
  if (found?.model === model) return toAgent(found);
  if (found) {
    await agentCollection().updateOne(
      { _id: id, org_id: caller.org_id, model: found.model },
      { $set: { model, updated_at: new Date() }, $inc: { version: 1 } },
    );
    return findAgent(caller, id);
  }
  await ensureBuiltinAgent(caller.org_id, 'system', agent).catch(async (error: unknown) => {
    // Somebody has an agent of that name already, which stays theirs.
    if (!isDuplicate(error)) throw error;
    await ensureBuiltinAgent(caller.org_id, 'system', { ...agent, slug: `longhaul-${agent.slug}` });
  });
  return findAgent(caller, id);
}
