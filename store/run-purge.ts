import { ENDED_STATUSES, hasEnded } from '../domain/run.ts';
import { deleteBlob } from './blobs.ts';
import { dropSnapshots } from './checkout-snapshots.ts';
import { checkpointIdOf, dropUnappliedCheckpoint } from './checkpoints.ts';
import { nativeCollection } from './connection.ts';
import { dropEvidence } from './evidence.ts';
import type { StoredEntry } from './log-record.ts';
import { dropOutputs } from './outputs.ts';
import { readCursor, writeCursor } from './pages.ts';
import { dropProposals } from './proposals.ts';
import { rationaleCollection } from './rationales.ts';
import { type RunRecord, runCollection } from './run-record.ts';
import { letSessionGo } from './session-upkeep.ts';

const everyStep = (run: string) => ({ $gte: { run, step: 0 }, $lte: { run, step: Number.MAX_SAFE_INTEGER } });
const everySlot = (run: string) => ({ $gte: { run, n: 0 }, $lte: { run, n: Number.MAX_SAFE_INTEGER } });

/** Everything a run has beside its record. What is stored for runs from now on gets a line here. */
const BELONGINGS: ((run: string) => Promise<unknown>)[] = [
  async (run) => {
    const log = nativeCollection<StoredEntry>('log');
    const large = log.find({ _id: everySlot(run), blob: { $ne: null } }).project<{ blob: string }>({ blob: 1 });
    for await (const { blob } of large) await deleteBlob(blob);
    await log.deleteMany({ _id: everySlot(run) });
  },
  (run) => nativeCollection<{ run: string }>('deltas').deleteMany({ run }),
  dropOutputs,
  dropEvidence,
  (run) => rationaleCollection().deleteMany({ _id: everyStep(run) }),
  (run) => nativeCollection<{ _id: string }>('ledgers').deleteOne({ _id: run }),
  dropProposals,
  (run) => dropUnappliedCheckpoint(checkpointIdOf(run)),
  dropSnapshots,
  (run) => nativeCollection<{ root_run_id: string }>('checkouts').deleteMany({ root_run_id: run }),
];

/** The record goes last: whoever comes after a crash finds it, and goes on. */
async function purgeRun(run: string): Promise<void> {
  for (const remove of BELONGINGS) await remove(run);
  await runCollection().deleteOne({ _id: run, status: { $in: ENDED_STATUSES } });
}

type Dated = Pick<RunRecord, '_id' | 'completed_at'>;
/** A run that is about to go, with what says which files were kept for it. */
export type Leaving = Pick<RunRecord, '_id' | 'org_id' | 'notebook_id' | 'files_from'>;
type Member = Dated & Leaving & Pick<RunRecord, 'status' | 'conversation_id'>;

/** Roots of trees that may have to go, longest ended first. The cursor leads past those that must stay. */
export async function rootsEndedBefore(
  before: Date,
  after: string | null,
  limit: number,
): Promise<{ root: string; cursor: string }[]> {
  const past = after === null ? null : readCursor(after);
  const found = await runCollection()
    .find({
      status: { $in: ENDED_STATUSES },
      // Runs below others go with their root.
      relation: { $in: [null, 'resume', 'fork'] },
      completed_at: { $lt: before },
      ...(past ? { $or: [{ completed_at: { $gt: past.at } }, { completed_at: past.at, _id: { $gt: past.id } }] } : {}),
    })
    .sort({ completed_at: 1, _id: 1 })
    .limit(limit)
    .project<Dated>({ completed_at: 1 })
    .toArray();
  return found.map(({ _id, completed_at }) => ({
    root: _id,
    cursor: writeCursor({ _id, created_at: completed_at ?? before }),
  }));
}

/**
 * Takes a tree away as a whole, with everything that belongs to its runs. It stays where any of them has not ended or
 * ended later, for as long as there is a run that was resumed or forked from one of them, and while its session goes on.
 * Null where it stays.
 * `release` is told of each before its record goes, so that whoever comes after a crash tells it again.
 */
export async function purgeTree(
  root: string,
  before: Date,
  release: (run: Leaving) => Promise<void>,
  /** Without the rest of its session, which need not go with it. */
  { alone = false } = {},
): Promise<number | null> {
  const members = await runCollection()
    .find({ $or: [{ _id: root }, { root_run_id: root }] })
    .project<Member>({ status: 1, completed_at: 1, conversation_id: 1, org_id: 1, notebook_id: 1, files_from: 1 })
    .sort({ created_at: -1 })
    .toArray();
  const isOver = members.every(
    ({ status, completed_at }) => hasEnded(status) && completed_at !== null && completed_at < before,
  );
  if (!isOver) return null;
  const ids = members.map(({ _id }) => _id);
  const heir = await runCollection().findOne(
    { parent_run_id: { $in: ids }, _id: { $nin: ids } },
    { projection: { _id: 1 } },
  );
  if (heir) return null;
  const session = members.find(({ _id }) => _id === root)?.conversation_id;
  if (session && !alone && !(await letSessionGo(session, before))) return null;
  // The root last: from it the rest is found again.
  const isRoot = ({ _id }: Member) => _id === root;
  for (const run of [...members.filter((each) => !isRoot(each)), ...members.filter(isRoot)]) {
    await release(run);
    await purgeRun(run._id);
  }
  return ids.length;
}
