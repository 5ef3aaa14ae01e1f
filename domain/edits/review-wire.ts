import { z } from 'zod';
import { runStatusSchema } from '../run.ts';
import { CHANGE_STATUSES } from './change-log.ts';
import { reviewSummarySchema } from './review-summary.ts';

const status = z.enum(CHANGE_STATUSES);

export const pathSchema = z.string().min(1).max(2048);

export const originSchema = z.enum(['agent', 'user']);

export const hunkSchema = z.object({
  hunk_id: z.string(),
  origin: originSchema,
  patch: z.string(),
  /** null: not decided yet. It shows in the working buffer unless it is rejected. */
  accepted: z.boolean().nullable(),
  edit_ids: z.array(z.string()),
  rationales: z.array(z.string()),
  comment: z.string().nullable(),
  /** Over the limits and not to be split by rule: to be split by hand, or accepted as one. */
  oversized_hunk: z.boolean(),
  /** Why it is left out of the working buffer though nobody has rejected it; null where it is in it. */
  blocked: z.string().nullable(),
  /** The first line of the base that it replaces, or before which it inserts, from 1; null for a change by hand. */
  old_start: z.int().nullable(),
});
export type Hunk = z.infer<typeof hunkSchema>;

const diffFileSchema = z.object({
  file_path: z.string(),
  /** null where the file is new. */
  base_file_hash: z.string().nullable(),
  hunks: z.array(hunkSchema),
});

export const diffBundleSchema = z.object({
  job_id: z.string(),
  files: z.array(diffFileSchema),
});
export type DiffBundle = z.infer<typeof diffBundleSchema>;

const changeEntrySchema = z.object({
  id: z.string(),
  origin: originSchema,
  forward_patch: z.string(),
  reverse_patch: z.string(),
  status,
  file_hash_before: z.string().nullable(),
});

/** One file of a review, with its text: as it was, as it is now in the review, and how it came to that. */
export const reviewFileSchema = diffFileSchema.extend({
  /** null where there was no file. */
  base_snapshot: z.string().nullable(),
  /** null where there is no file as long as everything in it is rejected. */
  working_buffer: z.string().nullable(),
  /** Of the working buffer: what a manual change is based on. */
  buffer_hash: z.string().nullable(),
  /** Where changes are in the working buffer, top to bottom. */
  places: z.array(z.object({ hunk_id: z.string(), start_line: z.int(), line_count: z.int() })),
  can_undo: z.boolean(),
  can_redo: z.boolean(),
  change_log: z.array(changeEntrySchema),
});
export type ReviewFile = z.infer<typeof reviewFileSchema>;

/** What is no longer as the proposal expected it. */
export const conflictFileSchema = z.object({
  file_path: z.string(),
  reason: z.string(),
  expected_hash: z.string().nullable(),
  actual_hash: z.string().nullable(),
  /** From what was expected to what is there; null where it is no text, gone, or where a hash is all that was expected. */
  diff: z.string().nullable(),
  /** Where the proposal itself met it: the edits that expect other lines. The hashes above are then of the whole file as
   * the agent read it (null where it had not), and as it is. */
  edits: z
    .array(
      z.object({
        edit_id: z.string(),
        start_line: z.int(),
        end_line: z.int(),
        expected_hash: z.string(),
        /** null where there are no such lines. */
        actual_hash: z.string().nullable(),
      }),
    )
    .optional(),
});
export type ConflictFile = z.infer<typeof conflictFileSchema>;

export const appliedFileSchema = z.object({
  file_path: z.string(),
  applied_hunks: z.int(),
  rejected_hunks: z.int(),
});
export type AppliedFile = z.infer<typeof appliedFileSchema>;

/** About one hunk, several, or all of a file. A decision, a comment, or both; or where an oversized hunk is to be split. */
export const reviewBody = z
  .strictObject({
    hunk_id: z.string().max(200).optional(),
    /** Any number of them in any number of files, with one decision about all. */
    hunk_ids: z.array(z.string().max(200)).min(1).max(100_000).optional(),
    file_path: pathSchema.optional(),
    decision: z.enum(['accept', 'reject', 'pending']).optional(),
    comment: z.string().max(10_000).optional(),
    /** An oversized hunk is accepted only where this says that all of it is meant. */
    as_one: z.boolean().optional(),
    /** The hunk becomes two, the first with so many of its added lines (and of its removed ones). */
    split_at: z.strictObject({ new_lines: z.int().min(0), old_lines: z.int().min(0).optional() }).optional(),
  })
  .refine(
    ({ hunk_id, hunk_ids, file_path }) =>
      [hunk_id, hunk_ids, file_path].filter((each) => each !== undefined).length === 1,
    { message: 'give one of hunk_id, hunk_ids and file_path', path: ['hunk_id'] },
  )
  .refine(({ decision, comment, split_at }) => [decision, comment, split_at].some((each) => each !== undefined), {
    message: 'give a decision, a comment or split_at',
    path: ['decision'],
  })
  .refine(({ hunk_id, split_at, decision }) => split_at === undefined || (hunk_id !== undefined && !decision), {
    message: 'split_at goes with a hunk_id, and without a decision',
    path: ['split_at'],
  })
  .refine(({ hunk_ids, decision, comment }) => hunk_ids === undefined || (decision && comment === undefined), {
    message: 'hunk_ids go with a decision, and without a comment',
    path: ['hunk_ids'],
  });
export type ReviewBody = z.infer<typeof reviewBody>;

export const reviewReplySchema = z.object({
  job_id: z.string(),
  status: runStatusSchema,
  review: reviewSummarySchema,
  /** Of the newest event of the job. */
  cursor: z.int(),
  /** What each change came to whose status was set by this. */
  statuses: z.record(z.string(), status),
  /** The file that it was about, with its text; none where it was about `hunk_ids` or `file_paths`. */
  files: z.array(reviewFileSchema),
});
export type ReviewReply = z.infer<typeof reviewReplySchema>;

/** What the reviewer has made of the working buffer, or a step back or forth in the editor. */
export const changesBody = z
  .strictObject({
    file_path: pathSchema.optional(),
    /** For undo and redo: one step in each of these files. */
    file_paths: z.array(pathSchema).min(1).max(100_000).optional(),
    /** The whole buffer as it is now. */
    content: z.string().max(10_485_760).optional(),
    /** Of the buffer that was changed: another one in the meantime is a conflict. */
    buffer_hash: z.string().max(100).optional(),
    undo: z.literal(true).optional(),
    redo: z.literal(true).optional(),
  })
  .refine(({ file_path, file_paths }) => (file_path === undefined) !== (file_paths === undefined), {
    message: 'give either file_path or file_paths',
    path: ['file_path'],
  })
  .refine(({ content, undo, redo }) => [content, undo, redo].filter((each) => each !== undefined).length === 1, {
    message: 'give one of content, undo and redo',
    path: ['content'],
  })
  .refine(({ file_paths, content }) => file_paths === undefined || content === undefined, {
    message: 'content goes with one file_path',
    path: ['file_paths'],
  });
export type ChangesBody = z.infer<typeof changesBody>;

export const rerunBody = z.strictObject({ comment: z.string().max(10_000).optional() });

export const applyBody = z.strictObject({
  session_id: z.string().max(100),
  job_id: z.string().max(100),
  accepted_hunk_ids: z.array(z.string().max(200)).max(100_000),
});

/** `completed` once all of it is on disk; `running` where that takes longer than a request may. */
export const appliedSchema = z.object({
  status: runStatusSchema,
  applied_files: z.array(appliedFileSchema),
  checkpoint_id: z.string().nullable(),
});
