import mongoose from 'mongoose';
import type { Change, FileLog } from '../domain/edits/change-log.ts';
import type { RollbackConflict, RollbackMode } from '../domain/edits/rollback.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { isDuplicate, nativeCollection } from './connection.ts';
import { dropText, type KeptText, keepText, readText } from './kept-text.ts';
import { type Page, type PageRequest, readCursor, writeCursor } from './pages.ts';
import { boundedBy, missing } from './tenancy.ts';

/** One file as it was before the run, as the run left it, and what it had wanted. */
export interface CheckpointFile {
  file_path: string;
  base_snapshot: string | null;
  base_hash: string | null;
  /** What the apply wrote; null where there is no file. */
  after: string | null;
  after_hash: string | null;
  /** With everything the agent proposed, whatever became of it. */
  proposed: string | null;
  /** As they were applied. */
  log: FileLog;
}

export interface BufferedFile {
  file_path: string;
  /** null where the file is to go. */
  text: string | null;
  /** The file on disk that it takes the place of; null where there was none. */
  current_hash: string | null;
}

/** A rollback that was asked for: first in the buffer, on disk once somebody saves it. */
export interface RollbackRecord {
  rollback_id: string;
  mode: RollbackMode;
  hunk_ids: string[];
  state: 'buffer' | 'conflict' | 'saving' | 'saved' | 'failed';
  conflicts: (RollbackConflict & { file_path: string })[];
  user_id: string;
  created_at: Date;
  saved_at: Date | null;
  saved_files: { file_path: string; hash: string | null }[];
  /** What kept it from being saved. */
  error: { code: string; message: string; details: Record<string, unknown> } | null;
  buffer: KeptText;
}

export interface CheckpointEvent {
  type: string;
  ts: string;
  data: Record<string, unknown>;
}

/** The files before a run's first edit was applied. It stays when the run goes: artifacts reopen later. */
export interface CheckpointRecord {
  _id: string;
  org_id: string;
  workspace_id: string;
  user_id: string;
  session_id: string;
  job_id: string;
  notebook_id: string;
  instruction: string;
  created_at: Date;
  applied: boolean;
  files: { file_path: string; base_hash: string | null; after_hash: string | null }[];
  rolled_back: string[];
  rollback: RollbackRecord | null;
  /** What happened to it after its run had ended, whose log is sealed; they go on where its events end. */
  events: CheckpointEvent[];
}

interface StoredFile {
  _id: { checkpoint: string; n: number };
  file_path: string;
  kept: KeptText;
}

const mixed = mongoose.Schema.Types.Mixed;
const schema = new mongoose.Schema<CheckpointRecord>(
  {
    _id: String,
    org_id: String,
    workspace_id: String,
    user_id: String,
    session_id: String,
    job_id: String,
    notebook_id: String,
    instruction: String,
    created_at: Date,
    applied: Boolean,
    files: mixed,
    rolled_back: mixed,
    rollback: mixed,
    events: mixed,
  },
  { collection: 'checkpoints', versionKey: false, minimize: false },
);
schema.index({ org_id: 1, session_id: 1, created_at: -1, _id: -1 });
schema.index({ org_id: 1, workspace_id: 1, created_at: -1, _id: -1 });
mongoose.model<CheckpointRecord>('Checkpoint', schema);
const fileSchema = new mongoose.Schema<StoredFile>(
  { _id: { checkpoint: String, n: Number }, file_path: String, kept: mixed },
  { collection: 'checkpoint_files', versionKey: false },
);
mongoose.model<StoredFile>('CheckpointFile', fileSchema);

const checkpoints = () => nativeCollection<CheckpointRecord>('checkpoints');
const files = () => nativeCollection<StoredFile>('checkpoint_files');
const allOf = (checkpoint: string) => ({
  $gte: { checkpoint, n: 0 },
  $lte: { checkpoint, n: Number.MAX_SAFE_INTEGER },
});

