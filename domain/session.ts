import { z } from 'zod';
import { pendingActionSchema, pendingQuestionSchema } from './pending.ts';
import { runStatusSchema } from './run.ts';
import { messageBody } from './run-requests.ts';

/** A part of a file that the user keeps before the agent: it is read anew at the start of each run of the session. */
export const contextRowSchema = z
  .strictObject({
    path: z.string().min(1).max(1000),
    start_line: z.int().min(1).optional(),
    end_line: z.int().min(1).optional(),
    note: z.string().max(1000).optional(),
    /** As the user saw it, where that may be another text than the file has by now. */
    content: z.string().max(65_536).optional(),
  })
  .refine(({ start_line = 1, end_line }) => end_line === undefined || end_line >= start_line, {
    message: 'end_line lies before start_line',
    path: ['end_line'],
  });
export type ContextRow = z.infer<typeof contextRowSchema>;

/** As many as a person keeps in view; each is read up to a limit of its own. */
const contextRows = z.array(contextRowSchema).max(20);
const title = z.string().trim().min(1).max(200);

export const createSessionBody = z
  .strictObject({
    notebook_id: z.string().max(100).optional(),
    title: title.optional(),
    context_rows: contextRows.default([]),
  })
  .refine(({ notebook_id, context_rows }) => notebook_id !== undefined || context_rows.length === 0, {
    message: 'rows are read from the notebook: give a notebook_id',
    path: ['context_rows'],
  });
export type CreateSession = z.infer<typeof createSessionBody>;

export const changeSessionBody = z.strictObject({
  title: title.optional(),
  archived: z.boolean().optional(),
  context_rows: contextRows.optional(),
});
export type ChangeSession = z.infer<typeof changeSessionBody>;

export const sessionMessageBody = messageBody.extend({
  /** Seconds to hold the request until the run pauses or ends. */
  wait: z.number().min(0).max(300).optional(),
});

const sessionStatusSchema = z.enum(['pending', ...runStatusSchema.options]);
export type SessionStatus = z.infer<typeof sessionStatusSchema>;

const sessionMessageSchema = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  run_id: z.string(),
  created_at: z.iso.datetime(),
  /** What the message asks a person to allow; empty once nobody is asked any more. */
  pending_actions: z.array(pendingActionSchema),
});
export type SessionMessage = z.infer<typeof sessionMessageSchema>;

/** As lists show it. */
export const sessionSummarySchema = z.object({
  id: z.string(),
  /** The same, as clients of the conversation call it. */
  session_id: z.string(),
  workspace_id: z.string(),
  agent_id: z.string(),
  agent_name: z.string(),
  notebook_id: z.string().nullable(),
  user_id: z.string(),
  title: z.string(),
  /** That of its latest run; pending before the first. */
  status: sessionStatusSchema,
  archived: z.boolean(),
  context_rows: z.array(contextRowSchema),
  run_id: z.string().nullable(),
  /** Over all its runs and those below them. */
  tokens_used: z.int(),
  api_calls_made: z.int(),
  files_modified: z.array(z.string()),
  /** What the agent does without asking for the rest of the session. */
  allowed_tools: z.array(z.string()),
  error_message: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  completed_at: z.iso.datetime().nullable(),
});
export type SessionSummary = z.infer<typeof sessionSummarySchema>;

export const sessionSchema = sessionSummarySchema.extend({
  /** Of its newest runs; what was said before is in the runs themselves. */
  messages: z.array(sessionMessageSchema),
  pending_actions: z.array(pendingActionSchema),
  pending_questions: z.array(pendingQuestionSchema),
});
export type Session = z.infer<typeof sessionSchema>;

/** One thing the agent did or somebody did about it, as the audit log has it. */
export const actionLogSchema = z.object({
  id: z.string(),
  session_id: z.string(),
  run_id: z.string(),
  action_type: z.string(),
  target_path: z.string().nullable(),
  input_summary: z.string(),
  output_summary: z.string(),
  was_allowed: z.boolean(),
  execution_time_ms: z.int(),
  created_at: z.iso.datetime(),
});
export type ActionLog = z.infer<typeof actionLogSchema>;

const TITLE_CHARS = 80;
export const UNTITLED = 'New conversation';

/** A conversation nobody has named is called what it was opened with. */
export function titleFrom(text: string): string {
  const [first = ''] = text.trim().split('\n');
  return first.length > TITLE_CHARS ? `${first.slice(0, TITLE_CHARS - 1).trimEnd()}…` : first || UNTITLED;
}
