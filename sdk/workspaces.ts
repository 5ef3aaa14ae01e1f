import type { z } from 'zod';
import type { AuditLine } from '../domain/audit.ts';
import type {
  ApiKey,
  addedMemberSchema,
  addMemberBody,
  createApiKeyBody,
  createdApiKeySchema,
  Member,
  Role,
} from '../domain/identity.ts';
import type { createTaskBody, Task, TaskStatus, updateTaskBody } from '../domain/task.ts';
import type { createWorkspaceBody, Workspace } from '../domain/workspace.ts';
import { at } from './address.ts';
import type { Http } from './http.ts';
import { type AuditQuery, auditQuery, type Page, type PageQuery } from './queries.ts';

/** A workspace: who is in it, what is to be done in it, what was done. */
export const workspaceCalls = (http: Http) => ({
  workspaces: {
    list: (query: PageQuery = {}) => http.get<Page<Workspace>>('/workspaces', { query: { ...query } }),
    create: (body: z.input<typeof createWorkspaceBody>) => http.post<Workspace>('/workspaces', { body }),
    rename: (id: string, name: string) => http.put<Workspace>(at('workspaces', id), { body: { name } }),
    members: (id: string, query: PageQuery = {}) =>
      http.get<Page<Member>>(at('workspaces', id, '/members'), { query: { ...query } }),
    /** Somebody new gets a sign-in link; for a member it changes the role. */
    addMember: (id: string, body: z.input<typeof addMemberBody>) =>
      http.post<z.infer<typeof addedMemberSchema>>(at('workspaces', id, '/members'), { body }),
    changeRole: (id: string, userId: string, role: Role) =>
      http.put<Member>(at('workspaces', id, `/members/${encodeURIComponent(userId)}`), { body: { role } }),
    removeMember: (id: string, userId: string) =>
      http.delete(at('workspaces', id, `/members/${encodeURIComponent(userId)}`)),
  },
  tasks: {
    list: (query: PageQuery & { workspace_id?: string; status?: TaskStatus; assigned_to?: string } = {}) =>
      http.get<Page<Task>>('/tasks', { query: { ...query } }),
    get: (id: string) => http.get<Task>(at('tasks', id)),
    /** With `assigned_to` its run starts at once. */
    create: (body: z.input<typeof createTaskBody>) => http.post<Task>('/tasks', { body }),
    update: (id: string, body: z.input<typeof updateTaskBody>) => http.put<Task>(at('tasks', id), { body }),
    assign: (id: string, agentId: string) => http.put<Task>(at('tasks', id), { body: { assigned_to: agentId } }),
    remove: (id: string) => http.delete(at('tasks', id)),
  },
  audit: {
    list: ({ cursor, limit, ...query }: AuditQuery & PageQuery = {}) =>
      http.get<Page<AuditLine>>('/audit', { query: { ...auditQuery(query), cursor, limit } }),
    /** As a file, of any length: the body is to be read as it comes. */
    export: (format: 'ndjson' | 'csv', query: AuditQuery = {}) =>
      http.fetch('/audit/export', {}, { ...auditQuery(query), format }),
  },
  apiKeys: {
    list: (query: PageQuery = {}) => http.get<Page<ApiKey>>('/api-keys', { query: { ...query } }),
    create: (body: z.input<typeof createApiKeyBody>) =>
      http.post<z.infer<typeof createdApiKeySchema>>('/api-keys', { body }),
    revoke: (id: string) => http.delete(at('api-keys', id)),
  },
});
