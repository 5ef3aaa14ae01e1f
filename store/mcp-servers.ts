import type { Agent } from '../domain/agent.ts';
import type { Credential } from '../domain/credential.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import {
  type ChangeMcpServer,
  type CreateMcpServer,
  type McpServer,
  type McpTransport,
  namesServer,
} from '../domain/mcp.ts';
import { AgentModel } from './agent-record.ts';
import { isDuplicate } from './connection.ts';
import { blankFindings, type McpServerDoc, McpServerModel, toMcpServer } from './mcp-server-record.ts';
import { demandSameServer, forgetOwned, listOwned, removeOwned, setOwned } from './owned-credentials.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import type { SecretKeys } from './secrets.ts';
import { boundedBy, demandRole, missing } from './tenancy.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

const MANAGE = 'change MCP servers';

/** Whom its credentials are shown to. */
const placeOf = (transport: McpTransport): string => (transport.kind === 'http' ? transport.url : 'a program');

const taken = (name: string): Failure =>
  new Failure('conflict', `The workspace has an MCP server called ${name} already.`, { fields: { name: 'is taken' } });

/** Safe to repeat with the same id. */
export async function createMcpServer(
  caller: Caller,
  { id, ...body }: CreateMcpServer & { id: string },
): Promise<McpServer> {
  await demandWorkspace(caller, body.workspace_id, 'admin', MANAGE);
  const now = new Date();
  const fresh: McpServerDoc = {
    _id: id,
    org_id: caller.org_id,
    ...body,
    is_active: true,
    findings: blankFindings(),
    version: 1,
    created_at: now,
    updated_at: now,
  };
  try {
    await McpServerModel.create(fresh);
    return toMcpServer(fresh);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const same = await McpServerModel.findOne({ _id: id, ...boundedBy(caller) }).lean<McpServerDoc>();
    if (same) return toMcpServer(same);
    throw taken(body.name);
  }
}

export async function findMcpServer(caller: Caller, id: string): Promise<McpServer> {
  const found = await McpServerModel.findOne({ _id: id, ...boundedBy(caller) }).lean<McpServerDoc>();
  if (!found) throw missing('MCP server', id);
  return toMcpServer(found);
}

export async function listMcpServers(
  caller: Caller,
  workspaceId: string | undefined,
  page: PageRequest,
): Promise<Page<McpServer>> {
  if (workspaceId !== undefined) await findWorkspace(caller, workspaceId);
  return readPage(McpServerModel, boundedBy(caller, workspaceId), page, toMcpServer);
}

/** For what only admins do with it. */
export async function demandMcpServer(caller: Caller, id: string): Promise<McpServer> {
  const server = await findMcpServer(caller, id);
  demandRole(caller, server.workspace_id, 'admin', MANAGE);
  return server;
}

async function demandUnused(caller: Caller, { workspace_id, name }: McpServer): Promise<void> {
  const users = await AgentModel.find(
    { ...boundedBy(caller, workspace_id), is_active: true },
    { name: 1, mcp_servers: 1, grants: 1 },
  ).lean<{ _id: string; name: string; mcp_servers?: string[]; grants?: Agent['grants'] }[]>();
  const named = users.filter(({ mcp_servers = [], grants }) =>
    [...mcp_servers, ...(grants?.mcp_servers ?? [])].some((entry) => namesServer(entry, name)),
  );
  if (named.length === 0) return;
  const agents = named.map(({ _id, name: agent }) => ({ id: _id, name: agent }));
  throw new Failure('in_use', `Active agents use the MCP server ${name}.`, { used_by: agents });
}

/** What it was found to be holds only as long as it is reached the same way. */
export async function changeMcpServer(
  caller: Caller,
  id: string,
  body: ChangeMcpServer,
  expected: number | null = null,
): Promise<McpServer> {
  const before = await demandMcpServer(caller, id);
  if (expected !== null && before.version !== expected) {
    throw new Failure('version_conflict', `The MCP server is at version ${before.version} by now.`, {
      version: before.version,
    });
  }
  if (body.name !== undefined && body.name !== before.name) await demandUnused(caller, before);
  if (body.transport) await demandSameServer(caller, id, placeOf(before.transport), placeOf(body.transport));
  const changes = {
    ...Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
    ...(body.transport ? { findings: blankFindings() } : {}),
  };
  try {
    const changed = await McpServerModel.findOneAndUpdate(
      { _id: id, version: before.version, ...boundedBy(caller) },
      { $set: { ...changes, updated_at: new Date() }, $inc: { version: 1 } },
      { returnDocument: 'after' },
    ).lean<McpServerDoc>();
    if (changed) return toMcpServer(changed);
  } catch (error) {
    if (isDuplicate(error)) throw taken(body.name ?? before.name);
    throw error;
  }
  // Somebody was faster: decided again on what there is now.
  return changeMcpServer(caller, id, body, expected);
}

export async function removeMcpServer(caller: Caller, id: string): Promise<void> {
  const server = await demandMcpServer(caller, id);
  await demandUnused(caller, server);
  await forgetOwned(caller, id);
  await McpServerModel.deleteOne({ _id: id, ...boundedBy(caller) });
}

/** One with other secrets is another: whoever has a line open to it opens a new one. */
const renew = (caller: Caller, id: string) =>
  McpServerModel.updateOne(
    { _id: id, ...boundedBy(caller) },
    { $set: { updated_at: new Date() }, $inc: { version: 1 } },
  );

/** Sets or replaces it. Safe to repeat. */
export async function setMcpSecret(
  caller: Caller,
  keys: SecretKeys,
  { server_id: owner, key, value }: { server_id: string; key: string; value: string },
): Promise<Credential> {
  await demandMcpServer(caller, owner);
  const credential = await setOwned(caller, keys, { owner, key, value });
  await renew(caller, owner);
  return credential;
}

export async function listMcpSecrets(caller: Caller, id: string): Promise<Credential[]> {
  await demandMcpServer(caller, id);
  return listOwned(caller, id);
}

export async function removeMcpSecret(caller: Caller, id: string, key: string): Promise<void> {
  await demandMcpServer(caller, id);
  await removeOwned(caller, id, key);
  await renew(caller, id);
}