/** One for each run, so its name follows from the run's. */
export const checkpointIdOf = (runId: string): string => runId.replace(/^run/, 'ckp');

export type NewCheckpoint = Omit<
  CheckpointRecord,
  'applied' | 'files' | 'rolled_back' | 'rollback' | 'events' | 'created_at'
>;

/**
 * Before the first write, by the worker that is about to make it. An attempt that takes over writes it anew, for what
 * it is about to write itself; once it is applied it is never changed.
 */
export async function writeCheckpoint(checkpoint: NewCheckpoint, contents: readonly CheckpointFile[]): Promise<void> {
  const { _id } = checkpoint;
  const before = await checkpoints().findOne({ _id }, { projection: { applied: 1 } });
  if (before?.applied) return;
  await dropFiles(_id);
  for (const [n, file] of contents.entries()) {
    const kept = await keepText(JSON.stringify(file));
    await files().replaceOne({ _id: { checkpoint: _id, n } }, { file_path: file.file_path, kept }, { upsert: true });
  }
  const record: CheckpointRecord = {
    ...checkpoint,
    created_at: new Date(),
    applied: false,
    files: contents.map(({ file_path, base_hash, after_hash }) => ({ file_path, base_hash, after_hash })),
    rolled_back: [],
    rollback: null,
    events: [],
  };
  const { _id: _same, ...fields } = record;
  await checkpoints()
    .updateOne({ _id, applied: { $ne: true } }, { $set: fields }, { upsert: true })
    .catch((error: unknown) => {
      // Applied meanwhile by who was thought dead: it is the same one.
      if (!isDuplicate(error)) throw error;
    });
}

export async function markApplied(id: string): Promise<void> {
  await checkpoints().updateOne({ _id: id }, { $set: { applied: true } });
}

async function dropFiles(checkpoint: string): Promise<void> {
  const large = files().find({ _id: allOf(checkpoint), 'kept.blob': { $ne: null } });
  for await (const { kept } of large) await dropText(kept);
  await files().deleteMany({ _id: allOf(checkpoint) });
}

/** With its run, unless something of it is on disk: then it is what a rollback needs, and stays. */
export async function dropUnappliedCheckpoint(id: string): Promise<void> {
  const found = await checkpoints().findOne({ _id: id }, { projection: { applied: 1 } });
  if (!found || found.applied) return;
  await dropFiles(id);
  await checkpoints().deleteOne({ _id: id, applied: false });
}

export async function findCheckpoint(caller: Caller, id: string): Promise<CheckpointRecord> {
  const found = await checkpoints().findOne({ _id: id, ...boundedBy(caller) });
  if (!found) throw missing('checkpoint', id);
  return found;
}

export interface CheckpointFilter {
  session_id?: string | undefined;
  notebook_id?: string | undefined;
}

/** Those that were applied, newest first. */
export async function listCheckpoints(
  caller: Caller,
  { session_id, notebook_id }: CheckpointFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<CheckpointRecord>> {
  const past = cursor === undefined ? null : readCursor(cursor);
  const found = await checkpoints()
    .find({
      ...boundedBy(caller),
      applied: true,
      ...(session_id === undefined ? {} : { session_id }),
      ...(notebook_id === undefined ? {} : { notebook_id }),
      ...(past ? { $or: [{ created_at: { $lt: past.at } }, { created_at: past.at, _id: { $lt: past.id } }] } : {}),
    })
    .sort({ created_at: -1, _id: -1 })
    .limit(limit + 1)
    .toArray();
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, next_cursor: last ? writeCursor(last) : null };
}

/** For workers, who act by id and on nobody's behalf. */
export const loadCheckpoint = (id: string): Promise<CheckpointRecord | null> => checkpoints().findOne({ _id: id });

const toFile = async ({ kept }: StoredFile): Promise<CheckpointFile> => JSON.parse(await readText(kept));

