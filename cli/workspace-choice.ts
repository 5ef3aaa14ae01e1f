import type { Workspace } from '../domain/workspace.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { Trouble } from './trouble.ts';

export const isCalled =
  (wanted: string) =>
  ({ id, name }: { id: string; name: string }): boolean =>
    id === wanted || name === wanted;

/** By name or id; without one the first that the caller may write in. */
export async function workspaceFor(client: Client, wanted: string | undefined): Promise<Workspace> {
  const all: Workspace[] = [];
  const pages = everyItem((cursor) => client.workspaces.list(cursor === undefined ? {} : { cursor }));
  for await (const each of pages) all.push(each);
  const found = wanted === undefined ? all.find(({ role }) => role !== 'read') : all.find(isCalled(wanted));
  if (found) return found;
  const names = all.map(({ name }) => `"${name}"`).join(', ');
  if (wanted === undefined) throw new Trouble('There is no workspace you may write in.');
  throw new Trouble(`There is no workspace "${wanted}".`, names ? `You can use ${names}.` : '');
}
