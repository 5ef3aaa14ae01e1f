import { z } from 'zod';
import { runStatusSchema } from './run-status.ts';

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

/** An event that has no place in a log yet. */
export type EventDraft = Omit<RunEvent, 'cursor'>;

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

/** What a tool call says while it is under way: never stored in the log, gone when its result is there. */
export interface ToolOutput {
  run_id: string;
  turn: number;
  call_id: string;
  offset: number;
  text: string;
}
