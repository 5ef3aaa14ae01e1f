import type { ContextRow, Session, SessionSummary } from '../domain/session.ts';
import { at, call, type Page } from './http.ts';

export interface NewSession {
  agent_id: string;
  notebook_id?: string | undefined;
  context_rows?: ContextRow[] | undefined;
}

export const sessionsApi = {
  list: (workspace_id: string, archived: boolean, cursor: string | null) =>
    call<Page<SessionSummary>>('/sessions', { query: { workspace_id, archived, cursor, limit: 50 } }),
  get: (id: string) => call<Session>(`/sessions/${at(id)}`),
  create: ({ agent_id, ...body }: NewSession, idempotency_key: string) =>
    call<Session>(`/agents/${at(agent_id)}/sessions`, { method: 'POST', body, idempotency_key }),
  change: (id: string, body: Partial<Pick<Session, 'title' | 'archived' | 'context_rows'>>) =>
    call<Session>(`/sessions/${at(id)}`, { method: 'PUT', body }),
  message: (id: string, content: string, idempotency_key: string) =>
    call<Session>(`/sessions/${at(id)}/message`, { method: 'POST', body: { content }, idempotency_key }),
  cancel: (id: string) => call<Session>(`/sessions/${at(id)}/cancel`, { method: 'POST' }),
};
