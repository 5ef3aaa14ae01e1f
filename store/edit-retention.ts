import { ENDED_STATUSES } from '../domain/run.ts';
import { nativeCollection } from './connection.ts';
import { type RunRecord, runCollection } from './run-record.ts';
import type { SessionRecord } from './sessions.ts';

/** For the clean-up, which acts on nobody's behalf. */
const sessions = () => nativeCollection<SessionRecord>('sessions');

export const editSessionsAfter = (after: string | null, limit: number): Promise<SessionRecord[]> =>
  sessions()
    .find({ kind: 'edits', ...(after === null ? {} : { _id: { $gt: after } }) })
    .sort({ _id: 1 })
    .limit(limit)
    .toArray();

/** How many sessions of edits the same user has used since. */
export const newerEditSessions = ({ org_id, user_id, updated_at, _id }: SessionRecord): Promise<number> =>
  sessions().countDocuments({
    kind: 'edits',
    org_id,
    user_id,
    $or: [{ updated_at: { $gt: updated_at } }, { updated_at, _id: { $gt: _id } }],
  });

export type EndedJob = Pick<RunRecord, '_id' | 'status' | 'completed_at'>;

/** Newest first. */
export const jobsInSession = (session: string): Promise<EndedJob[]> =>
  runCollection()
    .find({ conversation_id: session, relation: null })
    .project<EndedJob>({ status: 1, completed_at: 1 })
    .sort({ created_at: -1, _id: -1 })
    .toArray();

/** Only where nothing has been begun in it meanwhile; whoever speaks in it keeps it. */
export async function dropEditSession({ _id, updated_at }: SessionRecord): Promise<boolean> {
  const open = { conversation_id: _id, status: { $nin: ENDED_STATUSES } };
  if (await runCollection().findOne(open, { projection: { _id: 1 } })) return false;
  return (await sessions().deleteOne({ _id, updated_at })).deletedCount > 0;
}
