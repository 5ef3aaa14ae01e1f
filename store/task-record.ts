import mongoose from 'mongoose';
import { hasEnded } from '../domain/run.ts';
import { type Task, taskOutcome } from '../domain/task.ts';
import { type RunRecord, runCollection } from './run-record.ts';

export interface TaskDoc extends Omit<Task, 'id' | 'run_status' | 'created_at' | 'updated_at'> {
  _id: string;
  org_id: string;
  /** Who assigned it: the run is theirs. */
  assigned_by: string | null;
  /** When somebody last looked whether its run has ended. */
  checked_at: Date;
  created_at: Date;
  updated_at: Date;
}

const schema = new mongoose.Schema<TaskDoc>(
  {
    _id: String,
    org_id: String,
    workspace_id: String,
    title: String,
    description: String,
    notebook_id: String,
    assigned_to: String,
    assigned_name: String,
    assigned_by: String,
    status: String,
    run_id: String,
    error_message: String,
    created_by: String,
    created_by_name: String,
    checked_at: Date,
    created_at: Date,
    updated_at: Date,
  },
  { collection: 'tasks', versionKey: false },
);
schema.index({ org_id: 1, workspace_id: 1, created_at: -1, _id: -1 });
schema.index({ checked_at: 1 }, { partialFilterExpression: { status: 'in_progress' } });
export const TaskModel = mongoose.model<TaskDoc>('Task', schema);

type Seen = Pick<RunRecord, '_id' | 'status' | 'error'>;

export function toTask(doc: TaskDoc, run: Seen | undefined): Task {
  const { _id, org_id: _org, assigned_by: _by, checked_at: _checked, created_at, updated_at, ...rest } = doc;
  // Never behind its run, whoever has yet to write it down.
  const came =
    doc.status === 'in_progress' && run && hasEnded(run.status) ? taskOutcome(run.status, run.error) : undefined;
  return {
    id: _id,
    ...rest,
    ...came,
    run_status: run?.status ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

/** The runs of these tasks, as far as they are there. */
export const runsOf = async (docs: TaskDoc[]): Promise<Map<string, Seen>> => {
  const ids = docs.flatMap(({ run_id }) => run_id ?? []);
  if (ids.length === 0) return new Map();
  const found = runCollection().find({ _id: { $in: ids } });
  const seen = await found.project<Seen>({ status: 1, error: 1 }).toArray();
  return new Map(seen.map((run) => [run._id, run]));
};
