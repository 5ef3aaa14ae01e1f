import { z } from 'zod';
import { cronProblem, zoneProblem } from './cron.ts';
import { mapped } from './mapping.ts';
import { mappingProblem, type Problem, refusalSchema, type Target, targetFields } from './trigger.ts';

/** What happens when it is time while the run before is still under way. */
export const overlapSchema = z.enum([
  'skip',
  'buffer_one',
  'buffer_all',
  'cancel_other',
  'terminate_other',
  'allow_all',
]);
export type Overlap = z.infer<typeof overlapSchema>;

const problemAs = (find: (text: string) => string | null) => (text: string, context: z.RefinementCtx) => {
  const message = find(text);
  if (message !== null) context.addIssue({ code: 'custom', message });
};

const fields = {
  ...targetFields,
  name: z.string().trim().max(200),
  input: z.unknown(),
  input_mapping: z.unknown(),
  cron_expression: z.string().trim().min(1).max(200).superRefine(problemAs(cronProblem)),
  time_zone: z.string().min(1).max(100).superRefine(problemAs(zoneProblem)),
  overlap: overlapSchema,
  is_active: z.boolean(),
};

export const createScheduleBody = z.strictObject({
  ...fields,
  workspace_id: z.string().min(1).max(100).optional().describe('That of what it starts, if it is not said'),
  agent_id: fields.agent_id.default(null),
  workflow_id: fields.workflow_id.default(null),
  notebook_id: fields.notebook_id.default(null),
  name: fields.name.default(''),
  input: fields.input.optional(),
  input_mapping: fields.input_mapping.optional(),
  time_zone: fields.time_zone.default('UTC'),
  tier: fields.tier.default('standard'),
  scopes: fields.scopes.default([]),
  overlap: fields.overlap.default('skip'),
  is_active: fields.is_active.default(true),
});
export type CreateSchedule = z.infer<typeof createScheduleBody>;

export const changeScheduleBody = z.strictObject(fields).partial();
export type ChangeSchedule = z.infer<typeof changeScheduleBody>;

export const pauseBody = z.strictObject({ paused: z.boolean().default(true) });
export const fireBody = z.strictObject({ overlap: overlapSchema.optional() });
export const backfillBody = z.strictObject({
  start_at: z.iso.datetime({ offset: true }),
  end_at: z.iso.datetime({ offset: true }),
  overlap: overlapSchema.optional(),
});

export const scheduleSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  name: z.string(),
  agent_id: z.string().nullable(),
  workflow_id: z.string().nullable(),
  /** Of the agent or the workflow. */
  target_name: z.string().nullable(),
  notebook_id: z.string().nullable(),
  input: z.unknown(),
  input_mapping: z.unknown(),
  cron_expression: z.string(),
  time_zone: z.string(),
  tier: fields.tier,
  scopes: z.array(z.string()),
  overlap: overlapSchema,
  is_active: z.boolean(),
  /** Null while it is paused. */
  next_run_time: z.iso.datetime().nullable(),
  last_run_id: z.string().nullable(),
  last_run_time: z.iso.datetime().nullable(),
  /** Why the last time came to nothing; null where it did not. */
  last_error: refusalSchema.nullable(),
  /** Whether what fires it has been told of its last change. */
  in_sync: z.boolean(),
  version: z.int(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Schedule = z.infer<typeof scheduleSchema>;

export const firedSchema = z.object({
  schedule_id: z.string(),
  /** `requested` where it waits for a run before it, or is not known yet; `refused` where nothing could be started. */
  outcome: z.enum(['started', 'skipped', 'refused', 'requested']),
  /** Where it has started: the run is there. */
  run_id: z.string().nullable(),
  error: refusalSchema.nullable(),
});

export const backfilledSchema = z.object({ schedule_id: z.string(), times: z.array(z.iso.datetime()) });

/** What paths in the mapping of a schedule begin with. */
const NAMES = ['input', 'schedule'] as const;

export function scheduleProblem({
  agent_id,
  workflow_id,
  input_mapping,
}: Target & { input_mapping: unknown }): Problem | null {
  if ((agent_id === null) === (workflow_id === null)) return ['agent_id', 'give either agent_id or workflow_id'];
  const wrong = mappingProblem(input_mapping, NAMES);
  return wrong === null ? null : ['input_mapping', wrong];
}

interface Fired {
  id: string;
  name: string;
  cron_expression: string;
  time_zone: string;
  input: unknown;
  input_mapping: unknown;
}

/** What a run is begun with: as the mapping says, else the input as it stands, else what is known of the schedule. */
export function scheduledInput({ input, input_mapping, ...schedule }: Fired, scheduled_time: string): unknown {
  const about = {
    id: schedule.id,
    name: schedule.name,
    cron_expression: schedule.cron_expression,
    time_zone: schedule.time_zone,
    scheduled_time,
  };
  if (input_mapping !== null) return mapped(input_mapping, { input, schedule: about });
  return input ?? { schedule: about };
}

/** Between the schedule in Temporal and the workflow it starts: ids and numbers. */
export interface ScheduledRunInput {
  v: 1;
  org_id: string;
  schedule_id: string;
  /** Of the schedule, as Temporal was told of it. */
  version: number;
  heartbeat_ms: number;
  max_history: number;
  /** Set once it follows a run that somebody else has started. */
  follows?: string;
}

export interface BeginScheduled {
  v: 1;
  org_id: string;
  schedule_id: string;
  version: number;
  /** Of the workflow that fires: the run's id follows from it, so that it is made once. */
  workflow_id: string;
  scheduled_time: string;
}

/** Null where it came to nothing; the schedule tells why. */
export type BegunScheduled = { run_id: string; workspace_id: string; is_definition: boolean } | null;
