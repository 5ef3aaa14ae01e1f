import { z } from 'zod';

/** How a review stands, without the text of anything. */
export const reviewSummarySchema = z.object({
  review_id: z.string(),
  job_id: z.string(),
  /** Which proposal of the job it is, from 1. */
  proposal: z.int(),
  /** `conflict`: a file is no longer what the proposal was made for; nothing was written, and only a rerun helps. */
  state: z.enum(['open', 'applying', 'conflict', 'applied', 'superseded']),
  files: z.int(),
  hunks: z.int(),
  accepted: z.int(),
  rejected: z.int(),
  pending: z.int(),
  created_at: z.iso.datetime(),
});
export type ReviewSummary = z.infer<typeof reviewSummarySchema>;
