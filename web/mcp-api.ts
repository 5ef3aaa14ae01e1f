import type { z } from 'zod';
import type { Credential } from '../domain/credential.ts';
import type { ChangeMcpServer, createMcpServerBody, McpServer } from '../domain/mcp.ts';
import { at, call, tell } from './http.ts';

interface ServerPage {
  items: McpServer[];
  next_cursor: string | null;
}

export const mcpApi = {
  servers: (workspace_id: string) =>
    call<ServerPage>('/mcp-servers', { query: { workspace_id, limit: '100' } }).then(({ items }) => items),
  add: (body: z.input<typeof createMcpServerBody>) => call<McpServer>('/mcp-servers', { method: 'POST', body }),
  change: (id: string, body: ChangeMcpServer) => call<McpServer>(`/mcp-servers/${at(id)}`, { method: 'PUT', body }),
  refresh: (id: string) => call<McpServer>(`/mcp-servers/${at(id)}/refresh`, { method: 'POST' }),
  remove: (id: string) => tell(`/mcp-servers/${at(id)}`, { method: 'DELETE' }),
  secrets: (id: string) =>
    call<{ items: Credential[] }>(`/mcp-servers/${at(id)}/credentials`).then(({ items }) => items),
  setSecret: (id: string, body: { key: string; value: string }) =>
    call<Credential>(`/mcp-servers/${at(id)}/credentials`, { method: 'POST', body }),
  removeSecret: (id: string, key: string) =>
    tell(`/mcp-servers/${at(id)}/credentials/${at(key)}`, { method: 'DELETE' }),
};
