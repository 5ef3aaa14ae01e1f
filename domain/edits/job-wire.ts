import { z } from 'zod';
import { runErrorSchema, runStatusSchema } from '../run.ts';
import { eventSchema } from '../run-events.ts';
import { proposedEditSchema } from './edit.ts';
import { reviewSummarySchema } from './review-summary.ts';
import { appliedFileSchema, conflictFileSchema, diffBundleSchema } from './review-wire.ts';

const at = z.iso.datetime();

const editQuestionSchema = z.object({ question_id: z.string(), question: z.string(), created_at: at });

export const jobSummarySchema = z.object({
  job_id: z.string(),
  session_id: z.string(),
  status: runStatusSchema,
  instruction: z.string(),
  created_at: at,
  started_at: at.nullable(),
  finished_at: at.nullable(),
  checkpoint_id: z.string().nullable(),
});
export type JobSummary = z.infer<typeof jobSummarySchema>;

export const startedJobSchema = z.object({ job_id: z.string(), status: runStatusSchema });

export const jobSchema = z.object({
  id: z.string(),
  job_id: z.string(),
  session_id: z.string(),
  status: runStatusSchema,
  instruction: z.string(),
  agent_id: z.string(),
  agent_name: z.string(),
  notebook_id: z.string(),
  model: z.string(),
  created_at: at,
  started_at: at.nullable(),
  finished_at: at.nullable(),
  /** Of the newest event; 0 before the first. */
  cursor: z.int(),
  /** Of the oldest event that is still given. */
  first_cursor: z.int(),
  tool_calls: z.int(),
  max_tool_calls: z.int(),
  question: editQuestionSchema.nullable(),
  review: reviewSummarySchema.nullable(),
  proposed_edits: z.array(proposedEditSchema),
  diff_bundle: diffBundleSchema.nullable(),
  conflict: z.array(conflictFileSchema),
  applied_files: z.array(appliedFileSchema),
  checkpoint_id: z.string().nullable(),
  output: z.unknown(),
  error: runErrorSchema.nullable(),
  poll_interval_ms: z.int(),
});
export type Job = z.infer<typeof jobSchema>;

export const jobEventsSchema = z.object({
  job_id: z.string(),
  status: runStatusSchema,
  first_cursor: z.int(),
  next_cursor: z.int(),
  events: z.array(eventSchema),
});
export type JobEvents = z.infer<typeof jobEventsSchema>;

/** Skipping is an answer too: the agent is told `no_user_answer`. */
export const clarifyBody = z
  .strictObject({
    question_id: z.string().max(200),
    answer: z.string().min(1).max(100_000).optional(),
    skip: z.boolean().optional(),
  })
  .refine(({ answer, skip }) => (answer !== undefined) !== (skip === true), {
    message: 'give an answer, or skip: true',
    path: ['answer'],
  });

export const jobCommandReplySchema = z.object({ job_id: z.string(), status: runStatusSchema });

/** What a run tells, in the words of jobs. Everything else is told as runs tell it, under the same cursors. */
export const JOB_EVENTS: Readonly<Record<string, string>> = {
  'run.started': 'job.started',
  'run.completed': 'job.completed',
  'run.failed': 'job.failed',
  'run.budget_exceeded': 'job.failed',
  'run.cancelled': 'job.cancelled',
  'tool.started': 'tool.call.requested',
  'tool.completed': 'tool.call.completed',
};
