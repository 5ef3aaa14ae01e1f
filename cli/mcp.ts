import type { McpServer } from '../domain/mcp.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { askedValue } from './credentials.ts';
import { openDesk } from './desk.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { isCalled, workspaceFor } from './workspace-choice.ts';

const PLACE_WIDTH = 60;
const TEXT_WIDTH = 80;

async function allServers(client: Client): Promise<McpServer[]> {
  const servers: McpServer[] = [];
  const pages = everyItem((cursor) => client.mcpServers.list(cursor === undefined ? {} : { cursor }));
  for await (const server of pages) servers.push(server);
  return servers;
}

async function serverCalled(client: Client, wanted: string): Promise<McpServer> {
  const all = await allServers(client);
  const found = all.find(isCalled(wanted));
  if (found) return found;
  const names = all.map(({ name }) => name).join(', ');
  throw new Trouble(`There is no MCP server "${wanted}".`, names ? `There is ${names}.` : 'Add one first.');
}

const placeOf = ({ transport }: McpServer): string =>
  transport.kind === 'http' ? transport.url : [transport.command, ...transport.args].join(' ');

const foundAt = ({ findings, is_active }: McpServer): string => {
  if (!is_active) return 'off';
  if (findings.state === 'unknown') return 'not looked at yet';
  return findings.state === 'failed' ? 'not reached' : `${findings.tools.length} tools`;
};

export async function mcpListCommand({ json = false }: { json?: boolean }): Promise<void> {
  const { client, print } = await openDesk({ json });
  const servers = await allServers(client);
  if (json) for (const server of servers) print(JSON.stringify(server));
  else if (servers.length === 0) print('No MCP server yet. Add one with: longhaul mcp add <name> --url <address>');
  else {
    const rows = servers.map((server) => [
      server.id,
      server.name,
      foundAt(server),
      brief(placeOf(server), PLACE_WIDTH),
    ]);
    for (const row of tableLines(['ID', 'NAME', 'FOUND', 'WHERE'], rows)) print(row);
  }
}

interface AddOptions {
  url?: string;
  private?: boolean;
  read: string[];
  write: string[];
  network?: boolean;
  workspace?: string;
}

/** What was found, and what to do where that is nothing. */
function told({ name, findings }: McpServer): string {
  if (findings.state === 'reached') {
    return `Reached ${harmless(findings.server ?? name)}: ${findings.tools.length} tools${findings.has_resources ? ', resources' : ''}.`;
  }
  if (findings.state === 'unknown') return `Nobody has answered yet. Look again with: longhaul mcp refresh ${name}`;
  return `It was registered, but not reached: ${harmless(findings.error ?? '')}`;
}

export async function mcpAddCommand(name: string, command: string[], options: AddOptions): Promise<void> {
  const [program, ...args] = command;
  if ((options.url === undefined) === (program === undefined)) {
    throw new Trouble('Give either --url or, behind --, the command that starts the server.');
  }
  const { client, print } = await openDesk();
  const { id: workspace_id } = await workspaceFor(client, options.workspace);
  const folders = [
    ...options.read.map((path) => ({ path, writable: false })),
    ...options.write.map((path) => ({ path, writable: true })),
  ];
  const made = await client.mcpServers.create({
    workspace_id,
    name,
    transport:
      options.url === undefined
        ? { kind: 'stdio', command: program ?? '', args, folders, network: options.network ?? false }
        : { kind: 'http', url: options.url, allow_private: options.private ?? false },
  });
  print(`${made.id}  ${made.name}`);
  print(told(made));
}

export async function mcpToolsCommand(wanted: string): Promise<void> {
  const { client, print } = await openDesk();
  const server = await serverCalled(client, wanted);
  if (server.findings.tools.length === 0) {
    print(told(server));
    return;
  }
  const rows = server.findings.tools.map(({ name, description, read_only }) => [
    name,
    read_only ? 'reads' : 'changes',
    brief(description.split('\n')[0] ?? '', TEXT_WIDTH),
  ]);
  for (const row of tableLines(['TOOL', 'IT', 'WHAT IT SAYS OF ITSELF'], rows)) print(row);
}

export async function mcpRefreshCommand(wanted: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id } = await serverCalled(client, wanted);
  print(told(await client.mcpServers.refresh(id)));
}

export async function mcpSecretCommand(wanted: string, key: string): Promise<void> {
  const desk = await openDesk();
  const { id, name } = await serverCalled(desk.client, wanted);
  const value = await askedValue(key, desk);
  if (value === null) return;
  await desk.client.mcpServers.setSecret(id, { key, value });
  desk.print(`Set ${key} of ${name}. ${told(await desk.client.mcpServers.refresh(id))}`);
}

export async function mcpRemoveCommand(wanted: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id, name } = await serverCalled(client, wanted);
  await client.mcpServers.remove(id);
  print(`Removed ${name}.`);
}
