import type { RunStatus } from '../domain/run.ts';
import { runOfForkNotebook } from '../domain/run-id.ts';
import { isDuplicate } from './connection.ts';
import { type NewRun, recordOf } from './new-run.ts';
import { completeRecord, type RunRecord, runCollection } from './run-record.ts';

/**
 * For workers and the reconciler, who act on runs by id and on nobody's behalf: what they may do was decided when the
 * run was started for its caller, and is carried in the record.
 */

/** A run below another: its caller and organization are those of the run above. Safe to repeat. */
export async function insertChildRun(parent: RunRecord, child: Omit<NewRun, 'org_id' | 'caller'>): Promise<void> {
  const caller = { user_id: parent.caller_user_id, name: parent.caller_name };
  await runCollection()
    .insertOne(recordOf({ ...child, org_id: parent.org_id, caller }))
    .catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
    });
}

export async function loadRun(id: string): Promise<RunRecord | null> {
  const found = await runCollection().findOne({ _id: id });
  return found && completeRecord(found);
}

/** The notebooks that the files of a fork were taken from, the nearest first; none where they are no fork's. */
export async function originalsOf(notebookId: string | null): Promise<string[]> {
  const found = notebookId && (await runCollection().findOne({ _id: runOfForkNotebook(notebookId) }));
  if (!found || found.notebook_id !== notebookId || !found.files_from) return [];
  const { notebook_id } = found.files_from;
  return [notebook_id, ...(await originalsOf(notebook_id))];
}

/**
 * Before an answer is appended: should the process die before it has told the workflow, the reconciler will. Null where
 * it takes the place of another mark: whoever set that one may be dead, so the new one must stay for the reconciler.
 */
export async function markWake(id: string): Promise<Date | null> {
  const since = new Date();
  const before = await runCollection().findOneAndUpdate(
    { _id: id },
    { $set: { wake_since: since } },
    { projection: { wake_since: 1 } },
  );
  return before?.wake_since ? null : since;
}

/** Only the mark that was served: a newer one is somebody else's. */
export async function clearWake(id: string, since: Date | null): Promise<void> {
  if (since === null) return;
  await runCollection().updateOne({ _id: id, wake_since: since }, { $set: { wake_since: null } });
}

export const runsToWake = (before: Date, limit: number): Promise<RunRecord[]> =>
  runCollection()
    .find({ wake_since: { $lt: before } })
    .limit(limit)
    .toArray();

/** Runs in these states that nobody has looked at since; looking marks them, so that several workers share the work. */
export async function runsToCheck(states: RunStatus[], before: Date, limit: number): Promise<RunRecord[]> {
  const found = await runCollection()
    .find({ status: { $in: states }, checked_at: { $lt: before } })
    .sort({ checked_at: 1 })
    .limit(limit)
    .toArray();
  await runCollection().updateMany({ _id: { $in: found.map((run) => run._id) } }, { $set: { checked_at: new Date() } });
  return found;
}

export const runsUnderWay = (limit: number): Promise<RunRecord[]> =>
  runCollection()
    .find({ status: { $in: ['queued', 'running'] } })
    .sort({ created_at: -1 })
    .limit(limit)
    .toArray();
