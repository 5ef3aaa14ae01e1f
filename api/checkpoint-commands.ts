import { compareThree } from '../domain/edits/compare.ts';
import { withLineEndsOf } from '../domain/edits/line-ends.ts';
import { type RollbackMode, rollbackAll, rollbackSelected } from '../domain/edits/rollback.ts';
import { SAVE_ROLLBACK, type SaveInput, type SaveOutcome, saveWorkflowId } from '../domain/edits/saving.ts';
import { textHash } from '../domain/edits/text.ts';
import type { Checkpoint, CheckpointSummary, Diff3, RollbackReply } from '../domain/edits/wire.ts';
import { Failure, isFailure } from '../domain/failures.ts';
import { type Caller, holds, mayAnswer } from '../domain/identity.ts';
import { notebookPath } from '../domain/scope.ts';
import { NotebookFiles } from '../files/notebook-files.ts';
import {
  appliedChanges,
  type BufferedFile,
  bufferOf,
  type CheckpointFile,
  type CheckpointRecord,
  checkpointFile,
  checkpointFiles,
  findCheckpoint,
  moveRollback,
  type RollbackRecord,
  setRollback,
} from '../store/checkpoints.ts';
import { keepText } from '../store/kept-text.ts';
import { findNotebook } from '../store/notebooks.ts';
import type { RunStarter } from '../workflows/start.ts';
import { demandText } from './review-commands.ts';

type NewId = (prefix: string) => string;
type Conflicts = RollbackReply['conflicts'];

/** How long a caller is kept; the workflow goes on without them. */
const HELD_MS = 60_000;

const bare = (path: string): string => path.replace(/^\/+/, '');
const hashOf = (text: string | null): string | null => (text === null ? null : textHash(text));
const version = (text: string | null) => ({ exists: text !== null, text: text ?? '', hash: hashOf(text) });

const shownRollback = ({ rollback_id, mode, hunk_ids, state, created_at, saved_at }: RollbackRecord) => ({
  rollback_id,
  mode,
  hunk_ids,
  state,
  created_at: created_at.toISOString(),
  saved_at: saved_at?.toISOString() ?? null,
});

export const checkpointSummary = (record: CheckpointRecord): CheckpointSummary => ({
  checkpoint_id: record._id,
  session_id: record.session_id,
  job_id: record.job_id,
  notebook_id: record.notebook_id,
  instruction: record.instruction,
  created_at: record.created_at.toISOString(),
  applied: record.applied,
  files: record.files.length,
  rollback: record.rollback && shownRollback(record.rollback),
});

const statusIn = (record: CheckpointRecord, id: string, accepted: boolean) =>
  record.rolled_back.includes(id) ? ('rolled_back' as const) : accepted ? ('accepted' as const) : ('rejected' as const);

/** Whose job it was may take it back, and an admin; both must be able to change files at all. */
function demandMayChange(caller: Caller, { user_id, workspace_id }: CheckpointRecord): void {
  if (holds(caller, workspace_id, 'write') && mayAnswer(caller, { caller_user_id: user_id, workspace_id })) return;
  throw new Failure('forbidden', 'Only whose job it was, or an admin of its workspace, may take its changes back.');
}

/** What people do with the state before a job: look at it, compare, go back to it. Only a workflow writes files. */
export class CheckpointCommands {
  constructor(private readonly starter: RunStarter) {}

  async view(caller: Caller, id: string): Promise<Checkpoint> {
    const record = await findCheckpoint(caller, id);
    const files = await checkpointFiles(record);
    return {
      ...checkpointSummary(record),
      affected_files: files.map(({ file_path, base_hash, after_hash, log }) => ({
        file_path,
        base_snapshot_hash: base_hash,
        applied_hash: after_hash,
        hunks: log.changes.map(({ id: hunk_id, origin, status, reverse_patch }) => ({
          hunk_id,
          origin,
          status: statusIn(record, hunk_id, status === 'accepted'),
          reverse_patch,
        })),
      })),
    };
  }

  private async filesOf(caller: Caller, { notebook_id }: CheckpointRecord): Promise<NotebookFiles> {
    const { path } = await findNotebook(caller, notebook_id);
    return NotebookFiles.at(path ?? '').catch((cause: unknown) => {
      throw new Failure(
        'no_such_file',
        'The folder of this notebook is not there any more.',
        { notebook_id },
        { cause },
      );
    });
  }

