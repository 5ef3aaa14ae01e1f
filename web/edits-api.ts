import type { z } from 'zod';
import type {
  appliedSchema,
  ChangesBody,
  Checkpoint,
  CheckpointSummary,
  createdEditSessionSchema,
  Diff3,
  EditContextRow,
  EditSession,
  EditSessionSummary,
  Job,
  JobEvents,
  jobCommandReplySchema,
  ReviewBody,
  ReviewFile,
  ReviewReply,
  RollbackReply,
  savedSchema,
  startedJobSchema,
} from '../domain/edits/wire.ts';
import { at, call, type Page } from './http.ts';

/** Schemas are imported as types only: zod itself stays out of the bundle. */
export type Applied = z.infer<typeof appliedSchema>;
type CreatedSession = z.infer<typeof createdEditSessionSchema>;
type Started = z.infer<typeof startedJobSchema>;
type CommandReply = z.infer<typeof jobCommandReplySchema>;
type Saved = z.infer<typeof savedSchema>;

const base = '/api/agent' as const;
const read = <T>(path: string, query: Record<string, string | number | null> = {}, signal?: AbortSignal): Promise<T> =>
  call<T>(path, { base, query, signal });
const send = <T>(path: string, body: unknown = {}, idempotency_key?: string): Promise<T> =>
  call<T>(path, { base, method: 'POST', body, ...(idempotency_key === undefined ? {} : { idempotency_key }) });
const job = (id: string, rest = ''): string => `/jobs/${at(id)}${rest}`;
const checkpoint = (id: string, rest = ''): string => `/checkpoints/${at(id)}${rest}`;

export const editsApi = {
  sessions: () => read<Page<EditSessionSummary>>('/sessions', { limit: 100 }),
  session: (id: string) => read<EditSession>(`/sessions/${at(id)}`),
  begin: (body: { notebook_id: string; agent_id?: string }) => send<CreatedSession>('/sessions', body),
  start: (body: { session_id: string; instruction: string; context_rows: EditContextRow[] }, key: string) =>
    send<Started>('/run', body, key),

  job: (id: string) => read<Job>(job(id)),
  events: (id: string, cursor: number) => read<JobEvents>(job(id, '/events'), { cursor }),
  file: (id: string, file_path: string, signal?: AbortSignal) =>
    read<ReviewFile>(job(id, '/file'), { file_path }, signal),
  clarify: (id: string, question_id: string, answer: string | null) =>
    send<CommandReply>(job(id, '/clarify'), answer === null ? { question_id, skip: true } : { question_id, answer }),
  review: (id: string, body: ReviewBody) => send<ReviewReply>(job(id, '/review'), body),
  change: (id: string, body: ChangesBody) => send<ReviewReply>(job(id, '/changes'), body),
  rerun: (id: string, comment: string) => send<CommandReply>(job(id, '/rerun'), comment === '' ? {} : { comment }),
  cancel: (id: string) => send<CommandReply>(job(id, '/cancel')),
  apply: (body: { session_id: string; job_id: string; accepted_hunk_ids: string[] }, key: string) =>
    send<Applied>('/apply', body, key),

  checkpoints: (notebook_id: string, cursor: string | null) =>
    read<Page<CheckpointSummary>>('/checkpoints', { notebook_id, cursor, limit: 50 }),
  checkpoint: (id: string) => read<Checkpoint>(checkpoint(id)),
  compare: (id: string, file_path: string, signal?: AbortSignal) =>
    read<Diff3>(checkpoint(id, '/diff3'), { file_path }, signal),
  rollback: (id: string, body: { mode: 'hard_all' | 'scoped_selected'; hunk_ids: string[] }) =>
    send<RollbackReply>(checkpoint(id, '/rollback'), body),
  save: (id: string, body: { rollback_id: string; contents?: { file_path: string; content: string }[] }) =>
    send<Saved>(checkpoint(id, '/save'), body),
};
