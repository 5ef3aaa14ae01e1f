import type { z } from 'zod';
import type { Executor } from '../domain/checkout.ts';
import type { Credential } from '../domain/credential.ts';
import type { GithubIntegration, githubIntegrationBody } from '../domain/github.ts';
import type { addedMemberSchema, Member, Role } from '../domain/identity.ts';
import type { ChangeNotebook, Notebook, NotebookRoots, Workspace } from '../domain/workspace.ts';
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
  add: (name: string) => call<Workspace>('/workspaces', { method: 'POST', body: { name } }),
  rename: (id: string, name: string) => call<Workspace>(`/workspaces/${at(id)}`, { method: 'PUT', body: { name } }),

  notebook: (id: string) => call<Notebook>(`/notebooks/${at(id)}`),
  notebookRoots: (workspace_id: string) => call<NotebookRoots>('/notebooks/roots', { query: { workspace_id } }),
  addNotebook: (body: NewNotebook) => call<Notebook>('/notebooks', { method: 'POST', body }),
  renameNotebook: (id: string, name: string) =>
    call<Notebook>(`/notebooks/${at(id)}`, { method: 'PUT', body: { name } }),
  changeNotebook: (id: string, body: ChangeNotebook) => call<Notebook>(`/notebooks/${at(id)}`, { method: 'PUT', body }),
  access: (id: string) => call<{ items: Credential[] }>(`/notebooks/${at(id)}/credentials`),
  setAccess: (id: string, key: string, value: string) =>
    call<Credential>(`/notebooks/${at(id)}/credentials`, { method: 'POST', body: { key, value } }),
  removeAccess: (id: string, key: string) => tell(`/notebooks/${at(id)}/credentials/${at(key)}`, { method: 'DELETE' }),
  executors: () => call<{ items: Executor[] }>('/executors'),
  removeNotebook: (id: string) => tell(`/notebooks/${at(id)}`, { method: 'DELETE' }),

  github: (workspace_id: string) => call<GithubIntegration>('/integrations/github', { query: { workspace_id } }),
  setGithub: (body: z.input<typeof githubIntegrationBody>) =>
    call<GithubIntegration>('/integrations/github', { method: 'PUT', body }),
  removeGithub: (workspace_id: string) => tell('/integrations/github', { method: 'DELETE', query: { workspace_id } }),

  invite: (workspaceId: string, body: { email: string; name?: string; role: Role }) =>
    call<AddedMember>(members(workspaceId), { method: 'POST', body }),
  changeRole: (workspaceId: string, userId: string, role: Role) =>
    call<Member>(members(workspaceId, `/${at(userId)}`), { method: 'PUT', body: { role } }),
  removeMember: (workspaceId: string, userId: string) =>
    tell(members(workspaceId, `/${at(userId)}`), { method: 'DELETE' }),
};
