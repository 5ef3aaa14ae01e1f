import type { Agent } from '../domain/agent.ts';
import { openDesk } from './desk.ts';
import { allAgents } from './run-target.ts';
import { brief } from './style.ts';
import { tableLines } from './table.ts';
import { modelName } from './words.ts';

const CAN: [keyof Agent, string][] = [
  ['can_read', 'read'],
  ['can_write', 'write'],
  ['can_create', 'create'],
  ['can_delete', 'delete'],
  ['can_execute_code', 'run commands'],
];

const abilities = (agent: Agent): string =>
  CAN.filter(([flag]) => agent[flag] === true)
    .map(([, word]) => word)
    .join(', ') || 'nothing';

function agentRows(agents: Agent[]): string[] {
  const rows = agents.map((agent) => [
    agent.slug,
    brief(agent.name, 32) + (agent.is_active ? '' : ' (inactive)'),
    brief(modelName(agent.model), 64),
    abilities(agent),
  ]);
  return tableLines(['SLUG', 'NAME', 'MODEL', 'MAY'], rows);
}

export async function agentsCommand({ json = false }: { json?: boolean }): Promise<void> {
  const { client, print } = await openDesk({ json });
  const agents = await allAgents(client);
  if (json) for (const agent of agents) print(JSON.stringify(agent));
  else if (agents.length === 0) print('No agent yet. Make one on the web page, or with POST /api/v1/agents.');
  else for (const row of agentRows(agents)) print(row);
}
