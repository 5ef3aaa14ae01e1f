import type { z } from 'zod';
import type { ConfirmAction } from '../domain/run-requests.ts';
import type {
  ActionLog,
  changeSessionBody,
  createSessionBody,
  Session,
  SessionSummary,
  sessionMessageBody,
} from '../domain/session.ts';
import { at } from './address.ts';
import type { Http } from './http.ts';
import type { Page, PageQuery, SessionQuery } from './queries.ts';

/** Conversations with agents. */
export const sessionCalls = (http: Http) => ({
  sessions: {
    create: (agent: string, body: z.input<typeof createSessionBody> = {}) =>
      http.post<Session>(at('agents', agent, '/sessions'), { body }),
    get: (id: string) => http.get<Session>(at('sessions', id)),
    list: ({ archived, all, ...query }: SessionQuery = {}) =>
      http.get<Page<SessionSummary>>('/sessions', {
        query: {
          ...query,
          archived: archived === undefined ? undefined : String(archived),
          all: all ? 'true' : undefined,
        },
      }),
    change: (id: string, body: z.input<typeof changeSessionBody>) => http.put<Session>(at('sessions', id), { body }),
    /** Heard by the run under way, or else by the next one. With `wait` (seconds) it is held until that pauses or ends. */
    message: (id: string, content: string, more: Omit<z.input<typeof sessionMessageBody>, 'content'> = {}) =>
      http.post<Session>(at('sessions', id, '/message'), {
        body: { content, ...more },
        heldMs: (more.wait ?? 0) * 1000,
      }),
    confirm: (id: string, body: ConfirmAction) => http.post<Session>(at('sessions', id, '/confirm'), { body }),
    answer: (id: string, question_id: string, answer: string) =>
      http.post<Session>(at('sessions', id, '/answer'), { body: { question_id, answer } }),
    cancel: (id: string) => http.post<Session>(at('sessions', id, '/cancel')),
    /** What was done in it, from the first action on. */
    logs: (id: string, query: PageQuery = {}) =>
      http.get<Page<ActionLog>>(at('sessions', id, '/logs'), { query: { ...query } }),
  },
});
