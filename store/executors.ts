import mongoose from 'mongoose';
import type { Executor } from '../domain/checkout.ts';
import type { Caller } from '../domain/identity.ts';
import { nativeCollection } from './connection.ts';
import { demandOwner } from './tenancy.ts';

export interface ExecutorRecord {
  _id: string;
  queue: string;
  host: string;
  /** Enough for another process on the same host to tell that it is dead. */
  identity: string;
  /** Takes nothing new. */
  draining: boolean;
  started_at: Date;
  /** By the clock of the store, so that nobody's own clock matters. */
  beat_at: Date;
}

const schema = new mongoose.Schema<ExecutorRecord>(
  {
    _id: String,
    queue: String,
    host: String,
    identity: String,
    draining: Boolean,
    started_at: Date,
    beat_at: Date,
  },
  { collection: 'executors', versionKey: false },
);
// One that has been silent for a day is not coming back.
schema.index({ beat_at: 1 }, { expireAfterSeconds: 86_400 });
mongoose.model('Executor', schema);

export const executorCollection = () => nativeCollection<ExecutorRecord>('executors');

/** Five beats: one that was merely busy is not taken for dead. */
const SILENT_AFTER_MS = 10_000;
export const BEAT_MS = 2_000;

const heard = { $expr: { $gt: ['$beat_at', { $subtract: ['$$NOW', SILENT_AFTER_MS] }] } };

/** Also after its record was lost: whoever beats is there. */
export async function beatExecutor(executor: Omit<ExecutorRecord, 'beat_at'>): Promise<void> {
  const { _id, ...rest } = executor;
  // Values, not expressions: a name may begin with a dollar sign.
  const set = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, { $literal: value }]));
  await executorCollection().updateOne({ _id }, [{ $set: { ...set, beat_at: '$$NOW' } }], { upsert: true });
}

export async function removeExecutor(id: string): Promise<void> {
  await executorCollection().deleteOne({ _id: id });
}

export const liveExecutors = (): Promise<ExecutorRecord[]> => executorCollection().find(heard).toArray();

/** Of one host, dead or alive. */
export const executorsOn = (host: string): Promise<ExecutorRecord[]> => executorCollection().find({ host }).toArray();

/** How many checkouts each has. */
export async function checkoutsByExecutor(): Promise<Map<string, number>> {
  const counted = await nativeCollection('checkouts')
    .aggregate<{ _id: string; count: number }>([
      { $match: { released_at: null } },
      { $group: { _id: '$executor_id', count: { $sum: 1 } } },
    ])
    .toArray();
  return new Map(counted.map(({ _id, count }) => [_id, count]));
}

/** For health and metrics, which say how many there are and nothing of whose. */
export async function countExecutors(): Promise<{ alive: number; checkouts: number }> {
  const [live, counts] = await Promise.all([liveExecutors(), checkoutsByExecutor()]);
  return {
    alive: live.filter(({ draining }) => !draining).length,
    checkouts: [...counts.values()].reduce((sum, count) => sum + count, 0),
  };
}

/** They belong to the installation rather than to a workspace: its owner sees them. */
export async function listExecutors(caller: Caller): Promise<Executor[]> {
  demandOwner(caller, 'see the executors');
  const [all, live, counts] = await Promise.all([
    executorCollection().find().sort({ started_at: 1, _id: 1 }).limit(200).toArray(),
    liveExecutors(),
    checkoutsByExecutor(),
  ]);
  const alive = new Set(live.map(({ _id }) => _id));
  return all.map(({ _id, host, queue, draining, started_at, beat_at }) => ({
    id: _id,
    host,
    queue,
    state: !alive.has(_id) ? 'silent' : draining ? 'draining' : 'alive',
    checkouts: counts.get(_id) ?? 0,
    started_at: started_at.toISOString(),
    seen_at: beat_at.toISOString(),
  }));
}
