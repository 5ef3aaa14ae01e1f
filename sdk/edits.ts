import type { z } from 'zod';
import type * as wire from '../domain/edits/wire.ts';
import type { Http } from './http.ts';
import type { Page, PageQuery } from './queries.ts';

type Input<S extends z.ZodType> = z.input<S>;
type Reviewed = z.infer<typeof wire.reviewReplySchema>;
type Command = z.infer<typeof wire.jobCommandReplySchema>;
type Applied = z.infer<typeof wire.appliedSchema>;

/** All files of a proposal are checked, staged and written. */
const APPLY_MS = 60_000;

/** Project-wide edits: sessions, jobs, their review, and the way back. */
export function editsOf(http: Http) {
  const at = (noun: string, id: string, rest = '') => `/api/agent/${noun}/${encodeURIComponent(id)}${rest}`;
  return {
    sessions: {
      create: (body: Input<typeof wire.newEditSessionBody> = {}) =>
        http.post<z.infer<typeof wire.createdEditSessionSchema>>('/api/agent/sessions', { body }),
      get: (id: string) => http.get<wire.EditSession>(at('sessions', id)),
      list: (query: PageQuery = {}) =>
        http.get<Page<wire.EditSessionSummary>>('/api/agent/sessions', { query: { ...query } }),
      change: (id: string, body: Input<typeof wire.changeEditSessionBody>) =>
        http.put<wire.EditSession>(at('sessions', id), { body }),
    },
    /** Starts a job: it looks, asks, and proposes edits that wait for a review. */
    run: (body: Input<typeof wire.startJobBody>) =>
      http.post<z.infer<typeof wire.startedJobSchema>>('/api/agent/run', { body }),
    job: (id: string) => http.get<wire.Job>(at('jobs', id)),
    /** What is there from a cursor on; with `wait` (seconds) it is held until there is something. */
    events: (id: string, query: { cursor?: number; wait?: number } = {}) =>
      http.get<wire.JobEvents>(at('jobs', id, '/events'), { query, heldMs: (query.wait ?? 0) * 1000 }),
    /** One file of the review with its text. */
    file: (id: string, file_path: string) =>
      http.get<wire.ReviewFile>(at('jobs', id, '/file'), { query: { file_path } }),
    clarify: (id: string, question_id: string, answer: string) =>
      http.post<Command>(at('jobs', id, '/clarify'), { body: { question_id, answer } }),
    skip: (id: string, question_id: string) =>
      http.post<Command>(at('jobs', id, '/clarify'), { body: { question_id, skip: true } }),
    review: (id: string, body: Input<typeof wire.reviewBody>) =>
      http.post<Reviewed>(at('jobs', id, '/review'), { body }),
    /** By hand, in the working buffer of the review; or a step back or forth there. */
    change: (id: string, body: Input<typeof wire.changesBody>) =>
      http.post<Reviewed>(at('jobs', id, '/changes'), { body }),
    /** Sends a proposal back with what was rejected and said. */
    rerun: (id: string, comment?: string) =>
      http.post<Command>(at('jobs', id, '/rerun'), { body: comment === undefined ? {} : { comment } }),
    cancel: (id: string) => http.post<Command>(at('jobs', id, '/cancel')),
    /** Writes the accepted hunks, all files or none; all others are rejected. */
    apply: (body: Input<typeof wire.applyBody>) => http.post<Applied>('/api/agent/apply', { body, heldMs: APPLY_MS }),
    checkpoints: {
      list: (query: PageQuery & { session_id?: string; notebook_id?: string } = {}) =>
        http.get<Page<wire.CheckpointSummary>>('/api/agent/checkpoints', { query: { ...query } }),
      get: (id: string) => http.get<wire.Checkpoint>(at('checkpoints', id)),
      diff3: (id: string, file_path: string) =>
        http.get<wire.Diff3>(at('checkpoints', id, '/diff3'), { query: { file_path } }),
      /** Into the buffer; nothing is on disk before it is saved. */
      rollback: (id: string, body: Input<typeof wire.rollbackBody>) =>
        http.post<wire.RollbackReply>(at('checkpoints', id, '/rollback'), { body }),
      save: (id: string, body: Input<typeof wire.saveBody> = {}) =>
        http.post<z.infer<typeof wire.savedSchema>>(at('checkpoints', id, '/save'), { body, heldMs: APPLY_MS }),
    },
  };
}
