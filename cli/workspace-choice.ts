import type { Workspace } from '../domain/workspace.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { Trouble } from './trouble.ts';

export const isCalled =
  (wanted: string) =>
  ({ id, name }: { id: string; name: string }): boolean =>
    id === wanted || name === wanted;

export async function allWorkspaces(client: Client): Promise<Workspace[]> {
  const all: Workspace[] = [];
  const pages = everyItem((cursor) => client.workspaces.list(cursor === undefined ? {} : { cursor }));
  for await (const each of pages) all.push(each);
  return all;
}

const demand = (all: Workspace[], wanted: string): Workspace => {
  const found = all.find(isCalled(wanted));
  if (found) return found;
  const names = all.map(({ name }) => `"${name}"`).join(', ');
  throw new Trouble(`There is no workspace "${wanted}".`, names ? `You can use ${names}.` : '');
};

/** By name or id. */
export const workspaceCalled = async (client: Client, wanted: string): Promise<Workspace> =>
  demand(await allWorkspaces(client), wanted);

/** By name or id; without one the first that serves. */
async function workspaceThat(
  client: Client,
  wanted: string | undefined,
  serves: (workspace: Workspace) => boolean,
  none: string,
): Promise<Workspace> {
  const all = await allWorkspaces(client);
  if (wanted !== undefined) return demand(all, wanted);
  const found = all.find(serves);
  if (!found) throw new Trouble(none);
  return found;
}

export const workspaceFor = (client: Client, wanted: string | undefined): Promise<Workspace> =>
  workspaceThat(client, wanted, ({ role }) => role !== 'read', 'There is no workspace you may write in.');

export const workspaceToAdminister = (client: Client, wanted: string | undefined): Promise<Workspace> =>
  workspaceThat(client, wanted, ({ role }) => role === 'admin', 'There is no workspace you administer.');