  /** null where there is none. What is no text cannot be compared, nor taken back without being seen. */
  private async current(files: NotebookFiles, file_path: string): Promise<string | null> {
    return files.read(notebookPath(file_path)).then(
      ({ text }) => text,
      (error: unknown) => {
        if (isFailure(error) && error.code === 'no_such_file') return null;
        throw error;
      },
    );
  }

  async diff3(caller: Caller, id: string, path: string): Promise<Diff3> {
    const record = await findCheckpoint(caller, id);
    const file = await checkpointFile(record, bare(path));
    const { rollback } = record;
    const isOpen = rollback !== null && (rollback.state === 'buffer' || rollback.state === 'conflict');
    const buffered = isOpen
      ? (await bufferOf(rollback)).find(({ file_path }) => file_path === file.file_path)
      : undefined;
    const current = buffered ? buffered.text : await this.current(await this.filesOf(caller, record), file.file_path);
    return {
      checkpoint_id: id,
      file_path: file.file_path,
      current_file: version(current),
      checkpoint_base: version(file.base_snapshot),
      agent_proposed: version(file.proposed),
      regions: compareThree(current, file.base_snapshot, file.proposed),
    };
  }

  private async rolledBack(
    files: NotebookFiles,
    contents: CheckpointFile[],
    mode: RollbackMode,
    hunkIds: string[],
  ): Promise<{ buffer: BufferedFile[]; conflicts: Conflicts }> {
    const buffer: BufferedFile[] = [];
    const conflicts: Conflicts = [];
    for (const file of contents) {
      const { file_path } = file;
      const mine = appliedChanges(file).flatMap(({ id }) => (hunkIds.includes(id) ? [id] : []));
      if (mode === 'scoped_selected' && mine.length === 0) continue;
      const current = await this.current(files, file_path);
      const back =
        mode === 'hard_all'
          ? { text: rollbackAll(file.log).text, conflicts: [] }
          : rollbackSelected(current, file.log, mine);
      buffer.push({ file_path, text: back.text, current_hash: hashOf(current) });
      conflicts.push(...back.conflicts.map((conflict) => ({ ...conflict, file_path })));
    }
    return { buffer, conflicts };
  }

  async rollback(
    caller: Caller,
    id: string,
    { mode, hunk_ids }: { mode: RollbackMode; hunk_ids: string[] },
    newId: NewId,
  ): Promise<RollbackReply> {
    const record = await findCheckpoint(caller, id);
    demandMayChange(caller, record);
    if (!record.applied)
      throw new Failure('not_applied', `Nothing of ${record.job_id} is on disk.`, { job_id: record.job_id });
    const contents = await checkpointFiles(record);
    const known = new Set(contents.flatMap(appliedChanges).map((change) => change.id));
    const unknown = hunk_ids.filter((each) => !known.has(each));
    if (unknown.length > 0) {
      throw new Failure('not_found', `This checkpoint has no applied hunk ${unknown.slice(0, 5).join(', ')}.`, {
        hunk_ids: unknown,
      });
    }
    const { buffer, conflicts } = await this.rolledBack(await this.filesOf(caller, record), contents, mode, hunk_ids);
    const rollback: Omit<RollbackRecord, 'buffer'> = {
      rollback_id: newId('rbk'),
      mode,
      hunk_ids,
      state: conflicts.length > 0 ? 'conflict' : 'buffer',
      conflicts,
      user_id: caller.user_id,
      created_at: new Date(),
      saved_at: null,
      saved_files: [],
      error: null,
    };
    const ts = rollback.created_at.toISOString();
    const about = { checkpoint_id: id, rollback_id: rollback.rollback_id, mode, hunk_ids };
    const outcome =
      conflicts.length > 0
        ? {
            type: 'checkpoint.rollback.failed',
            ts,
            data: { ...about, conflicts: conflicts.map(({ hunk_id, file_path }) => ({ hunk_id, file_path })) },
          }
        : {
            type: 'checkpoint.rollback.completed',
            ts,
            data: { ...about, saved: false, files: buffer.map(({ file_path }) => file_path) },
          };
    const events = [{ type: 'checkpoint.rollback.started', ts, data: about }, outcome];
    await setRollback(caller, record, rollback, buffer, events);
    return {
      ...shownRollback({ ...rollback, buffer: { text: null, blob: null } }),
      checkpoint_id: id,
      files: buffer.map(({ file_path, text, current_hash }) => ({ file_path, working_buffer: text, current_hash })),
      conflicts,
    };
  }

