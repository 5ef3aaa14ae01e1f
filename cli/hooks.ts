import type { Delivery, EventSource } from '../domain/event.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { openDesk } from './desk.ts';
import { inputIn } from './json-input.ts';
import { agentFor } from './run-target.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { isCalled, workspaceFor } from './workspace-choice.ts';

async function all(client: Client): Promise<EventSource[]> {
  const found: EventSource[] = [];
  const pages = everyItem((cursor) => client.events.sources.list(cursor === undefined ? {} : { cursor }));
  for await (const each of pages) found.push(each);
  return found;
}

async function one(client: Client, wanted: string): Promise<EventSource> {
  const [found, another] = (await all(client)).filter(isCalled(wanted));
  if (!found) throw new Trouble(`There is no webhook "${wanted}".`, 'See: longhaul hooks');
  if (another) throw new Trouble(`Several are called "${wanted}".`, `Give the id: ${found.id} or ${another.id}.`);
  return found;
}

export async function hooksCommand({ json = false }: { json?: boolean }): Promise<void> {
  const { client, print } = await openDesk({ json });
  const found = await all(client);
  if (json) for (const each of found) print(JSON.stringify(each));
  else if (found.length === 0) print('No webhook yet. Make one with: longhaul hooks add <name>');
  else {
    const rows = found.map((each) => [each.id, brief(each.name, 40), each.is_active ? 'on' : 'off', each.url]);
    for (const row of tableLines(['ID', 'NAME', 'IS', 'ADDRESS'], rows)) print(row);
  }
}

export async function hooksAddCommand(name: string, { workspace }: { workspace?: string }): Promise<void> {
  const { client, print } = await openDesk();
  const { id: workspace_id } = await workspaceFor(client, workspace);
  const made = await client.events.sources.create({ workspace_id, name });
  print(`${made.id}  ${harmless(made.name)}`);
  print(`Address: ${made.url}`);
  print(`Secret:  ${made.secret}  (it is not shown again)`);
}

interface SubscribeOptions {
  agent?: string;
  filter?: string;
  mapping?: string;
}

export async function hooksSubscribeCommand(wanted: string, options: SubscribeOptions): Promise<void> {
  const { client, print } = await openDesk();
  const source = await one(client, wanted);
  const agent = await agentFor(client, options.agent);
  const made = await client.events.subscriptions.create({
    source_id: source.id,
    target_type: 'agent',
    agent_id: agent.id,
    ...(options.filter === undefined ? {} : { filter: options.filter }),
    ...(options.mapping === undefined ? {} : { input_mapping: inputIn(options.mapping) }),
  });
  print(`${made.id}  ${harmless(agent.name)} runs for events of ${harmless(source.name)}.`);
}

const cameOf = ({ status, runs }: Delivery): string => runs.at(-1)?.run_status ?? status;

export async function hooksDeliveriesCommand(
  wanted: string | undefined,
  { json = false }: { json?: boolean },
): Promise<void> {
  const { client, print } = await openDesk({ json });
  const source = wanted === undefined ? {} : { source_id: (await one(client, wanted)).id };
  const { items } = await client.events.deliveries.list({ ...source, limit: 50 });
  if (json) for (const each of items) print(JSON.stringify(each));
  else if (items.length === 0) print('Nothing was received yet.');
  else {
    const rows = items.map((each) => [
      each.id,
      each.received_at.replace(/\.\d+Z$/, 'Z'),
      brief(each.source_name, 30),
      cameOf(each),
      each.run_id ?? '–',
    ]);
    for (const row of tableLines(['ID', 'RECEIVED', 'FROM', 'CAME TO', 'RUN'], rows)) print(row);
  }
}

export async function hooksRedeliverCommand(id: string): Promise<void> {
  const { client, print } = await openDesk();
  const { run_id, attempts } = await client.events.deliveries.redeliver(id);
  print(`Delivered once more (attempt ${attempts})${run_id ? `: ${run_id}` : ''}.`);
}

export async function hooksRemoveCommand(wanted: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id, name } = await one(client, wanted);
  await client.events.sources.delete(id);
  print(`Deleted ${harmless(name)}.`);
}
