import { z } from 'zod';
import { credentialKey, credentialSchema, setCredentialBody } from '../../domain/credential.ts';
import type { Caller } from '../../domain/identity.ts';
import { changeMcpServerBody, createMcpServerBody, type McpServer, mcpServerSchema } from '../../domain/mcp.ts';
import {
  changeMcpServer,
  createMcpServer,
  demandMcpServer,
  findMcpServer,
  listMcpSecrets,
  listMcpServers,
  removeMcpSecret,
  removeMcpServer,
  setMcpSecret,
} from '../../store/mcp-servers.ts';
import type { AppDeps } from '../app.ts';
import { idOf, idParam } from '../ids.ts';
import { inspectServer } from '../mcp-inspections.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { expectedVersion, versionTag } from '../preconditions.ts';
import { type Route, route } from '../route.ts';

const tag = 'MCP servers';
const params = idParam('mcp');

export const mcpServerRoutes = ({ runs, draining, secretKey, previousKeys = [] }: AppDeps): Route[] => {
  /** As it was found to be, where that did not take too long. */
  const looked = async (caller: Caller, server: McpServer): Promise<McpServer> => {
    if (server.is_active) await inspectServer(runs.starter, caller.org_id, server, draining);
    return findMcpServer(caller, server.id);
  };
  const reply = (server: McpServer) => ({ body: server, headers: versionTag(server.version) });

  return [
    route({
      method: 'post',
      path: '/mcp-servers',
      tag,
      summary: 'Register an MCP server and look at what it can do (admin)',
      body: createMcpServerBody.safeExtend({ workspace_id: idOf('ws') }),
      shows: ['workspace_id', 'name', 'allowed_tools'],
      replies: { 201: mcpServerSchema },
      handler: async ({ caller, newId, body }) => {
        const server = await createMcpServer(caller, { id: newId('mcp'), ...body });
        return { status: 201, ...reply(await looked(caller, server)) };
      },
    }),
    route({
      method: 'get',
      path: '/mcp-servers',
      tag,
      summary: 'The MCP servers of your workspaces, with what was found there',
      query: z.strictObject({ workspace_id: idOf('ws').optional(), ...pageQuery }),
      replies: { 200: pageSchema(mcpServerSchema) },
      handler: async ({ caller, query: { workspace_id, ...page } }) => ({
        status: 200,
        body: await listMcpServers(caller, workspace_id, page),
      }),
    }),
    route({
      method: 'get',
      path: '/mcp-servers/:id',
      tag,
      summary: 'One MCP server',
      params,
      replies: { 200: mcpServerSchema },
      handler: async ({ caller, params: { id } }) => ({ status: 200, ...reply(await findMcpServer(caller, id)) }),
    }),
    route({
      method: 'put',
      path: '/mcp-servers/:id',
      tag,
      summary: 'Change an MCP server, and look at it again (admin)',
      params,
      body: changeMcpServerBody,
      conditional: true,
      shows: ['name', 'allowed_tools', 'is_active'],
      replies: { 200: mcpServerSchema },
      handler: async ({ req, caller, params: { id }, body }) => {
        const changed = await changeMcpServer(caller, id, body, expectedVersion(req));
        return { status: 200, ...reply(await looked(caller, changed)) };
      },
    }),
    route({
      method: 'delete',
      path: '/mcp-servers/:id',
      tag,
      summary: 'Remove an MCP server that no active agent uses (admin)',
      params,
      replies: { 204: null },
      handler: async ({ caller, params: { id } }) => {
        await removeMcpServer(caller, id);
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: '/mcp-servers/:id/refresh',
      tag,
      summary: 'Look again at what an MCP server can do (admin)',
      params,
      replies: { 200: mcpServerSchema },
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        ...reply(await looked(caller, await demandMcpServer(caller, id))),
      }),
    }),
    route({
      method: 'post',
      path: '/mcp-servers/:id/credentials',
      tag,
      summary:
        'Set a secret header (`header_<name>`) or variable (`env_<name>`) of an MCP server; never shown again (admin)',
      params,
      body: setCredentialBody,
      shows: ['key'],
      replies: { 201: credentialSchema },
      handler: async ({ caller, params: { id }, body }) => ({
        status: 201,
        body: await setMcpSecret(caller, [secretKey, ...previousKeys], { server_id: id, ...body }),
      }),
    }),
    route({
      method: 'get',
      path: '/mcp-servers/:id/credentials',
      tag,
      summary: 'The names of the secrets of an MCP server (admin)',
      params,
      replies: { 200: z.object({ items: z.array(credentialSchema), next_cursor: z.null() }) },
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: { items: await listMcpSecrets(caller, id), next_cursor: null },
      }),
    }),
    route({
      method: 'delete',
      path: '/mcp-servers/:id/credentials/:key',
      tag,
      summary: 'Remove a secret of an MCP server (admin)',
      params: z.strictObject({ id: idOf('mcp'), key: credentialKey }),
      replies: { 204: null },
      handler: async ({ caller, params: { id, key } }) => {
        await removeMcpSecret(caller, id, key);
        return { status: 204 };
      },
    }),
  ];
};
