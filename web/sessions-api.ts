import type { PendingAction, PendingQuestion, RunStatus } from '../domain/run.ts';
import { at, call, type Page } from './http.ts';

/** Lines of a file that the agent is shown with every message. */
export interface ContextRow {
  path: string;
  start_line?: number | undefined;
  end_line?: number | undefined;
  note?: string | undefined;
}

export interface SessionMessage {
  id: string;
  role: 'user' | 'assistant';
  content: string;
  run_id: string;
  created_at: string;
}

/** `pending`: nothing was said yet. */
export type SessionStatus = RunStatus | 'pending';

/** A conversation with an agent, over all its runs, as lists show it. */
export interface SessionSummary {
  id: string;
  agent_id: string;
  agent_name: string;
  workspace_id: string;
  notebook_id: string | null;
  user_id: string;
  title: string;
  status: SessionStatus;
  archived: boolean;
  context_rows: ContextRow[];
  /** The latest. */
  run_id: string | null;
  tokens_used: number;
  allowed_tools: string[];
  created_at: string;
  updated_at: string;
  /** Of its latest run. */
  completed_at: string | null;
}

export interface Session extends SessionSummary {
  /** Of its newest runs; what was said before is in the runs themselves. */
  messages: SessionMessage[];
  pending_actions: PendingAction[];
  pending_questions: PendingQuestion[];
}

export interface NewSession {
  agent_id: string;
  notebook_id?: string | undefined;
  context_rows?: ContextRow[] | undefined;
}

/** The conversation a run or what it asks belongs to, where there is one. */
export const sessionOf = (record: object): string | null =>
  'conversation_id' in record && typeof record.conversation_id === 'string' ? record.conversation_id : null;

/** Whether its tool may be allowed for the rest of the conversation: the agent's policy may want a person each time. */
export const canAllowForSession = (action: object): boolean =>
  !('can_allow_for_session' in action) || action.can_allow_for_session !== false;

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
