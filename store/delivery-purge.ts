import type mongoose from 'mongoose';
import { type DeliveryDoc, deliveryCollection } from './event-deliveries.ts';
import { readCursor, writeCursor } from './pages.ts';
import { runCollection } from './run-record.ts';

type Old = Pick<DeliveryDoc, '_id' | 'created_at' | 'parts'>;

/** Those whose runs are all gone, oldest first; what is still to be started stays. The cursor leads past those that stay. */
export async function purgeDeliveries(
  before: Date,
  after: string | null,
  limit: number,
): Promise<{ purged: number; after: string | null }> {
  const past = after === null ? null : readCursor(after);
  const where: mongoose.mongo.Filter<DeliveryDoc> = {
    created_at: { $lt: before },
    status: { $ne: 'pending' },
    ...(past ? { $or: [{ created_at: { $gt: past.at } }, { created_at: past.at, _id: { $gt: past.id } }] } : {}),
  };
  const found = await deliveryCollection()
    .find(where)
    .sort({ created_at: 1, _id: 1 })
    .limit(limit)
    .project<Old>({ created_at: 1, parts: 1 })
    .toArray();
  const runs = found.flatMap(({ parts }) => parts.map(({ run_id }) => run_id));
  const there = new Set(
    await runCollection()
      .find({ _id: { $in: runs } })
      .project<{ _id: string }>({ _id: 1 })
      .map(({ _id }) => _id)
      .toArray(),
  );
  const gone = found.filter(({ parts }) => parts.every(({ run_id }) => !there.has(run_id)));
  // Delivered again in this moment, it has something to start: it stays.
  const { deletedCount } = await deliveryCollection().deleteMany({
    _id: { $in: gone.map(({ _id }) => _id) },
    status: { $ne: 'pending' },
  });
  const last = found.length < limit ? undefined : found.at(-1);
  return { purged: deletedCount, after: last ? writeCursor(last) : null };
}
