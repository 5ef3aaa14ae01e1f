import { z } from 'zod';
import { checkoutSchema } from './checkout.ts';
import { pendingActionSchema, pendingQuestionSchema, pendingReviewSchema } from './pending.ts';
import { type RunStatus, runStatusSchema } from './run-status.ts';
import { TRIGGERS } from './word-lists.ts';

export { type RunStatus, runStatusSchema } from './run-status.ts';

export type EndStatus = 'completed' | 'failed' | 'cancelled' | 'budget_exceeded';
export const ENDED_STATUSES: EndStatus[] = ['completed', 'failed', 'cancelled', 'budget_exceeded'];
const ENDED: ReadonlySet<string> = new Set(ENDED_STATUSES);
export const hasEnded = (status: RunStatus): status is EndStatus => ENDED.has(status);

export const triggerSchema = z.enum(TRIGGERS);
export type Trigger = z.infer<typeof triggerSchema>;

const json = z.unknown();

export const runErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
  retryable: z.boolean(),
  /** Of a tool call: which call of which run it was, as the log of the worker names them. */
  request_id: z.string().optional(),
  correlation_id: z.string().optional(),
});

/** By address: `find`, or `each[3].summarize` for what runs in a map. */
const workflowStateSchema = z.object({
  steps: z.record(
    z.string(),
    z.object({
      type: z.string(),
      status: z.enum(['running', 'completed', 'failed']),
      attempt: z.int(),
      output: json.optional(),
      error: runErrorSchema.optional(),
      /** Taken over from the run this one goes on from. */
      inherited: z.literal(true).optional(),
    }),
  ),
  state: z.record(z.string(), json),
  /** Outputs were left out because they are large; GET /runs/:id/workflow has them. */
  truncated: z.literal(true).optional(),
});

const tokensSchema = z.object({ input: z.int(), output: z.int(), cached: z.int() });

export const runSchema = z.object({
  id: z.string(),
  /** Of a run of a workflow, the workflow's; of others, the name of what carries them. */
  workflow_id: z.string(),
  workspace_id: z.string(),
  org_id: z.string(),
  /** Of a run of a workflow the three name the workflow. */
  agent_id: z.string(),
  agent_name: z.string(),
  agent_version: z.int(),
  notebook_id: z.string().nullable(),
  /** The session it belongs to; those below it belong there, too. */
  conversation_id: z.string().nullable(),
  trigger_type: triggerSchema,
  trigger_source: z.string(),
  /** What started it, where nobody did. */
  schedule_id: z.string().nullable(),
  event_delivery_id: z.string().nullable(),
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
  /** Of an agent's run its number, of a workflow's the step. */
  resume_from_step: z.union([z.int(), z.string()]).nullable(),
  /** The workflow it runs; null where it is the run of an agent. */
  definition_id: z.string().nullable(),
  definition_name: z.string().nullable(),
  definition_version: z.int().nullable(),
  /** How far its steps have come, and what they gave. */
  workflow_state: workflowStateSchema.nullable(),
  /** Of a run on a git notebook. */
  checkout: checkoutSchema.nullable(),
  /** Of the Temporal history behind it, as its last segment saw it. */
  history: z.object({ events: z.int(), bytes: z.int(), max_events: z.int() }).nullable(),
  pending_actions: z.array(pendingActionSchema),
  pending_questions: z.array(pendingQuestionSchema),
  /** Proposed edits that people have neither applied nor sent back. */
  pending_reviews: z.array(pendingReviewSchema),
  /** Set where it is a job of /api/agent: what it may use of tools. */
  edit_job: z.object({ max_tool_calls: z.int() }).nullable(),
  retry_at: z.iso.datetime().nullable(),
  duration_ms: z.int().nullable(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  completed_at: z.iso.datetime().nullable(),
});
export type Run = z.infer<typeof runSchema>;

/** A run that goes on where another failed. */
export const resumedRunSchema = z.object({
  id: z.string(),
  parent_run_id: z.string(),
  agent_id: z.string(),
  workflow_id: z.string(),
  status: runStatusSchema,
  resume_from_step: z.union([z.int(), z.string()]).nullable(),
  created_at: z.iso.datetime(),
});

export const startedRunSchema = z.object({ id: z.string(), status: runStatusSchema });
