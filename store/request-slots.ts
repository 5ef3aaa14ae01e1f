import mongoose from 'mongoose';
import { nativeCollection } from './connection.ts';

const HOUR_MS = 3_600_000;
/** What one document holds of calls that were let through; each takes some 80 bytes, and all are looked at by every call. */
const MOST_SLOTS = 2_000;

/** When an agent's model calls of the last hour were let through, and when those that wait will be. */
interface SlotsDoc {
  _id: string;
  /** The latest time anybody asked. An update that had to wait for others still has the time at which it set out. */
  now: Date;
  slots: { key: string; at: Date }[];
}

const schema = new mongoose.Schema<SlotsDoc>(
  { _id: String, now: Date, slots: mongoose.Schema.Types.Mixed },
  { collection: 'request_slots', versionKey: false },
);
mongoose.model('RequestSlots', schema);

/**
 * When a call may be made, by the clock of the store: at once, or an hour after the call that is `limit` before it.
 * One update, so that two runs never get the same slot; the same key gets the slot it got before.
 */
export async function takeSlot(agentId: string, key: string, limit: number, hourMs = HOUR_MS): Promise<Date> {
  // Of a large limit, so much in a part of the hour: who keeps to that keeps to the whole, in a document that stays small.
  const perHour = Math.min(limit, MOST_SLOTS);
  const windowMs = Math.ceil((hourMs * perHour) / limit);
  const since = { $dateSubtract: { startDate: '$now', unit: 'millisecond', amount: windowMs } };
  // What is older than the window holds nobody up; all that wait must find their slot again, however many they are.
  const kept = { $filter: { input: { $ifNull: ['$slots', []] }, cond: { $gt: ['$$this.at', since] } } };
  const mine = { $filter: { input: '$slots', cond: { $eq: ['$$this.key', key] } } };
  const nth = { $arrayElemAt: ['$slots.at', { $subtract: [{ $size: '$slots' }, perHour] }] };
  const next = {
    $cond: [
      { $gte: [{ $size: '$slots' }, perHour] },
      { $max: ['$now', { $dateAdd: { startDate: nth, unit: 'millisecond', amount: windowMs } }] },
      '$now',
    ],
  };
  const grown = { $concatArrays: ['$slots', [{ key, at: next }]] };
  const given = await nativeCollection<SlotsDoc>('request_slots').findOneAndUpdate(
    { _id: agentId },
    [
      { $set: { now: { $max: ['$now', '$$NOW'] } } },
      { $set: { slots: kept } },
      { $set: { slots: { $cond: [{ $gt: [{ $size: mine }, 0] }, '$slots', grown] } } },
    ],
    { upsert: true, returnDocument: 'after' },
  );
  return given?.slots.findLast((slot) => slot.key === key)?.at ?? new Date();
}
