import { openDesk } from './desk.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { ago } from './words.ts';
import { allWorkspaces, workspaceCalled } from './workspace-choice.ts';

const NAME_WIDTH = 40;

export async function workspacesListCommand({ json = false }: { json?: boolean }): Promise<void> {
  const { client, print } = await openDesk({ json });
  const workspaces = await allWorkspaces(client);
  if (json) for (const workspace of workspaces) print(JSON.stringify(workspace));
  else if (workspaces.length === 0) print('You are a member of no workspace. Make one: longhaul workspaces add <name>');
  else {
    const rows = workspaces.map(({ id, name, role, created_at }) => [
      id,
      brief(name, NAME_WIDTH),
      role,
      ago(created_at, Date.now()),
    ]);
    for (const row of tableLines(['ID', 'NAME', 'YOUR ROLE', 'MADE'], rows)) print(row);
  }
}

export async function workspacesAddCommand(name: string): Promise<void> {
  const { client, print } = await openDesk();
  const made = await client.workspaces.create({ name });
  print(`${made.id}  ${harmless(made.name)}`);
}

export async function workspacesRenameCommand(wanted: string, name: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id } = await workspaceCalled(client, wanted);
  const renamed = await client.workspaces.rename(id, name);
  print(`${renamed.id}  ${harmless(renamed.name)}`);
}
