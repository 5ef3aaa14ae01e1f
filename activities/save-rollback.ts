import { ApplicationFailure, heartbeat } from '@temporalio/activity';
import type { SaveInput, SaveOutcome } from '../domain/edits/saving.ts';
import { textHash } from '../domain/edits/text.ts';
import { isFailure } from '../domain/failures.ts';
import { notebookPath } from '../domain/scope.ts';
import { applyChanges, type FileChange, forgetChanges } from '../files/journal.ts';
import { NotebookFiles } from '../files/notebook-files.ts';
import {
  type BufferedFile,
  bufferOf,
  type CheckpointRecord,
  dropLaterChanges,
  loadCheckpoint,
  moveRollback,
  type RollbackRecord,
} from '../store/checkpoints.ts';
import { loadNotebook } from '../store/notebook-upkeep.ts';
import type { ActivityDeps } from './advance.ts';
import { losesAttempt } from './lost-attempt.ts';

const hashOf = (text: string | null): string | null => (text === null ? null : textHash(text));

const event = (type: string, { _id }: CheckpointRecord, { rollback_id, mode }: RollbackRecord, data: object) => ({
  type,
  ts: new Date().toISOString(),
  data: { checkpoint_id: _id, rollback_id, mode, ...data },
});

async function saved(checkpoint: CheckpointRecord, rollback: RollbackRecord, buffer: BufferedFile[]): Promise<void> {
  const saved_files = buffer.map(({ file_path, text }) => ({ file_path, hash: hashOf(text) }));
  const done = event('checkpoint.rollback.completed', checkpoint, rollback, { saved: true, files: saved_files });
  const set = { state: 'saved' as const, saved_at: new Date(), saved_files, error: null };
  // What later runs have changed in these files is gone with it. First: what is called saved is not taken up again.
  if (rollback.mode === 'hard_all') {
    await dropLaterChanges(
      checkpoint,
      buffer.map(({ file_path }) => file_path),
    );
  }
  await moveRollback(checkpoint._id, rollback.rollback_id, ['saving'], set, [done], rollback.hunk_ids);
}

async function failed(
  checkpoint: CheckpointRecord,
  rollback: RollbackRecord,
  outcome: Exclude<SaveOutcome, { is: 'saved' }>,
): Promise<SaveOutcome> {
  const error =
    outcome.is === 'conflict'
      ? {
          code: 'conflict',
          message: 'Files have changed since the rollback was made.',
          details: { files: outcome.files },
        }
      : { code: outcome.code, message: outcome.message, details: {} };
  const told = event('checkpoint.rollback.failed', checkpoint, rollback, { error });
  await moveRollback(checkpoint._id, rollback.rollback_id, ['saving'], { state: 'failed', error }, [told]);
  return outcome;
}

/** Safe to repeat: what was written before is known by its journal, and what was taken note of by the checkpoint. */
async function save({ checkpoint_id, rollback_id }: SaveInput): Promise<SaveOutcome> {
  const checkpoint = await loadCheckpoint(checkpoint_id);
  const rollback = checkpoint?.rollback;
  if (!checkpoint || rollback?.rollback_id !== rollback_id) {
    return { is: 'failed', code: 'not_pending', message: 'There is another rollback by now.' };
  }
  const notebook = await loadNotebook(checkpoint.org_id, checkpoint.notebook_id);
  if (rollback.state === 'saved') {
    // By an attempt that was cut off right after it took note of that.
    if (notebook) await forgetChanges(await NotebookFiles.at(notebook.path), rollback_id);
    return { is: 'saved' };
  }
  if (rollback.state !== 'saving') {
    return { is: 'failed', code: 'not_pending', message: `The rollback is ${rollback.state}.` };
  }
  if (!notebook) {
    return failed(checkpoint, rollback, { is: 'failed', code: 'no_notebook', message: 'The notebook is gone.' });
  }
  const buffer = await bufferOf(rollback);
  const changes = buffer
    .filter(({ text, current_hash }) => hashOf(text) !== current_hash)
    .map(
      ({ file_path, text, current_hash }): FileChange => ({
        path: notebookPath(file_path),
        before_hash: current_hash,
        content: text,
      }),
    );
  try {
    const outcome = await applyChanges(await NotebookFiles.at(notebook.path), rollback_id, changes);
    if (outcome.is === 'busy') {
      const { because } = outcome;
      throw ApplicationFailure.create({
        message: because === undefined ? 'somebody else is at the files' : 'the files are half written',
        type: 'Busy',
        cause: because instanceof Error ? because : undefined,
      });
    }
    if (outcome.is === 'conflict') {
      const files = outcome.files.map(({ path, ...hashes }) => ({ file_path: path.slice(1), ...hashes }));
      return failed(checkpoint, rollback, { is: 'conflict', files });
    }
    await saved(checkpoint, rollback, buffer);
    await outcome.forget();
    return { is: 'saved' };
  } catch (error) {
    // What the disk refuses was refused before anything was changed; everything else is tried again.
    const isOfDisk = error instanceof Error && 'syscall' in error && 'code' in error && !losesAttempt(error);
    if (!isFailure(error) && !isOfDisk) throw error;
    const message = isFailure(error) ? error.message : `The file system refused it (${error.code}).`;
    return failed(checkpoint, rollback, { is: 'failed', code: 'tool_failed', message });
  }
}

export const createSaveRollback =
  ({ heartbeatMs }: Pick<ActivityDeps, 'heartbeatMs'>) =>
  async (input: SaveInput): Promise<SaveOutcome> => {
    const beat = setInterval(() => heartbeat(), heartbeatMs / 2.5);
    try {
      return await save(input);
    } finally {
      clearInterval(beat);
    }
  };