export async function checkpointFiles({ _id }: CheckpointRecord): Promise<CheckpointFile[]> {
  const rows = await files()
    .find({ _id: allOf(_id) })
    .sort({ _id: 1 })
    .toArray();
  return Promise.all(rows.map(toFile));
}

export async function checkpointFile({ _id }: CheckpointRecord, file_path: string): Promise<CheckpointFile> {
  const row = await files().findOne({ _id: allOf(_id), file_path });
  if (!row) throw new Failure('no_such_file', `The checkpoint ${_id} has no file ${file_path}.`, { file_path });
  return toFile(row);
}

export const bufferOf = async ({ buffer }: RollbackRecord): Promise<BufferedFile[]> =>
  JSON.parse(await readText(buffer));

/** The buffer of a rollback takes the place of the one before, which nobody has saved. */
export async function setRollback(
  caller: Caller,
  checkpoint: CheckpointRecord,
  rollback: Omit<RollbackRecord, 'buffer'>,
  buffer: BufferedFile[],
  events: CheckpointEvent[],
): Promise<CheckpointRecord> {
  const kept = await keepText(JSON.stringify(buffer));
  const changed = await checkpoints().findOneAndUpdate(
    {
      _id: checkpoint._id,
      ...boundedBy(caller),
      'rollback.state': { $ne: 'saving' },
    },
    { $set: { rollback: { ...rollback, buffer: kept } }, $push: { events: { $each: events } } },
    { returnDocument: 'after' },
  );
  if (!changed) {
    await dropText(kept);
    throw new Failure('conflict', 'A rollback of this checkpoint is being saved.', { checkpoint_id: checkpoint._id });
  }
  if (checkpoint.rollback) await dropText(checkpoint.rollback.buffer);
  return changed;
}

/** From one state to another; null where somebody was faster, or it is another rollback by now. */
export const moveRollback = (
  id: string,
  rollback_id: string,
  from: RollbackRecord['state'][],
  set: Partial<Pick<RollbackRecord, 'state' | 'saved_at' | 'saved_files' | 'error' | 'buffer'>>,
  events: CheckpointEvent[] = [],
  rolled_back: string[] = [],
): Promise<CheckpointRecord | null> =>
  checkpoints().findOneAndUpdate(
    { _id: id, 'rollback.rollback_id': rollback_id, 'rollback.state': { $in: from } },
    {
      $set: Object.fromEntries(Object.entries(set).map(([name, value]) => [`rollback.${name}`, value])),
      $push: { events: { $each: events } },
      $addToSet: { rolled_back: { $each: rolled_back } },
    },
    { returnDocument: 'after' },
  );

/** After a hard rollback: what runs after this one had changed in these files is gone, and cannot be taken back again. */
export async function dropLaterChanges(checkpoint: CheckpointRecord, paths: string[]): Promise<void> {
  const { org_id, notebook_id, created_at } = checkpoint;
  const own = (await checkpointFiles(checkpoint)).flatMap(appliedChanges).map(({ id }) => id);
  await checkpoints().updateOne({ _id: checkpoint._id }, { $addToSet: { rolled_back: { $each: own } } });
  const later = checkpoints().find({
    org_id,
    notebook_id,
    created_at: { $gt: created_at },
    applied: true,
    'files.file_path': { $in: paths },
  });
  for await (const other of later) {
    const gone = (await checkpointFiles(other)).filter(({ file_path }) => paths.includes(file_path));
    const ids = gone.flatMap(appliedChanges).map(({ id }) => id);
    await checkpoints().updateOne({ _id: other._id }, { $addToSet: { rolled_back: { $each: ids } } });
  }
}

/** Ids of what a checkpoint has on disk and a rollback may take back. */
export const appliedChanges = ({ log }: CheckpointFile): Change[] =>
  log.changes.filter(({ status }) => status === 'accepted');
