import type { Refusal } from '../domain/trigger.ts';
import { type ScheduleDoc, scheduleCollection } from './schedule-record.ts';

/**
 * For whoever brings Temporal in line with the records, and for what it fires: they act by id, on behalf of whoever
 * made the schedule.
 */
export const loadSchedule = (id: string): Promise<ScheduleDoc | null> => scheduleCollection().findOne({ _id: id });

/** What Temporal has now; a version it got meanwhile is somebody else's to tell. */
export async function scheduleApplied(id: string, version: number): Promise<void> {
  await scheduleCollection().updateOne(
    { _id: id, version },
    { $set: { applied_version: version, checked_at: new Date() } },
  );
}

/** One that was deleted long enough ago, and of which nothing is left in Temporal. */
export async function forgetSchedule(id: string, before: Date): Promise<void> {
  await scheduleCollection().deleteOne({ _id: id, deleted_at: { $lt: before } });
}

/**
 * Those whose last change has not come to Temporal, and those nobody has compared with it since. Looking marks them, so
 * that several processes share the work.
 */
export async function schedulesToCheck(
  { changed, compared, now }: { changed: Date; compared: Date; now: Date },
  limit: number,
): Promise<ScheduleDoc[]> {
  const unapplied = {
    updated_at: { $lt: changed },
    checked_at: { $lt: changed },
    $expr: { $ne: ['$applied_version', '$version'] },
  };
  const found = await scheduleCollection()
    .find({ $or: [unapplied, { checked_at: { $lt: compared } }] })
    .sort({ checked_at: 1 })
    .limit(limit)
    .toArray();
  const ids = found.map(({ _id }) => _id);
  await scheduleCollection().updateMany({ _id: { $in: ids } }, { $set: { checked_at: now } });
  return found;
}

/** What came of the last time it fired; an earlier one that comes late changes nothing. */
export async function noteFired(id: string, at: Date, came: { run_id: string } | { error: Refusal }): Promise<void> {
  const set = 'run_id' in came ? { last_run_id: came.run_id, last_error: null } : { last_error: came.error };
  await scheduleCollection().updateOne(
    { _id: id, $or: [{ last_run_time: null }, { last_run_time: { $lte: at } }] },
    { $set: { ...set, last_run_time: at } },
  );
}
