import type { Task, TaskStatus } from '../domain/task.ts';
import type { Workspace } from '../domain/workspace.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { openDesk } from './desk.ts';
import { agentFor, notebookFor } from './run-target.ts';
import { brief, harmless, type Style } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { ago } from './words.ts';

const TITLE_WIDTH = 48;

const COLOURS = { open: 'dim', in_progress: 'blue', done: 'green', failed: 'red' } as const;
const statusWord = (status: TaskStatus, style: Style): string => style(COLOURS[status], status.replace('_', ' '));

async function workspaceFor(client: Client, wanted: string | undefined): Promise<Workspace> {
  const all: Workspace[] = [];
  const pages = everyItem((cursor) => client.workspaces.list(cursor === undefined ? {} : { cursor }));
  for await (const each of pages) all.push(each);
  const found = wanted === undefined ? all[0] : all.find(({ id, name }) => id === wanted || name === wanted);
  if (found) return found;
  const names = all.map(({ name }) => `"${name}"`).join(', ');
  throw new Trouble(`There is no workspace "${wanted ?? ''}".`, names ? `You can use ${names}.` : '');
}

export async function tasksListCommand({ json = false }: { json?: boolean }): Promise<void> {
  const { client, style, print } = await openDesk({ json });
  const { items, next_cursor } = await client.tasks.list({ limit: 100 });
  if (json) {
    for (const task of items) print(JSON.stringify(task));
    return;
  }
  if (items.length === 0) {
    print('No task yet. Make one with: longhaul tasks add "order new filament"');
    return;
  }
  const rows = items.map((task) => [
    statusWord(task.status, style),
    task.id,
    brief(task.title, TITLE_WIDTH),
    brief(task.assigned_name ?? '–', 24),
    ago(task.created_at, Date.now()),
  ]);
  for (const row of tableLines(['STATUS', 'TASK', 'TITLE', 'ASSIGNED TO', 'MADE'], rows)) print(row);
  if (next_cursor) print(style('dim', `The newest ${items.length}.`));
}

interface AddOptions {
  description?: string;
  agent?: string;
  notebook?: string;
  workspace?: string;
}

const begun = ({ assigned_name, run_id }: Task): string =>
  `${harmless(assigned_name ?? '')} is at work on it. Watch with: longhaul watch ${run_id}`;

export async function tasksAddCommand(words: string[], options: AddOptions): Promise<void> {
  const { client, print } = await openDesk();
  const agent = options.agent === undefined ? null : await agentFor(client, options.agent);
  const workspace_id = agent?.workspace_id ?? (await workspaceFor(client, options.workspace)).id;
  const notebook = agent ? await notebookFor(client, agent, options.notebook) : null;
  const task = await client.tasks.create({
    workspace_id,
    title: words.join(' '),
    description: options.description ?? '',
    notebook_id: notebook?.id ?? null,
    assigned_to: agent?.id ?? null,
  });
  print(`${task.id}  ${harmless(task.title)}`);
  if (task.run_id) print(begun(task));
}

export async function tasksShowCommand(id: string, { json = false }: { json?: boolean }): Promise<void> {
  const { client, style, print } = await openDesk({ json });
  const task = await client.tasks.get(id);
  if (json) {
    print(JSON.stringify(task));
    return;
  }
  print(`${style('bold', harmless(task.title))}  ${statusWord(task.status, style)}`);
  if (task.description !== '') print(harmless(task.description));
  if (task.assigned_name)
    print(`Assigned to ${harmless(task.assigned_name)}${task.run_id ? `, run ${task.run_id}` : ''}`);
  if (task.error_message) print(style('red', harmless(task.error_message)));
}

export async function tasksAssignCommand(id: string, agent: string): Promise<void> {
  const { client, print } = await openDesk();
  const to = await agentFor(client, agent);
  const task = await client.tasks.get(id);
  const notebook = task.notebook_id === null ? await notebookFor(client, to, undefined) : null;
  print(
    begun(await client.tasks.update(id, { assigned_to: to.id, ...(notebook ? { notebook_id: notebook.id } : {}) })),
  );
}

export async function tasksRemoveCommand(id: string): Promise<void> {
  const { client, print } = await openDesk();
  await client.tasks.remove(id);
  print(`Removed ${id}.`);
}
