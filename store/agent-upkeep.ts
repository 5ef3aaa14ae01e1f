import type { Agent } from '../domain/agent.ts';
import type { DelegateTarget } from '../domain/delegation.ts';
import { agentCollection, toAgent } from './agent-record.ts';

/** For runs, which act for a caller who was let in when the tree began: its organization bounds what they find. */
export async function loadAgent(orgId: string, id: string): Promise<Agent | null> {
  const found = await agentCollection().findOne({ _id: id, org_id: orgId });
  return found && toAgent(found);
}

/** The agents that an agent may hand work to, as they are now; those that are gone or off are left out. */
export async function delegatesOf(orgId: string, agent: Agent): Promise<DelegateTarget[]> {
  if (agent.delegated_agents.length === 0) return [];
  const ids = agent.delegated_agents.map(({ agent_id }) => agent_id);
  const found = await agentCollection()
    .find({ _id: { $in: ids }, org_id: orgId, workspace_id: agent.workspace_id, is_active: true })
    .toArray();
  return agent.delegated_agents.flatMap((entry) => {
    const target = found.find(({ _id }) => _id === entry.agent_id);
    return target ? [{ ...entry, slug: target.slug, name: target.name, description: target.description }] : [];
  });
}
