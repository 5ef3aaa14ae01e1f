import type { z } from 'zod';
import type { Credential, setCredentialBody } from '../domain/credential.ts';
import type { GithubIntegration, githubIntegrationBody } from '../domain/github.ts';
import type { ChangeMcpServer, createMcpServerBody, McpServer } from '../domain/mcp.ts';
import { at } from './address.ts';
import type { Http } from './http.ts';
import type { Page, PageQuery } from './queries.ts';

/** What agents of a workspace may reach outside of it. */
export const connectionCalls = (http: Http) => ({
  /** How agents of a workspace open pull requests. The token goes in and never comes out. */
  github: {
    get: (workspace_id: string) => http.get<GithubIntegration>('/integrations/github', { query: { workspace_id } }),
    set: (body: z.input<typeof githubIntegrationBody>) => http.put<GithubIntegration>('/integrations/github', { body }),
    remove: (workspace_id: string) => http.delete('/integrations/github', { query: { workspace_id } }),
  },
  mcpServers: {
    list: (query: PageQuery & { workspace_id?: string } = {}) =>
      http.get<Page<McpServer>>('/mcp-servers', { query: { ...query } }),
    create: (body: z.input<typeof createMcpServerBody>) => http.post<McpServer>('/mcp-servers', { body }),
    update: (id: string, body: ChangeMcpServer) => http.put<McpServer>(at('mcp-servers', id), { body }),
    /** Looks again at what it can do. */
    refresh: (id: string) => http.post<McpServer>(at('mcp-servers', id, '/refresh')),
    setSecret: (id: string, body: z.input<typeof setCredentialBody>) =>
      http.post<Credential>(at('mcp-servers', id, '/credentials'), { body }),
    remove: (id: string) => http.delete(at('mcp-servers', id)),
  },
});
