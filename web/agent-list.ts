import type { Agent } from '../domain/agent.ts';
import type { Role } from '../domain/identity.ts';

/** What the list of agents can be narrowed to. */
export const AGENT_KINDS = [
  { value: '', name: 'All agents' },
  { value: 'mine', name: 'Made by me' },
  { value: 'shared', name: 'Shared' },
  { value: 'builtin', name: 'Built in' },
  { value: 'inactive', name: 'Inactive' },
] as const;
export type AgentKind = (typeof AGENT_KINDS)[number]['value'];

export const kindIn = (text: string | null): AgentKind => AGENT_KINDS.find(({ value }) => value === text)?.value ?? '';

function isOfKind(agent: Agent, kind: AgentKind, userId: string | undefined): boolean {
  switch (kind) {
    case '':
      return true;
    case 'mine':
      return agent.created_by === userId;
    case 'shared':
      return agent.visibility === 'workspace' && !agent.is_builtin;
    case 'builtin':
      return agent.is_builtin;
    case 'inactive':
      return !agent.is_active;
  }
}

/** Those that hold every word somewhere, by name; what is not active comes last. */
export function foundAgents(
  agents: readonly Agent[],
  text: string,
  kind: AgentKind,
  userId: string | undefined,
): Agent[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return agents
    .filter((agent) => {
      const told = `${agent.name} ${agent.slug} ${agent.description} ${agent.model}`.toLowerCase();
      return isOfKind(agent, kind, userId) && words.every((word) => told.includes(word));
    })
    .sort((a, b) => Number(b.is_active) - Number(a.is_active) || a.name.localeCompare(b.name));
}

/** Why somebody may look at an agent and not change it; null where they may. The server has the last word. */
export function whyReadOnly(agent: Agent, role: Role | undefined): string | null {
  if (agent.is_builtin) return 'It comes with Longhaul. Duplicate it to have one of your own to change.';
  if (role === 'read') return 'You may only read in this workspace.';
  if (agent.visibility === 'workspace' && role !== 'admin')
    return 'It is shared with the workspace, so only admins may change it. Duplicate it to have one of your own.';
  return null;
}
