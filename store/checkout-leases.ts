import mongoose from 'mongoose';
import { checkoutId } from '../domain/checkout.ts';
import { ENDED_STATUSES } from '../domain/run.ts';
import { isDuplicate, nativeCollection } from './connection.ts';
import { checkoutsByExecutor, type ExecutorRecord, liveExecutors } from './executors.ts';
import { notebooksThere } from './notebook-upkeep.ts';
import { type RunRecord, runCollection } from './run-record.ts';

/** Which executor has the files of a tree of runs on one git notebook. */
export interface CheckoutLease {
  /** Of the root of the tree and the notebook. */
  _id: string;
  root_run_id: string;
  notebook_id: string;
  executor_id: string;
  /** Raised with every change of hands: whoever holds an older one keeps nothing any more. */
  epoch: number;
  /** Snapshots kept so far. */
  seq: number;
  claimed_at: Date;
  released_at: Date | null;
}

const schema = new mongoose.Schema<CheckoutLease>(
  {
    _id: String,
    root_run_id: String,
    notebook_id: String,
    executor_id: String,
    epoch: Number,
    seq: Number,
    claimed_at: Date,
    released_at: Date,
  },
  { collection: 'checkouts', versionKey: false },
);
schema.index({ executor_id: 1, released_at: 1 });
schema.index({ root_run_id: 1 });
mongoose.model('Checkout', schema);

export const leaseCollection = () => nativeCollection<CheckoutLease>('checkouts');

type Holder = Pick<RunRecord, '_id' | 'line' | 'notebook_id'>;

export const rootOf = ({ _id, line }: Pick<RunRecord, '_id' | 'line'>): string => line[0] ?? _id;
export const leaseIdOf = (run: Holder): string => checkoutId(rootOf(run), run.notebook_id ?? '');

export const loadLease = (id: string): Promise<CheckoutLease | null> => leaseCollection().findOne({ _id: id });

export interface Claimed {
  queue: string;
  executor_id: string;
  epoch: number;
}

/** The one with the fewest checkouts; the one that was just given up only where there is no other. */
async function choose(live: ExecutorRecord[], lost: string | null): Promise<ExecutorRecord | null> {
  const counts = await checkoutsByExecutor();
  const open = live.filter(({ draining }) => !draining);
  const others = open.filter(({ queue }) => queue !== lost);
  const able = others.length > 0 ? others : open;
  const held = ({ _id }: ExecutorRecord): number => counts.get(_id) ?? 0;
  const least = Math.min(...able.map(held));
  // Any of those with the least: many that begin at once see the same counts, and are not all to go to the same.
  const free = able.filter((each) => held(each) === least);
  return free[Math.floor(Math.random() * free.length)] ?? null;
}

/**
 * Where the run's files are, or shall be: the executor that has them as long as it lives, else another, under a new
 * epoch. `lost` is the queue that did not answer. Null where there is nobody. Of several who ask at once for one tree,
 * all are told the same.
 */
export async function claimExecutor(run: Holder, lost: string | null): Promise<Claimed | null> {
  const _id = leaseIdOf(run);
  for (;;) {
    const [lease, live] = await Promise.all([loadLease(_id), liveExecutors()]);
    const holder = live.find((each) => each._id === lease?.executor_id);
    if (lease && holder && !holder.draining && holder.queue !== lost && lease.released_at === null) {
      return { queue: holder.queue, executor_id: holder._id, epoch: lease.epoch };
    }
    const chosen = await choose(live, lost);
    if (!chosen) return null;
    const epoch = (lease?.epoch ?? 0) + 1;
    if (await take(run, _id, lease, chosen._id)) return { queue: chosen.queue, executor_id: chosen._id, epoch };
  }
}

/** False where somebody else was faster. */
async function take(run: Holder, _id: string, lease: CheckoutLease | null, executor_id: string): Promise<boolean> {
  const claim = { executor_id, claimed_at: new Date(), released_at: null };
  if (lease) {
    const asRead = { _id, epoch: lease.epoch };
    const { modifiedCount } = await leaseCollection().updateOne(asRead, { $set: claim, $inc: { epoch: 1 } });
    return modifiedCount === 1;
  }
  const fresh = { _id, root_run_id: rootOf(run), notebook_id: run.notebook_id ?? '', ...claim, epoch: 1, seq: 0 };
  try {
    await leaseCollection().insertOne(fresh);
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** The same executor begins anew: its files are gone. False where it is no longer the one who has them. */
export async function renewLease({ _id, epoch, executor_id }: CheckoutLease): Promise<CheckoutLease | null> {
  return leaseCollection().findOneAndUpdate(
    { _id, epoch, executor_id },
    { $inc: { epoch: 1 } },
    { returnDocument: 'after' },
  );
}

/** The number of the next snapshot; null for who has lost the files to another. This is what fences a zombie out. */
export async function nextSeq(id: string, epoch: number, executorId: string): Promise<number | null> {
  const lease = await leaseCollection().findOneAndUpdate(
    { _id: id, epoch, executor_id: executorId },
    { $inc: { seq: 1 } },
    { returnDocument: 'after', projection: { seq: 1 } },
  );
  return lease?.seq ?? null;
}

/** The tree has ended, and nobody needs the files any more. Safe to repeat. */
export async function releaseLease(id: string): Promise<void> {
  await leaseCollection().updateOne({ _id: id, released_at: null }, { $set: { released_at: new Date() } });
}

/** The roots of trees that have ended. */
async function endedRoots(leases: readonly Pick<CheckoutLease, 'root_run_id'>[]): Promise<Set<string>> {
  const ended = await runCollection()
    .find({ _id: { $in: leases.map(({ root_run_id }) => root_run_id) }, status: { $in: ENDED_STATUSES } })
    .project<{ _id: string }>({ _id: 1 })
    .toArray();
  return new Set(ended.map(({ _id }) => _id));
}

/** Of which notebooks anybody has a checkout, on whatever machine. */
async function notebooksInUse(): Promise<Set<string>> {
  const held = await leaseCollection().find({ released_at: null }).toArray();
  const over = await endedRoots(held);
  return new Set(held.filter(({ root_run_id }) => !over.has(root_run_id)).map(({ notebook_id }) => notebook_id));
}

/** For who tidies up the disk of a machine: which of these notebooks there are, and which are in use anywhere. */
export async function notebooksKnown(ids: string[]): Promise<{ there: Set<string>; inUse: Set<string> }> {
  const [there, inUse] = await Promise.all([notebooksThere(ids), notebooksInUse()]);
  return { there, inUse };
}

/** Of those this executor has: which it still needs to have. A tree that has ended needs none. */
export async function leasesInUse(executorId: string): Promise<CheckoutLease[]> {
  const held = await leaseCollection().find({ executor_id: executorId, released_at: null }).toArray();
  const over = await endedRoots(held);
  const done = held.filter(({ root_run_id }) => over.has(root_run_id));
  for (const { _id } of done) await releaseLease(_id);
  return held.filter(({ root_run_id }) => !over.has(root_run_id));
}
