import { isAbsolute, resolve } from 'node:path';
import type { Notebook, Workspace } from '../domain/workspace.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { openDesk } from './desk.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { ago } from './words.ts';

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

async function workspaceToAdminister(client: Client, wanted: string | undefined): Promise<Workspace> {
  const all: Workspace[] = [];
  const pages = everyItem((cursor) => client.workspaces.list(cursor === undefined ? {} : { cursor }));
  for await (const each of pages) all.push(each);
  const found =
    wanted === undefined
      ? all.find(({ role }) => role === 'admin')
      : all.find(({ id, name }) => id === wanted || name === wanted);
  if (found) return found;
  const names = all.map(({ name }) => `"${name}"`).join(', ');
  if (wanted === undefined) throw new Trouble('There is no workspace you may add notebooks to.');
  throw new Trouble(`There is no workspace "${wanted}".`, names ? `You can use ${names}.` : '');
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

export async function notebooksRemoveCommand(wanted: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id, name } = await notebookCalled(client, wanted);
  await client.notebooks.remove(id);
  print(`Removed ${harmless(name)}. Its files are where they were.`);
}
