import { ENDED_STATUSES } from '../domain/run.ts';
import { nativeCollection } from './connection.ts';
import { runCollection } from './run-record.ts';
import type { SessionRecord } from './sessions.ts';

/**
 * Of a conversation that goes on every run is needed: what was said is read from them. It is let go as a whole, once
 * nothing has been said or done in it since. False where it stays; whoever speaks in it meanwhile keeps it.
 */
export async function letSessionGo(id: string, before: Date): Promise<boolean> {
  const lately = { $or: [{ status: { $nin: ENDED_STATUSES } }, { completed_at: { $gte: before } }] };
  const later = await runCollection().findOne({ conversation_id: id, ...lately }, { projection: { _id: 1 } });
  if (later) return false;
  const sessions = nativeCollection<SessionRecord>('sessions');
  const { deletedCount } = await sessions.deleteOne({ _id: id, updated_at: { $lt: before } });
  // Gone before, by who was cut off between the session and its runs.
  return deletedCount > 0 || (await sessions.findOne({ _id: id }, { projection: { _id: 1 } })) === null;
}
