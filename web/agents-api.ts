import type { Agent, Operation } from '../domain/agent.ts';
import type { AgentDraft } from './agent-draft.ts';
import { api } from './api.ts';
import { at, call, callForText, type Page, tell } from './http.ts';

export interface Template {
  id: string;
  name: string;
  description: string;
  agent: Partial<AgentDraft>;
}

export interface ModelProvider {
  provider: string;
  /** How a model of this provider is written. */
  example: string;
  configured: boolean;
  note: string;
}

/** What the guard looks at, saved or not. */
export type Probed = Pick<
  AgentDraft,
  | 'scope'
  | 'can_read'
  | 'can_write'
  | 'can_create'
  | 'can_delete'
  | 'can_execute_code'
  | 'can_access_integrations'
  | 'confirmation'
  | 'system_tools'
>;

export interface ProbeQuestion {
  agent: Probed;
  notebook_id: string;
  path: string;
  operation: Operation;
}

export interface ProbeAnswer {
  allowed: boolean;
  /** By which rule, in words: "folder rule 2 (/drafts/*)". */
  rule: string;
  asks: 'always' | 'first_time' | 'never' | null;
  /** As it was judged. */
  path: string;
}

export interface Credential {
  key: string;
  created_at: string;
  updated_at: string;
}

export interface FileEntry {
  name: string;
  path: string;
  type: 'folder' | 'file';
}

type Changes = Partial<AgentDraft>;

/** Every page of a list whose whole is needed: to search in it, or to name all but one of it. */
export async function everyPage<T>(read: (cursor: string | null) => Promise<Page<T>>, most = Infinity): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read(cursor);
    all.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null && all.length <= most);
  return all;
}

const one = (id: string): string => `/agents/${at(id)}`;

export const agentsApi = {
  all: (workspace_id: string) =>
    everyPage((cursor) => call<Page<Agent>>('/agents', { query: { workspace_id, cursor, limit: 100 } })),
  agent: (id: string) => call<Agent>(one(id)),
  create: (workspace_id: string, body: Changes, idempotency_key: string) =>
    call<Agent>('/agents', { method: 'POST', body: { workspace_id, ...body }, idempotency_key }),
  change: (id: string, body: Changes, if_match: number | undefined) =>
    call<Agent>(one(id), { method: 'PUT', body, if_match }),
  remove: (id: string) => tell(one(id), { method: 'DELETE' }),
  /** Brings back what was deleted, as it was. */
  async restore({ id, is_active }: Agent): Promise<void> {
    await call<Agent>(one(id), { method: 'PUT', body: { is_active: true } });
    if (!is_active) await agentsApi.activate(id, false);
  },
  activate: (id: string, active: boolean) => call<Agent>(`${one(id)}/activate`, { method: 'POST', query: { active } }),

  templates: () => call<Page<Template>>('/templates'),
  exported: (id: string) => callForText(`${one(id)}/export`),
  importYaml: (workspace_id: string, yaml: string, idempotency_key: string) =>
    call<Agent>('/agents/import', { method: 'POST', body: { workspace_id, yaml }, idempotency_key }),
  probe: (body: ProbeQuestion, signal: AbortSignal) =>
    call<ProbeAnswer>('/agents/probe', { method: 'POST', body, signal }),
  models: () => call<Page<ModelProvider>>('/models'),

  credentials: (id: string) => call<Page<Credential>>(`${one(id)}/credentials`),
  setCredential: (id: string, key: string, value: string) =>
    call<Credential>(`${one(id)}/credentials`, { method: 'POST', body: { key, value } }),
  removeCredential: (id: string, key: string) => tell(`${one(id)}/credentials/${at(key)}`, { method: 'DELETE' }),

  knowledgeSources: (workspace_id: string) => everyPage((cursor) => api.knowledge(workspace_id, cursor)),

  /** What is in one folder of a notebook, as far as a scope could name it. */
  folder: (notebook_id: string, path: string, most: number) =>
    everyPage(
      (cursor) =>
        call<Page<FileEntry>>(`/notebooks/${at(notebook_id)}/files`, { query: { path, cursor, limit: 1000 } }),
      most,
    ),
};
