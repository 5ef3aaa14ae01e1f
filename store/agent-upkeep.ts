import { type Agent, completeAgent } from '../domain/agent.ts';
import type { DelegateTarget } from '../domain/delegation.ts';
import { nativeCollection } from './connection.ts';

type AgentRecord = Omit<Agent, 'id' | 'created_at'> & { _id: string; org_id: string; created_at: Date };

const agents = () => nativeCollection<AgentRecord>('agents');

const read = ({ _id, org_id: _org, created_at, ...rest }: AgentRecord): Agent =>
  completeAgent({ id: _id, ...rest, created_at: created_at.toISOString() });

/** For runs, which act for a caller who was let in when the tree began: its organization bounds what they find. */
export async function loadAgent(orgId: string, id: string): Promise<Agent | null> {
  const found = await agents().findOne({ _id: id, org_id: orgId });
  return found && read(found);
}

/** The agents that an agent may hand work to, as they are now; those that are gone or off are left out. */
export async function delegatesOf(orgId: string, agent: Agent): Promise<DelegateTarget[]> {
  if (agent.delegated_agents.length === 0) return [];
  const ids = agent.delegated_agents.map(({ agent_id }) => agent_id);
  const found = await agents()
    .find({ _id: { $in: ids }, org_id: orgId, workspace_id: agent.workspace_id, is_active: true })
    .toArray();
  return agent.delegated_agents.flatMap((entry) => {
    const target = found.find(({ _id }) => _id === entry.agent_id);
    return target ? [{ ...entry, slug: target.slug, name: target.name, description: target.description }] : [];
  });
}
