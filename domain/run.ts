import { z } from 'zod';

export const runStatusSchema = z.enum([
  'queued',
  'running',
  'paused',
  'waiting_for_user',
  'awaiting_confirmation',
  'awaiting_review',
  'completed',
  'failed',
  'cancelled',
  'budget_exceeded',
]);
export type RunStatus = z.infer<typeof runStatusSchema>;

export type EndStatus = 'completed' | 'failed' | 'cancelled' | 'budget_exceeded';
export const ENDED_STATUSES: EndStatus[] = ['completed', 'failed', 'cancelled', 'budget_exceeded'];
const ENDED: ReadonlySet<string> = new Set(ENDED_STATUSES);
export const hasEnded = (status: RunStatus): status is EndStatus => ENDED.has(status);

export const triggerSchema = z.enum(['chat', 'event', 'schedule', 'sdk', 'delegation', 'workflow']);
export type Trigger = z.infer<typeof triggerSchema>;

const json = z.unknown();

/** What a caller may set lower than the agent does, never higher. */
const budgetBody = z.strictObject({
  max_iterations: z.int().min(1).max(100_000).optional(),
  max_token_budget: z.int().min(1).max(1_000_000_000).optional(),
  max_cost_usd: z.number().positive().max(1_000_000).optional(),
  max_duration: z.int().min(1).max(31_536_000).optional(),
});
export type BudgetBody = z.infer<typeof budgetBody>;

export const startRunBody = z
  .strictObject({
    agent_id: z.string().max(100).optional(),
    agent: z.string().max(100).optional(),
    workspace_id: z.string().max(100).optional(),
    input: json,
    notebook_id: z.string().max(100).optional(),
    session_id: z.string().max(100).optional(),
    trigger_type: z.enum(['chat', 'sdk']).default('sdk'),
    output_schema: z.record(z.string(), json).optional(),
    budget: budgetBody.optional(),
    wait: z.number().min(0).max(300).optional(),
  })
  .refine(
    ({ agent_id, agent, session_id }) =>
      agent_id === undefined ? agent !== undefined || session_id !== undefined : agent === undefined,
    { message: 'give either agent_id or agent (slug or name)', path: ['agent'] },
  )
  .refine((body) => body.input !== undefined, { message: 'input is required', path: ['input'] });
export type StartRun = z.infer<typeof startRunBody>;

export const runErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
  retryable: z.boolean(),
});

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
  created_at: z.iso.datetime(),
});
export type PendingAction = z.infer<typeof pendingActionSchema>;

export const pendingQuestionSchema = z.object({
  id: z.string(),
  ...asker,
  question: z.string(),
  created_at: z.iso.datetime(),
});
export type PendingQuestion = z.infer<typeof pendingQuestionSchema>;

const tokensSchema = z.object({ input: z.int(), output: z.int(), cached: z.int() });

