import mongoose from 'mongoose';
import { nextTimes } from '../domain/cron.ts';
import type { Overlap, Schedule } from '../domain/schedule.ts';
import type { Refusal, Tier } from '../domain/trigger.ts';
import { nativeCollection } from './connection.ts';

/** What is wanted; Temporal is brought in line with it. */
export interface ScheduleDoc {
  _id: string;
  org_id: string;
  workspace_id: string;
  name: string;
  agent_id: string | null;
  workflow_id: string | null;
  target_name: string | null;
  notebook_id: string | null;
  input: unknown;
  input_mapping: unknown;
  cron_expression: string;
  time_zone: string;
  tier: Tier;
  scopes: string[];
  overlap: Overlap;
  is_active: boolean;
  /** Raised by every change. */
  version: number;
  /** The last one that Temporal is known to have; anything else makes whoever finds it bring it in line. */
  applied_version: number;
  /** When what Temporal has was last looked at. */
  checked_at: Date;
  deleted_at: Date | null;
  last_run_id: string | null;
  last_run_time: Date | null;
  last_error: Refusal | null;
  created_by: string;
  created_at: Date;
  updated_by: string;
  updated_at: Date;
}

const mixed = mongoose.Schema.Types.Mixed;
const schema = new mongoose.Schema<ScheduleDoc>(
  {
    _id: String,
    org_id: String,
    workspace_id: String,
    name: String,
    agent_id: String,
    workflow_id: String,
    target_name: String,
    notebook_id: String,
    input: mixed,
    input_mapping: mixed,
    cron_expression: String,
    time_zone: String,
    tier: String,
    scopes: mixed,
    overlap: String,
    is_active: Boolean,
    version: Number,
    applied_version: Number,
    checked_at: Date,
    deleted_at: Date,
    last_run_id: String,
    last_run_time: Date,
    last_error: mixed,
    created_by: String,
    created_at: Date,
    updated_by: String,
    updated_at: Date,
  },
  { collection: 'schedules', versionKey: false, minimize: false },
);
schema.index({ org_id: 1, workspace_id: 1, created_at: 1, _id: 1 });
schema.index({ org_id: 1, workflow_id: 1, is_active: 1 });
schema.index({ org_id: 1, agent_id: 1, is_active: 1 });
schema.index({ checked_at: 1 });
export const ScheduleModel = mongoose.model<ScheduleDoc>('Schedule', schema);
export const scheduleCollection = () => nativeCollection<ScheduleDoc>('schedules');

const nextOf = ({ is_active, cron_expression, time_zone }: ScheduleDoc): string | null =>
  is_active ? (nextTimes(cron_expression, time_zone, new Date(), 1)[0]?.toISOString() ?? null) : null;

export const toSchedule = (doc: ScheduleDoc): Schedule => ({
  id: doc._id,
  workspace_id: doc.workspace_id,
  name: doc.name,
  agent_id: doc.agent_id,
  workflow_id: doc.workflow_id,
  target_name: doc.target_name,
  notebook_id: doc.notebook_id,
  input: doc.input,
  input_mapping: doc.input_mapping,
  cron_expression: doc.cron_expression,
  time_zone: doc.time_zone,
  tier: doc.tier,
  scopes: doc.scopes,
  overlap: doc.overlap,
  is_active: doc.is_active,
  next_run_time: nextOf(doc),
  last_run_id: doc.last_run_id,
  last_run_time: doc.last_run_time?.toISOString() ?? null,
  last_error: doc.last_error,
  in_sync: doc.applied_version === doc.version,
  version: doc.version,
  created_by: doc.created_by,
  created_at: doc.created_at.toISOString(),
  updated_at: doc.updated_at.toISOString(),
});
