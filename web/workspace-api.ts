import type { z } from 'zod';
import type { addedMemberSchema, Member, Role } from '../domain/identity.ts';
import type { Notebook, NotebookRoots, Workspace } from '../domain/workspace.ts';
import { at, call, tell } from './http.ts';

export type AddedMember = z.infer<typeof addedMemberSchema>;

export interface NewNotebook {
  workspace_id: string;
  name: string;
  kind: 'folder' | 'git';
  path?: string;
  url?: string;
  default_branch?: string;
}

const members = (workspaceId: string, rest = ''): string => `/workspaces/${at(workspaceId)}/members${rest}`;

export const workspaceApi = {
  rename: (id: string, name: string) => call<Workspace>(`/workspaces/${at(id)}`, { method: 'PUT', body: { name } }),

  notebook: (id: string) => call<Notebook>(`/notebooks/${at(id)}`),
  notebookRoots: (workspace_id: string) => call<NotebookRoots>('/notebooks/roots', { query: { workspace_id } }),
  addNotebook: (body: NewNotebook) => call<Notebook>('/notebooks', { method: 'POST', body }),
  renameNotebook: (id: string, name: string) =>
    call<Notebook>(`/notebooks/${at(id)}`, { method: 'PUT', body: { name } }),
  removeNotebook: (id: string) => tell(`/notebooks/${at(id)}`, { method: 'DELETE' }),

  invite: (workspaceId: string, body: { email: string; name?: string; role: Role }) =>
    call<AddedMember>(members(workspaceId), { method: 'POST', body }),
  changeRole: (workspaceId: string, userId: string, role: Role) =>
    call<Member>(members(workspaceId, `/${at(userId)}`), { method: 'PUT', body: { role } }),
  removeMember: (workspaceId: string, userId: string) =>
    tell(members(workspaceId, `/${at(userId)}`), { method: 'DELETE' }),
};
