import mongoose from 'mongoose';
import { type Kept, keptIn } from '../domain/inheritance.ts';
import { deleteBlob, readBytes, writeBytes } from './blobs.ts';
import { nativeCollection } from './connection.ts';
import { newId } from './ids.ts';
import { entriesOfKinds } from './log-reading.ts';
import { type RunRecord, runCollection } from './run-record.ts';

/** A checkout as it stood after a step: what lies beyond the snapshot before it, and where its branches were. */
export interface CheckoutSnapshot {
  _id: string;
  /** Whose files they are, and which run's step it was. */
  lease_id: string;
  run_id: string;
  seq: number;
  epoch: number;
  /** The one it goes beyond; null where it stands on the base alone. */
  parent: string | null;
  /** How many there are before it down to the base. */
  depth: number;
  base_commit: string;
  default_branch: string;
  branch: string;
  commit: string;
  tree: string;
  head: string;
  /** Pairs, since names of branches hold dots. */
  refs: [name: string, commit: string][];
  bytes: number;
  /** Small ones lie here, others in the blob store. */
  pack: mongoose.mongo.Binary | null;
  blob: string | null;
  created_at: Date;
}

const schema = new mongoose.Schema<CheckoutSnapshot>(
  {
    _id: String,
    lease_id: String,
    run_id: String,
    seq: Number,
    epoch: Number,
    parent: String,
    depth: Number,
    base_commit: String,
    default_branch: String,
    branch: String,
    commit: String,
    tree: String,
    head: String,
    refs: mongoose.Schema.Types.Mixed,
    bytes: Number,
    pack: Buffer,
    blob: String,
    created_at: Date,
  },
  { collection: 'checkout_snapshots', versionKey: false },
);
schema.index({ run_id: 1 });
mongoose.model('CheckoutSnapshot', schema);

const snapshots = () => nativeCollection<CheckoutSnapshot>('checkout_snapshots');

const MAX_INLINE_BYTES = 256 * 1024;

export type NewSnapshot = Omit<CheckoutSnapshot, '_id' | 'pack' | 'blob' | 'bytes' | 'created_at'>;

export async function keepSnapshot(snapshot: NewSnapshot, pack: Buffer): Promise<CheckoutSnapshot> {
  const isSmall = pack.length <= MAX_INLINE_BYTES;
  const stored: CheckoutSnapshot = {
    ...snapshot,
    _id: newId('snap'),
    bytes: pack.length,
    pack: isSmall ? new mongoose.mongo.Binary(pack) : null,
    blob: isSmall ? null : await writeBytes(pack),
    created_at: new Date(),
  };
  await snapshots().insertOne(stored);
  return stored;
}

export const loadSnapshot = (id: string): Promise<CheckoutSnapshot | null> => snapshots().findOne({ _id: id });

/** The packs a snapshot is made of, the oldest first. Null where one of them is gone. */
export async function packsOf(snapshot: CheckoutSnapshot): Promise<Buffer[] | null> {
  const chain: CheckoutSnapshot[] = [snapshot];
  for (let { parent } = snapshot; parent !== null; ) {
    const before = await loadSnapshot(parent);
    if (!before) return null;
    chain.unshift(before);
    parent = before.parent;
  }
  return Promise.all(
    chain.map(({ pack, blob }) => (blob === null ? Buffer.from(pack?.buffer ?? []) : readBytes(blob))),
  );
}

const lastKept = async (run: string): Promise<string[]> =>
  keptIn(await entriesOfKinds(run, ['files_kept']))
    .slice(-1)
    .map(({ snapshot }) => snapshot);

/**
 * The newest snapshot that belongs to a step that was completed, by any run of the tree: one whose step never made it
 * into a log is passed over.
 */
export async function newestKept(root: string, notebookId: string, leaseId: string): Promise<CheckoutSnapshot | null> {
  const runs = await runCollection()
    .find({ $or: [{ _id: root }, { root_run_id: root }], notebook_id: notebookId })
    .project<Pick<RunRecord, '_id'>>({ _id: 1 })
    .toArray();
  const named = (await Promise.all(runs.map(({ _id }) => lastKept(_id)))).flat();
  const [newest] = await snapshots()
    .find({ _id: { $in: named }, lease_id: leaseId })
    .sort({ seq: -1 })
    .limit(1)
    .toArray();
  return newest ?? null;
}

/** What runs below one have kept of the files they share with it. */
export async function keptBelow({ _id, notebook_id }: Pick<RunRecord, '_id' | 'notebook_id'>): Promise<Kept[]> {
  const runs = await runCollection()
    .find({ line: _id, _id: { $ne: _id }, notebook_id })
    .project<Pick<RunRecord, '_id'>>({ _id: 1 })
    .toArray();
  return (await Promise.all(runs.map((run) => entriesOfKinds(run._id, ['files_kept'])))).flatMap(keptIn);
}

/** With the run they were kept for. */
export async function dropSnapshots(run: string): Promise<void> {
  const large = snapshots().find({ run_id: run, blob: { $ne: null } });
  for await (const { blob } of large.project<{ blob: string }>({ blob: 1 })) await deleteBlob(blob);
  await snapshots().deleteMany({ run_id: run });
}
