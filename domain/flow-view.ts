import { z } from 'zod';
import { runErrorSchema } from './run.ts';

const json = z.unknown();

/** A step of a workflow's run with all it was given and gave. */
const flowStepSchema = z.object({
  address: z.string(),
  id: z.string(),
  type: z.string(),
  name: z.string(),
  status: z.enum(['running', 'completed', 'failed']),
  attempt: z.int(),
  input: json,
  output: json,
  error: runErrorSchema.nullable(),
  until: z.string().nullable(),
  begun_at: z.string(),
  ended_at: z.string().nullable(),
  inherited: z.boolean(),
  child_run_id: z.string().nullable(),
  action_id: z.string().nullable(),
});
export type FlowStepView = z.infer<typeof flowStepSchema>;

/** The workflow as the run began with it, and how far its steps have come. */
export const flowViewSchema = z.object({
  run_id: z.string(),
  definition_id: z.string(),
  definition_name: z.string(),
  definition_version: z.int(),
  steps: z.array(z.record(z.string(), json)),
  run_steps: z.array(flowStepSchema),
  state: z.record(z.string(), json),
  /** What the agent, tool or workflow of a step is called, by the id of the step. */
  names: z.record(z.string(), z.string()),
});
export type FlowView = z.infer<typeof flowViewSchema>;
