import { hasEnded } from '../domain/run.ts';
import { type Task, taskOutcome } from '../domain/task.ts';
import { runsOf, type TaskDoc, TaskModel } from './task-record.ts';

/** For the process that looks after assignments, on nobody's behalf. */

/** Open assignments that nobody has looked at since; looking marks them, so that several processes share the work. */
export async function tasksToCheck(before: Date, limit: number): Promise<TaskDoc[]> {
  const found = await TaskModel.find({ status: 'in_progress', checked_at: { $lt: before } })
    .sort({ checked_at: 1 })
    .limit(limit)
    .lean<TaskDoc[]>();
  if (found.length === 0) return [];
  const ids = found.map(({ _id }) => _id);
  await TaskModel.updateMany({ _id: { $in: ids } }, { $set: { checked_at: new Date() } });
  return found;
}

/** Writes down which of them are over; gives back those whose run is not there. */
export async function settleTasks(tasks: TaskDoc[]): Promise<TaskDoc[]> {
  const runs = await runsOf(tasks);
  for (const { _id, run_id } of tasks) {
    const run = runs.get(run_id ?? '');
    if (run && hasEnded(run.status)) await endTask(_id, run._id, taskOutcome(run.status, run.error));
  }
  return tasks.filter(({ run_id }) => !runs.has(run_id ?? ''));
}

/** Only of the assignment it was: a task that was assigned again has another run. */
export async function endTask(id: string, runId: string, came: Pick<Task, 'status' | 'error_message'>): Promise<void> {
  await TaskModel.updateOne(
    { _id: id, run_id: runId, status: 'in_progress' },
    { $set: { ...came, updated_at: new Date() } },
  );
}
