import type { Agent } from '../domain/agent.ts';
import { openDesk } from './desk.ts';
import { agentFor, allAgents } from './run-target.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { counted, dollars, figure, modelName, took } from './words.ts';

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

const limits = (agent: Agent): string =>
  [
    counted(agent.max_iterations, 'model call'),
    `${figure(agent.max_token_budget)} tokens`,
    ...(agent.max_cost_usd === null ? [] : [dollars(agent.max_cost_usd)]),
    ...(agent.max_duration === null ? [] : [took(agent.max_duration * 1_000)]),
    ...(agent.max_requests_per_hour === null ? [] : [`${figure(agent.max_requests_per_hour)} calls an hour`]),
  ].join(', ');

const who = ({ is_builtin, visibility, access_level, roles }: Agent): string => {
  if (is_builtin) return 'all members; built in';
  if (visibility === 'personal') return 'you';
  return access_level === 'everyone' ? 'all members' : `admins, and members with the role ${roles.join(' or ') || '–'}`;
};

/** Told as a person would: what is empty or as ever is left out. */
function agentLines(agent: Agent): string[] {
  const { scope } = agent;
  const where = [
    ...(scope.folders ? [`in ${scope.folders.join(', ')}`] : []),
    ...(scope.file_types ? [`files like ${scope.file_types.join(', ')}`] : []),
  ];
  const asks = Object.entries(agent.confirmation).map(([tool, policy]) => `${tool} ${policy}`);
  const rows: [string, string][] = [
    ['id', agent.id],
    ['slug', agent.slug],
    ['version', `${agent.version}${agent.is_active ? '' : ', inactive'}`],
    ['model', modelName(agent.model)],
    ['may', abilities(agent)],
    ['notebooks', (scope.notebooks ?? []).join(', ') || 'none'],
    ['where', where.join('; ')],
    ['tools', (agent.system_tools ?? []).join(', ')],
    ['asks', asks.join(', ')],
    ['hands to', agent.delegated_agents.map(({ agent_id }) => agent_id).join(', ')],
    ['limits', limits(agent)],
    ['seen by', who(agent)],
  ];
  return rows.filter(([, said]) => said !== '').map(([title, said]) => `${title.padEnd(10)} ${harmless(said)}`);
}

export async function agentShowCommand(wanted: string, { json = false }: { json?: boolean }): Promise<void> {
  const { client, style, print } = await openDesk({ json });
  const agent = await agentFor(client, wanted);
  if (json) return print(JSON.stringify(agent));
  print(style('bold', harmless(agent.name)));
  if (agent.description !== '') print(harmless(agent.description));
  for (const line of agentLines(agent)) print(line);
  if (agent.system_prompt === '') return;
  print('');
  for (const line of agent.system_prompt.trimEnd().split('\n')) print(style('dim', harmless(line)));
}
