import mongoose from 'mongoose';
import type { Agent } from '../domain/agent.ts';
import type { Run } from '../domain/run.ts';
import { nativeCollection } from './connection.ts';

/** The record of a run: what lists and pages show. A projection of its log, never ahead of it. */
export interface RunRecord extends Omit<Run, 'id' | 'created_at' | 'started_at' | 'completed_at' | 'retry_at'> {
  _id: string;
  /** What decides whether changes wait for a person, known without opening the notebook. */
  notebook_kind: 'folder' | 'git' | null;
  /** The definition as it was when the run began: later versions do not reach it. */
  agent: Agent;
  /** Slot of the log this record tells of; an older projection never overwrites a newer one. */
  log_n: number;
  /** Set while the workflow may not have been told of the newest answer; the reconciler tells it. */
  wake_since: Date | null;
  checked_at: Date;
  created_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
  retry_at: Date | null;
}

const mixed = mongoose.Schema.Types.Mixed;
const schema = new mongoose.Schema<RunRecord>(
  {
    _id: String,
    workspace_id: String,
    org_id: String,
    agent_id: String,
    agent_name: String,
    agent_version: Number,
    agent: mixed,
    notebook_id: String,
    notebook_kind: String,
    trigger_type: String,
    trigger_source: String,
    caller_user_id: String,
    caller_name: String,
    status: String,
    input: mixed,
    output: mixed,
    error: mixed,
    llm_model: String,
    iterations_used: Number,
    tokens_used: Number,
    tokens: mixed,
    unconfirmed_calls: Number,
    budget_max_iterations: Number,
    budget_max_tokens: Number,
    parent_run_id: String,
    relation: String,
    pending_actions: mixed,
    pending_questions: mixed,
    duration_ms: Number,
    log_n: Number,
    wake_since: Date,
    checked_at: Date,
    retry_at: Date,
    created_at: Date,
    started_at: Date,
    completed_at: Date,
  },
  { collection: 'runs', versionKey: false, minimize: false },
);
schema.index({ org_id: 1, workspace_id: 1, created_at: -1, _id: -1 });
schema.index({ org_id: 1, status: 1, created_at: -1 });
schema.index({ wake_since: 1 }, { partialFilterExpression: { wake_since: { $type: 'date' } } });
schema.index({ status: 1, checked_at: 1 });
export const RunModel = mongoose.model<RunRecord>('Run', schema);
export const runCollection = () => nativeCollection<RunRecord>('runs');

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

export function toRun(record: RunRecord): Run {
  const {
    _id,
    agent: _agent,
    notebook_kind: _kind,
    log_n: _n,
    wake_since: _wake,
    checked_at: _checked,
    ...rest
  } = record;
  return {
    ...rest,
    id: _id,
    created_at: record.created_at.toISOString(),
    started_at: iso(record.started_at),
    completed_at: iso(record.completed_at),
    retry_at: iso(record.retry_at),
  };
}