  /** What was changed by hand takes the place of what the rollback came to; conflicts must be among it. */
  private async resolved(
    rollback: RollbackRecord,
    contents: { file_path: string; content: string }[],
  ): Promise<BufferedFile[]> {
    const buffer = await bufferOf(rollback);
    for (const { content, file_path } of contents) demandText(content, bare(file_path));
    const byHand = new Map(contents.map(({ file_path, content }) => [bare(file_path), content]));
    const stray = [...byHand.keys()].filter((path) => !buffer.some(({ file_path }) => file_path === path));
    if (stray.length > 0)
      throw new Failure('not_found', `The rollback has no file ${stray.join(', ')}.`, { files: stray });
    const open = [...new Set(rollback.conflicts.map(({ file_path }) => file_path))].filter((path) => !byHand.has(path));
    if (open.length > 0) {
      const what = `Some hunks could not be taken back in ${open.join(', ')}: give their contents as they are to be.`;
      throw new Failure('conflict', what, { conflicts: rollback.conflicts });
    }
    return buffer.map((file) => {
      const content = byHand.get(file.file_path);
      if (content === undefined) return file;
      return { ...file, text: content.includes('\r\n') ? content : withLineEndsOf(file.text ?? '', content) };
    });
  }

  async save(
    caller: Caller,
    id: string,
    {
      rollback_id,
      contents = [],
    }: { rollback_id?: string | undefined; contents?: { file_path: string; content: string }[] | undefined },
    draining: AbortSignal,
  ): Promise<RollbackRecord> {
    const record = await findCheckpoint(caller, id);
    demandMayChange(caller, record);
    const { rollback } = record;
    if (!rollback) throw new Failure('not_pending', 'There is no rollback to save: make one first.');
    if (rollback_id !== undefined && rollback_id !== rollback.rollback_id) {
      throw new Failure('conflict', 'There is another rollback by now.', { rollback_id: rollback.rollback_id });
    }
    if (rollback.state === 'failed') {
      throw new Failure('conflict', rollback.error?.message ?? 'It was not saved.', rollback.error?.details ?? {});
    }
    if (rollback.state === 'saved') return rollback;
    if (rollback.state !== 'saving') {
      const buffer = await keepText(JSON.stringify(await this.resolved(rollback, contents)));
      const moved = await moveRollback(id, rollback.rollback_id, ['buffer', 'conflict'], { state: 'saving', buffer });
      if (!moved) throw new Failure('conflict', 'Somebody else is saving or changing this rollback.', {});
    }
    const input = { v: 1, checkpoint_id: id, rollback_id: rollback.rollback_id } as const;
    const outcome = await this.written({ ...input, heartbeat_ms: this.starter.heartbeatMs }, draining);
    const { rollback: now } = await findCheckpoint(caller, id);
    if (outcome === null || outcome.is === 'saved') return now ?? rollback;
    if (outcome.is === 'failed') throw new Failure(outcome.code, outcome.message, { checkpoint_id: id });
    const what =
      'Files have changed since the rollback was made; nothing was written. Roll back again to see what it comes to now.';
    throw new Failure('conflict', what, { files: outcome.files });
  }

  /** Null where it takes longer than a request may: it goes on all the same. */
  private async written(input: SaveInput, draining: AbortSignal): Promise<SaveOutcome | null> {
    const { client, taskQueue } = this.starter;
    const patience = AbortSignal.any([draining, AbortSignal.timeout(HELD_MS)]);
    try {
      return await client.withAbortSignal(patience, async () => {
        const handle = await client.workflow.start(SAVE_ROLLBACK, {
          taskQueue,
          workflowId: saveWorkflowId(input),
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowTaskTimeout: '3 seconds',
          args: [input],
        });
        return (await handle.result()) as SaveOutcome;
      });
    } catch (cause) {
      if (patience.aborted) return null;
      throw new Failure('unavailable', 'The rollback cannot be saved now; save it again in a moment.', {}, { cause });
    }
  }
}
