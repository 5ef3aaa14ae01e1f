import type { z } from 'zod';
import type { apiKeySchema, createdApiKeySchema, Me, Member, signedInSchema } from '../domain/identity.ts';
import type { AddKnowledge, KnowledgeHits, KnowledgeSource, KnowledgeText } from '../domain/knowledge.ts';
import type { InboxItem } from '../domain/pending.ts';
import type { Quote } from '../domain/quote.ts';
import type { Rationale, rationalePendingSchema } from '../domain/rationale.ts';
import type { Run, RunStatus } from '../domain/run.ts';
import type { Step } from '../domain/run-events.ts';
import type { RunOrder } from '../domain/run-order.ts';
import type { ConfirmAction, ForkRun, ReviseAction } from '../domain/run-requests.ts';
import type { RunTree } from '../domain/run-tree.ts';
import type { Notebook } from '../domain/workspace.ts';
import { at, call, type Page, tell } from './http.ts';

/** Schemas are imported as types only: zod itself stays out of the bundle. */
type SignedIn = z.infer<typeof signedInSchema>;
type RationalePending = z.infer<typeof rationalePendingSchema>;
export type ApiKey = z.infer<typeof apiKeySchema>;
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;

export interface RunFilter {
  workspace_id?: string | undefined;
  status?: readonly RunStatus[] | undefined;
  agent_id?: string | undefined;
  trigger_type?: string | undefined;
  caller_user_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** Only runs that no other run has made. */
  root?: boolean | undefined;
  /** Only runs of this conversation. */
  session_id?: string | undefined;
  sort?: RunOrder | undefined;
}

export interface NewRun {
  agent_id: string;
  notebook_id?: string | undefined;
  input: string;
}

/** Being made, unless it has a text. */
export type Explanation = Rationale | RationalePending;

type Started = Pick<Run, 'id' | 'status'>;

export const api = {
  signIn: (email: string, password: string) =>
    call<SignedIn>('/auth/sign-in', { method: 'POST', body: { email, password } }),
  signInByLink: (token: string) => call<SignedIn>('/auth/link', { method: 'POST', body: { token } }),
  me: () => call<Me>('/me'),
  setPassword: (body: { password: string; current_password?: string }) => tell('/me/password', { method: 'PUT', body }),

  apiKeys: () => call<Page<ApiKey>>('/api-keys', { query: { limit: 100 } }),
  createApiKey: (body: { name: string; expires_at?: string }) =>
    call<CreatedApiKey>('/api-keys', { method: 'POST', body }),
  revokeApiKey: (id: string) => tell(`/api-keys/${at(id)}`, { method: 'DELETE' }),

  notebooks: (workspace_id: string) => call<Page<Notebook>>('/notebooks', { query: { workspace_id, limit: 100 } }),

  runs: (filter: RunFilter, cursor: string | null = null, limit = 50, signal?: AbortSignal) =>
    call<Page<Run>>('/runs', { query: { ...filter, status: filter.status?.join(','), cursor, limit }, signal }),
  run: (id: string) => call<Run>(`/runs/${at(id)}`),
  tree: (id: string) => call<RunTree>(`/runs/${at(id)}/tree`),
  step: (id: string, n: number) => call<Step>(`/runs/${at(id)}/steps/${n}`),
  startRun: (run: NewRun, idempotency_key: string) =>
    call<Started>('/runs', { method: 'POST', body: { ...run, trigger_type: 'chat' }, idempotency_key }),
  quote: (run: Pick<NewRun, 'agent_id' | 'input'>, signal?: AbortSignal) =>
    call<Quote>('/runs/quote', { method: 'POST', body: run, signal }),
  cancelRun: (id: string) => call<Run>(`/runs/${at(id)}/cancel`, { method: 'POST' }),
  pauseRun: (id: string) => call<Run>(`/runs/${at(id)}/pause`, { method: 'POST' }),
  unpauseRun: (id: string) => call<Run>(`/runs/${at(id)}/unpause`, { method: 'POST' }),
  resumeRun: (id: string, body: { override_input?: unknown }, idempotency_key: string) =>
    call<Started>(`/runs/${at(id)}/resume`, { method: 'POST', body, idempotency_key }),
  forkRun: (id: string, body: ForkRun, idempotency_key: string) =>
    call<Started>(`/runs/${at(id)}/fork`, { method: 'POST', body, idempotency_key }),
  explain: (id: string, step: number) => call<Rationale>(`/runs/${at(id)}/steps/${step}/rationale`, { method: 'POST' }),
  revise: (id: string, body: ReviseAction) => call<Run>(`/runs/${at(id)}/revise`, { method: 'POST', body }),
  confirm: (id: string, body: ConfirmAction) => call<Run>(`/runs/${at(id)}/confirm`, { method: 'POST', body }),
  answer: (id: string, question_id: string, answer: string) =>
    call<Run>(`/runs/${at(id)}/answer`, { method: 'POST', body: { question_id, answer } }),
  message: (id: string, content: string) => call<Run>(`/runs/${at(id)}/message`, { method: 'POST', body: { content } }),

  members: (workspace_id: string) =>
    call<Page<Member>>(`/workspaces/${at(workspace_id)}/members`, { query: { limit: 100 } }),

  knowledge: (workspace_id: string, cursor: string | null) =>
    call<Page<KnowledgeSource>>('/knowledge', { query: { workspace_id, cursor, limit: 100 } }),
  knowledgeSource: (id: string) => call<KnowledgeSource>(`/knowledge/${at(id)}`),
  knowledgeText: (id: string, from: number) =>
    call<KnowledgeText>(`/knowledge/${at(id)}/text`, { query: { from, to: from + 399 } }),
  searchKnowledge: (workspace_id: string, q: string, signal?: AbortSignal) =>
    call<KnowledgeHits>('/knowledge/search', { query: { q, workspace_id, limit: 20 }, signal }),
  addKnowledge: (body: AddKnowledge) => call<KnowledgeSource>('/knowledge', { method: 'POST', body }),
  removeKnowledge: (id: string) => tell(`/knowledge/${at(id)}`, { method: 'DELETE' }),

  inbox: () => call<{ items: InboxItem[] }>('/inbox'),
};