export const runSchema = z.object({
  id: z.string(),
  workflow_id: z.string(),
  workspace_id: z.string(),
  org_id: z.string(),
  agent_id: z.string(),
  agent_name: z.string(),
  agent_version: z.int(),
  notebook_id: z.string().nullable(),
  /** The session it belongs to; those below it belong there, too. */
  conversation_id: z.string().nullable(),
  trigger_type: triggerSchema,
  trigger_source: z.string(),
  caller_user_id: z.string(),
  caller_name: z.string(),
  status: runStatusSchema,
  input: json,
  output: json,
  output_schema: z.record(z.string(), json).nullable(),
  error: runErrorSchema.nullable(),
  llm_model: z.string(),
  iterations_used: z.int(),
  tokens_used: z.int(),
  tokens: tokensSchema,
  /** Null where a call was made whose price nobody knows. */
  cost_usd: z.number().nullable(),
  unconfirmed_calls: z.int(),
  unconfirmed_tokens: z.int(),
  unconfirmed_cost_usd: z.number(),
  /** Of the run and all below it, settled. */
  tree: z.object({ iterations: z.int(), tokens: z.int(), cost_usd: z.number() }),
  budget_max_iterations: z.int(),
  budget_max_tokens: z.int(),
  budget_max_cost_usd: z.number().nullable(),
  /** Seconds at work. */
  budget_max_duration: z.int().nullable(),
  /** Paths it has written, made or deleted. */
  files_modified: z.array(z.string()),
  /** Milliseconds at work so far: waiting for people does not count. */
  active_ms: z.int(),
  parent_run_id: z.string().nullable(),
  relation: z.enum(['delegation', 'workflow', 'resume', 'fork']).nullable(),
  root_run_id: z.string(),
  resume_from_step: z.int().nullable(),
  /** Of the Temporal history behind it, as its last segment saw it. */
  history: z.object({ events: z.int(), bytes: z.int(), max_events: z.int() }).nullable(),
  pending_actions: z.array(pendingActionSchema),
  pending_questions: z.array(pendingQuestionSchema),
  retry_at: z.iso.datetime().nullable(),
  duration_ms: z.int().nullable(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  completed_at: z.iso.datetime().nullable(),
});
export type Run = z.infer<typeof runSchema>;

export const resumeBody = z.strictObject({
  override_input: json.optional(),
  budget: budgetBody.optional(),
});
export type ResumeRun = z.infer<typeof resumeBody>;

export const forkBody = z.strictObject({
  /** The last step that is taken over; 0 takes over nothing but the files of the beginning. */
  step: z.int().min(0),
  input: json.optional(),
  model: z.string().min(1).max(200).optional(),
  system_prompt: z.string().max(100_000).optional(),
  budget: budgetBody.optional(),
});
export type ForkRun = z.infer<typeof forkBody>;

/** One run of a tree, as a tree shows it. */
const treeNodeSchema = z.object({
  id: z.string(),
  parent_run_id: z.string().nullable(),
  relation: z.enum(['delegation', 'workflow', 'resume', 'fork']).nullable(),
  agent_id: z.string(),
  agent_name: z.string(),
  status: runStatusSchema,
  llm_model: z.string(),
  iterations_used: z.int(),
  tokens_used: z.int(),
  cost_usd: z.number().nullable(),
  unconfirmed_calls: z.int(),
  duration_ms: z.int().nullable(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  completed_at: z.iso.datetime().nullable(),
});
export type TreeNode = z.infer<typeof treeNodeSchema>;

/** All runs below one root, the root first, in the order they were made; and what the whole has used. */
export const runTreeSchema = z.object({
  root_run_id: z.string(),
  runs: z.array(treeNodeSchema),
  settled: z.object({ tokens: z.int(), cost_usd: z.number() }),
  unconfirmed: z.object({ calls: z.int(), tokens: z.int(), cost_usd: z.number() }),
});
export type RunTree = z.infer<typeof runTreeSchema>;

export const startedRunSchema = z.object({ id: z.string(), status: runStatusSchema });

const stepTypeSchema = z.enum([
  'llm_response',
  'tool_call',
  'tool_result',
  'budget_warning',
  'clarification',
  'confirmation',
  'error',
]);

export const stepSchema = z.object({
  step_number: z.int(),
  type: stepTypeSchema,
  content: z.record(z.string(), z.unknown()),
  tokens_used: z.int().nullable(),
  duration_ms: z.int().nullable(),
  created_at: z.iso.datetime(),
  /** Where somebody has asked why; null where nobody has. */
  rationale: z.string().nullable().optional(),
});
export type Step = z.infer<typeof stepSchema>;

export const eventSchema = z.object({
  cursor: z.int(),
  type: z.string(),
  ts: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});
export type RunEvent = z.infer<typeof eventSchema>;

export const eventPageSchema = z.object({
  run_id: z.string(),
  status: runStatusSchema,
  next_cursor: z.int(),
  events: z.array(eventSchema),
});
export type EventPage = z.infer<typeof eventPageSchema>;

/** Text of an answer that is still being written: never stored in the log, gone when the answer is complete. */
export interface Delta {
  run_id: string;
  turn: number;
  try: number;
  offset: number;
  text: string;
}

export const confirmBody = z
  .strictObject({
    action_id: z.string().max(200),
    confirmed: z.boolean(),
    reason: z.string().max(4000).optional(),
    arguments: z.record(z.string(), z.unknown()).optional(),
    digest: z.string().max(200).optional(),
    /** Allows the tool for the rest of the session; of the run where there is none. */
    for_session: z.boolean().optional(),
  })
  .refine(({ confirmed, for_session }) => confirmed || for_session !== true, {
    message: 'only what is allowed can be allowed for the session',
    path: ['for_session'],
  });
export type ConfirmAction = z.infer<typeof confirmBody>;

export const answerBody = z.strictObject({
  question_id: z.string().max(200),
  answer: z.string().min(1).max(100_000),
});

export const messageBody = z.strictObject({ content: z.string().trim().min(1).max(100_000) });

export const inboxItemSchema = z.object({
  kind: z.enum(['action', 'question']),
  run_id: z.string(),
  /** The session it is asked in, where there is one. */
  conversation_id: z.string().nullable(),
  agent_name: z.string(),
  workspace_id: z.string(),
  since: z.iso.datetime(),
  action: pendingActionSchema.nullable(),
  question: pendingQuestionSchema.nullable(),
});
export type InboxItem = z.infer<typeof inboxItemSchema>;

/** What a skipped clarification is answered with. */
export const NO_ANSWER = 'no_user_answer';
