import type { Agent } from '../domain/agent.ts';
import { usualAgent } from '../domain/usual-agent.ts';
import type { Notebook } from '../domain/workspace.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { Trouble } from './trouble.ts';

const DEMO_SLUG = 'demo-assistant';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export const allAgents = (client: Client): Promise<Agent[]> =>
  collect(everyItem((cursor) => client.agents.list(cursor === undefined ? {} : { cursor })));

/** By slug, name or id; without one the demo assistant, else the first that is active. */
export async function agentFor(client: Client, wanted: string | undefined): Promise<Agent> {
  const agents = await allAgents(client);
  const slugs = agents.map(({ slug }) => slug).join(', ');
  if (wanted !== undefined) {
    const by = (field: 'slug' | 'id' | 'name') => agents.find((agent) => agent[field] === wanted);
    const found = by('slug') ?? by('id') ?? by('name');
    if (found) return found;
    throw new Trouble(
      `There is no agent "${wanted}".`,
      slugs ? `You can use ${slugs}.` : 'Make one on the web page first.',
    );
  }
  const chosen = agents.find(({ slug, is_active }) => is_active && slug === DEMO_SLUG) ?? usualAgent(agents);
  if (chosen) return chosen;
  throw new Trouble('There is no active agent yet.', 'Make one on the web page, or with POST /api/v1/agents.');
}

const mayUse = (agent: Agent, notebook: Notebook): boolean => {
  const { notebooks = [] } = agent.scope;
  return notebook.kind === 'folder' && (notebooks.includes('*') || notebooks.includes(notebook.id));
};

/** By id or name; without one the first of the agent's workspace that its scope covers. */
export const notebookFor = (client: Client, agent: Agent, wanted: string | undefined): Promise<Notebook | null> =>
  notebookIn(client, agent, wanted, (notebook) => mayUse(agent, notebook));

/** The same for whatever lies in a workspace; without one the first folder. */
export async function notebookIn(
  client: Client,
  { workspace_id, name: of }: { workspace_id: string; name: string },
  wanted: string | undefined,
  fits: (notebook: Notebook) => boolean = ({ kind }) => kind === 'folder',
): Promise<Notebook | null> {
  const notebooks = await collect(
    everyItem((cursor) => client.notebooks.list({ workspace_id, ...(cursor === undefined ? {} : { cursor }) })),
  );
  if (wanted === undefined) return notebooks.find(fits) ?? null;
  const found = notebooks.find(({ id }) => id === wanted) ?? notebooks.find(({ name }) => name === wanted);
  if (found) return found;
  const names = notebooks.map(({ name }) => `"${name}"`).join(', ');
  throw new Trouble(
    `The workspace of ${of} has no notebook "${wanted}".`,
    names ? `It has ${names}.` : 'Add one on the web page first.',
  );
}
