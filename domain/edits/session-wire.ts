import { z } from 'zod';
import { jobSummarySchema } from './job-wire.ts';
import { reviewSummarySchema } from './review-summary.ts';
import { pathSchema } from './review-wire.ts';

const line = z.int().min(1);
const at = z.iso.datetime();

/** A block of a file that the user keeps before the agent. */
export const editContextRowSchema = z
  .strictObject({
    id: z.string().min(1).max(200).optional(),
    kind: z.enum(['selection', 'file']).default('selection'),
    file_path: pathSchema,
    start_line: line.optional(),
    end_line: line.optional(),
    /** As the user saw it; told to the agent where the file says otherwise by now. */
    content: z.string().max(65_536).optional(),
    note: z.string().max(1000).optional(),
  })
  .refine(({ start_line = 1, end_line }) => end_line === undefined || end_line >= start_line, {
    message: 'end_line lies before start_line',
    path: ['end_line'],
  });
export type EditContextRow = z.infer<typeof editContextRowSchema>;

const contextRows = z.array(editContextRowSchema).max(20);

export const newEditSessionBody = z.strictObject({
  /** Without it the notebook used last, else the oldest one there is. */
  notebook_id: z.string().max(100).optional(),
  /** Without it the built-in agent `editor`. */
  agent_id: z.string().max(100).optional(),
  title: z.string().trim().min(1).max(200).optional(),
  context_rows: contextRows.optional(),
});

const sessionStatus = z.enum(['active', 'archived']);

export const createdEditSessionSchema = z.object({
  session_id: z.string(),
  status: sessionStatus,
  created_at: at,
  notebook_id: z.string(),
  agent_id: z.string(),
});

export const changeEditSessionBody = z.strictObject({
  title: z.string().trim().min(1).max(200).optional(),
  status: sessionStatus.optional(),
  context_rows: contextRows.optional(),
});

const chatMessageSchema = z.object({
  id: z.string(),
  /** `tool` lines say in a few words what a tool was asked and how it went. */
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.string(),
  job_id: z.string(),
  created_at: at,
});

export const editSessionSchema = z.object({
  id: z.string(),
  session_id: z.string(),
  status: sessionStatus,
  title: z.string(),
  notebook_id: z.string(),
  agent_id: z.string(),
  agent_name: z.string(),
  user_id: z.string(),
  created_at: at,
  updated_at: at,
  chat: z.array(chatMessageSchema),
  context_rows: z.array(editContextRowSchema),
  last_job_id: z.string().nullable(),
  pending_review: reviewSummarySchema.nullable(),
  /** Newest first. */
  jobs: z.array(jobSummarySchema),
  poll_interval_ms: z.int(),
});
export type EditSession = z.infer<typeof editSessionSchema>;

export const editSessionSummarySchema = editSessionSchema.pick({
  id: true,
  session_id: true,
  status: true,
  title: true,
  notebook_id: true,
  agent_id: true,
  agent_name: true,
  user_id: true,
  created_at: true,
  updated_at: true,
  last_job_id: true,
});
export type EditSessionSummary = z.infer<typeof editSessionSummarySchema>;

export const startJobBody = z.strictObject({
  session_id: z.string().max(100),
  instruction: z.string().trim().min(1).max(100_000),
  /** They take the place of what was pinned in the session before; left out, that stays. */
  context_rows: contextRows.optional(),
  tool_config: z.strictObject({ max_tool_calls: z.int().min(1).max(1000).optional() }).optional(),
});
