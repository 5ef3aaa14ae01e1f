import { z } from 'zod';
import { reviewSummarySchema } from './edits/review-summary.ts';

/** Whose question it is: a run's own, or that of a run below it, answered here or there. */
const asker = { run_id: z.string(), agent_name: z.string() };

export const pendingActionSchema = z.object({
  id: z.string(),
  ...asker,
  type: z.string(),
  path: z.string().nullable(),
  arguments: z.record(z.string(), z.unknown()),
  requires_confirmation: z.literal(true),
  /** False where the agent's own policy says that a person is asked each time. */
  can_allow_for_session: z.boolean(),
  preview: z.string(),
  digest: z.string(),
  /** Why it is not shown with the arguments that somebody wanted instead. */
  problem: z.string().optional(),
  created_at: z.iso.datetime(),
  /** When it came to be what it is now: later than it was asked where somebody has changed it. */
  shown_at: z.iso.datetime().optional(),
});
export type PendingAction = z.infer<typeof pendingActionSchema>;

export const pendingQuestionSchema = z.object({
  id: z.string(),
  ...asker,
  question: z.string(),
  created_at: z.iso.datetime(),
});
export type PendingQuestion = z.infer<typeof pendingQuestionSchema>;

export const pendingReviewSchema = reviewSummarySchema.extend({
  ...asker,
  /** In a conflict: the files that are not what the edits were made for, and what differs. */
  conflict: z.array(z.object({ file_path: z.string(), reason: z.string(), diff: z.string().nullable() })).optional(),
});
export type PendingReview = z.infer<typeof pendingReviewSchema>;

export const inboxItemSchema = z.object({
  kind: z.enum(['action', 'question', 'review']),
  run_id: z.string(),
  /** The session it is asked in, where there is one. */
  conversation_id: z.string().nullable(),
  agent_name: z.string(),
  workspace_id: z.string(),
  since: z.iso.datetime(),
  action: pendingActionSchema.nullable(),
  question: pendingQuestionSchema.nullable(),
  review: pendingReviewSchema.nullable(),
});
export type InboxItem = z.infer<typeof inboxItemSchema>;
