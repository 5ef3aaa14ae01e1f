import { isAbsolute, resolve } from 'node:path';
import type { Notebook } from '../domain/workspace.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { askedValue } from './credentials.ts';
import { openDesk } from './desk.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { ago } from './words.ts';
import { workspaceToAdminister } from './workspace-choice.ts';

const NAME_WIDTH = 32;
const PLACE_WIDTH = 64;

async function allNotebooks(client: Client): Promise<Notebook[]> {
  const notebooks: Notebook[] = [];
  const pages = everyItem((cursor) => client.notebooks.list(cursor === undefined ? {} : { cursor }));
  for await (const notebook of pages) notebooks.push(notebook);
  return notebooks;
}

/** By id or name; a name that several have is no answer. */
export async function notebookCalled(client: Client, wanted: string): Promise<Notebook> {
  const all = await allNotebooks(client);
  const [found, ...more] = all.filter(({ id, name }) => id === wanted || name === wanted);
  if (!found) {
    const names = all.map(({ name }) => `"${name}"`).join(', ');
    throw new Trouble(`There is no notebook "${wanted}".`, names ? `There is ${names}.` : 'Add one first.');
  }
  if (more.length === 0) return found;
  const ids = [found, ...more].map(({ id }) => id).join(', ');
  throw new Trouble(`More than one notebook is called "${wanted}".`, `Give one of the ids ${ids}.`);
}

const placeOf = ({ kind, path, url, default_branch }: Notebook): string =>
  kind === 'git' ? `${url}${default_branch === null ? '' : ` (${default_branch})`}` : (path ?? '');

export async function notebooksListCommand({ json = false }: { json?: boolean }): Promise<void> {
  const { client, print } = await openDesk({ json });
  const notebooks = await allNotebooks(client);
  if (json) for (const notebook of notebooks) print(JSON.stringify(notebook));
  else if (notebooks.length === 0) print('No notebook yet. Add one with: longhaul notebooks add <folder>');
  else {
    const rows = notebooks.map((notebook) => [
      notebook.id,
      brief(notebook.name, NAME_WIDTH),
      notebook.kind,
      brief(placeOf(notebook), PLACE_WIDTH),
      ago(notebook.created_at, Date.now()),
    ]);
    for (const row of tableLines(['ID', 'NAME', 'KIND', 'WHERE', 'ADDED'], rows)) print(row);
  }
}

const isAddress = (place: string): boolean => /^[a-z]+:\/\/|^[^/\\]+@[^/\\]+:/.test(place);

const nameFrom = (place: string): string =>
  place
    .replace(/[/\\]+$|\.git$/g, '')
    .split(/[/\\:]/)
    .at(-1) || place;

interface AddOptions {
  name?: string;
  workspace?: string;
  branch?: string;
}

export async function notebooksAddCommand(place: string, { name, workspace, branch }: AddOptions): Promise<void> {
  const isGit = isAddress(place);
  if (branch !== undefined && !isGit) throw new Trouble('Only a git notebook has a branch.');
  const { client, print } = await openDesk();
  const { id: workspace_id } = await workspaceToAdminister(client, workspace);
  const about = { workspace_id, name: name ?? nameFrom(place) };
  const made = await client.notebooks.create(
    isGit
      ? { ...about, kind: 'git', url: place, ...(branch === undefined ? {} : { default_branch: branch }) }
      : { ...about, kind: 'folder', path: isAbsolute(place) ? place : resolve(place) },
  );
  print(`${made.id}  ${harmless(made.name)} (${made.kind})`);
}

interface SetupOptions {
  network?: boolean;
  clear?: boolean;
}

/** Without commands it tells which there are. */
export async function notebooksSetupCommand(
  wanted: string,
  commands: string[],
  { network, clear = false }: SetupOptions,
): Promise<void> {
  if (clear && commands.length > 0) throw new Trouble('Give commands or --clear, not both.');
  const { client, print } = await openDesk();
  const found = await notebookCalled(client, wanted);
  const change = {
    ...(clear || commands.length > 0 ? { setup_commands: commands } : {}),
    ...(network === undefined ? {} : { setup_network: network }),
  };
  const now = Object.keys(change).length > 0 ? await client.notebooks.change(found.id, change) : found;
  if (now.setup_commands.length === 0) return print(`${harmless(now.name)} has no set-up commands.`);
  for (const command of now.setup_commands) print(`$ ${harmless(command)}`);
  print(now.setup_network ? 'with the public network' : 'without network (--network allows it)');
}

export async function notebooksRemoveCommand(wanted: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id, name } = await notebookCalled(client, wanted);
  await client.notebooks.remove(id);
  print(`Removed ${harmless(name)}. Its files are where they were.`);
}

const ACCESS_KEYS = ['token', 'username', 'ssh_key'] as const;
type AccessKey = (typeof ACCESS_KEYS)[number];
const isAccessKey = (key: string): key is AccessKey => (ACCESS_KEYS as readonly string[]).includes(key);

/** What a git notebook shows its remote. The value never is an argument: those are seen by everybody on the machine. */
export async function notebooksAccessCommand(
  wanted: string,
  key: string | undefined,
  { remove = false }: { remove?: boolean },
): Promise<void> {
  const desk = await openDesk();
  const notebook = await notebookCalled(desk.client, wanted);
  const called = harmless(notebook.name);
  if (key === undefined) {
    const { items } = await desk.client.notebooks.credentials(notebook.id);
    if (items.length === 0) desk.print(`${called} has none. Set one with: longhaul notebooks access "${called}" token`);
    for (const row of items.length > 0
      ? tableLines(
          ['KEY', 'SET'],
          items.map((each) => [each.key, ago(each.updated_at, Date.now())]),
        )
      : [])
      desk.print(row);
    return;
  }
  if (!isAccessKey(key)) throw new Trouble(`There is no "${key}".`, `Give one of ${ACCESS_KEYS.join(', ')}.`);
  if (remove) {
    await desk.client.notebooks.removeCredential(notebook.id, key);
    desk.print(`Removed ${key} of ${called}.`);
    return;
  }
  const value = await askedValue(key, desk);
  if (value === null) return;
  await desk.client.notebooks.setCredential(notebook.id, { key, value });
  desk.print(`Set ${key} of ${called}. It is used from the next fetch or push on.`);
}
