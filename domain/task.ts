import { z } from 'zod';
import { type EndStatus, type Run, runStatusSchema } from './run.ts';

export const taskStatusSchema = z.enum(['open', 'in_progress', 'done', 'failed']);
export type TaskStatus = z.infer<typeof taskStatusSchema>;

/** Work for an agent: assigning it starts a run, and the end of the run is its end. */
export const taskSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  title: z.string(),
  description: z.string(),
  notebook_id: z.string().nullable(),
  /** The agent; null while nobody has it. */
  assigned_to: z.string().nullable(),
  assigned_name: z.string().nullable(),
  status: taskStatusSchema,
  /** The run of the latest assignment. */
  run_id: z.string().nullable(),
  /** What that run is doing; null where it is not there yet, or no longer. */
  run_status: runStatusSchema.nullable(),
  /** Why it failed. */
  error_message: z.string().nullable(),
  created_by: z.string(),
  created_by_name: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Task = z.infer<typeof taskSchema>;

const title = z.string().trim().min(1).max(200);
const description = z.string().max(100_000);
const id = z.string().max(100);

export const createTaskBody = z.strictObject({
  workspace_id: id,
  title,
  description: description.default(''),
  notebook_id: id.nullable().default(null),
  assigned_to: id.nullable().default(null),
});
export type CreateTask = z.infer<typeof createTaskBody>;

export const updateTaskBody = z.strictObject({
  title: title.optional(),
  description: description.optional(),
  notebook_id: id.nullable().optional(),
  assigned_to: id.nullable().optional(),
});
export type UpdateTask = z.infer<typeof updateTaskBody>;

/** What the agent is told. */
export const taskInput = ({ title: what, description: more }: Pick<Task, 'title' | 'description'>): string =>
  more.trim() === '' ? what : `${what}\n\n${more}`;

const FAILED: Record<Exclude<EndStatus, 'completed'>, string> = {
  failed: 'The run failed.',
  cancelled: 'The run was cancelled.',
  budget_exceeded: 'The run used up its budget before it was done.',
};

/** What the end of its run makes of a task. */
export function taskOutcome(
  status: EndStatus,
  error: Run['error'],
): Pick<Task, 'status' | 'error_message'> & { status: 'done' | 'failed' } {
  if (status === 'completed') return { status: 'done', error_message: null };
  return { status: 'failed', error_message: error?.message ?? FAILED[status] };
}
