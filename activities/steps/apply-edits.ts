import { inputText } from '../../domain/conversation.ts';
import { withStatuses } from '../../domain/edits/change-log.ts';
import { patchSince } from '../../domain/edits/conflict.ts';
import { accepted, replay } from '../../domain/edits/replay.ts';
import { type ProposalFile, reviewedFile } from '../../domain/edits/review.ts';
import type { ReviewState } from '../../domain/edits/review-state.ts';
import { textHash } from '../../domain/edits/text.ts';
import type { AppliedFile, ConflictFile } from '../../domain/edits/wire.ts';
import type { Fact } from '../../domain/facts.ts';
import { isFailure } from '../../domain/failures.ts';
import type { CallState } from '../../domain/run-state.ts';
import { notebookPath } from '../../domain/scope.ts';
import type { SegmentOutcome } from '../../domain/segment.ts';
import { applyChanges, type FileChange, forgetChanges, isDecided, type Mismatch } from '../../files/journal.ts';
import type { NotebookFiles } from '../../files/notebook-files.ts';
import { type CheckpointFile, checkpointIdOf, markApplied, writeCheckpoint } from '../../store/checkpoints.ts';
import { readProposal } from '../../store/proposals.ts';
import { losesAttempt } from '../lost-attempt.ts';
import type { Segment } from '../segment.ts';
import { told } from './call-outcome.ts';
import { keepFiles, needNotebook } from './effect-once.ts';

const BUSY_MS = 300;
/** Where the disk does not let it finish: that is for people to see to. */
const STUCK_MS = 5_000;

interface Outcome {
  file: CheckpointFile;
  done: AppliedFile;
}

/** A file with what was accepted, and beside it what there was and what was wanted. */
function outcomeOf(proposal: ProposalFile, review: ReviewState): Outcome {
  const { log } = reviewedFile(proposal, review);
  const after = replay(log, accepted);
  const all = Object.fromEntries(
    log.changes.map(({ id, origin }) => [id, origin === 'agent' ? 'accepted' : 'rejected'] as const),
  );
  const applied = new Set(after.applied);
  const statuses = Object.fromEntries(
    log.changes.map(({ id }) => [id, applied.has(id) ? 'accepted' : 'rejected'] as const),
  );
  const { file_path, base_snapshot, base_file_hash } = proposal;
  return {
    file: {
      file_path,
      base_snapshot,
      base_hash: base_file_hash,
      after: after.text,
      after_hash: after.text === null ? null : textHash(after.text),
      proposed: replay(withStatuses(log, all), accepted).text,
      log: withStatuses(log, statuses),
    },
    done: { file_path, applied_hunks: applied.size, rejected_hunks: log.changes.length - applied.size },
  };
}

const isChanged = ({ file }: Outcome): boolean => file.after_hash !== file.base_hash;

async function changedSince(
  files: NotebookFiles,
  { path, expected_hash, actual_hash }: Mismatch,
  base: string | null,
): Promise<ConflictFile> {
  const file_path = path.slice(1);
  const about = { file_path, expected_hash };
  const isHash = actual_hash === null || actual_hash.startsWith('sha256:');
  if (!isHash) return { ...about, reason: actual_hash, actual_hash: null, diff: null };
  const reason =
    actual_hash === null
      ? 'The file is gone.'
      : expected_hash === null
        ? 'There is such a file by now.'
        : 'The file has changed since the edits were proposed.';
  const now = await files.read(path).then(
    ({ text }) => text,
    () => null,
  );
  return { ...about, reason, actual_hash, diff: now === null ? null : patchSince(file_path, base ?? '', now) };
}

/**
 * Writes what was accepted: all files or none, after a checkpoint of what was there. Whoever comes after a crash does
 * the same again, and finds in the journal how far it came. What is no longer as it was shown is a conflict, and
 * nothing is written. Gives back an outcome where somebody else is at the files at this moment.
 */
export async function applyEdits(segment: Segment, turn: number, call: CallState): Promise<SegmentOutcome | null> {
  const { review } = call;
  if (!review?.apply) return null;
  const { apply_id, review_id } = review.apply;
  const about = { turn, call_id: call.call.tool_call_id, review_id };
  const say = async (facts: Fact[]) => {
    segment.log.stage(facts);
    await segment.log.flush();
  };
  // What is staged must be stored before anything is written.
  await segment.log.flush();
  try {
    const context = await needNotebook(segment.tools);
    const outcomes = (await readProposal(review.proposed)).map((file) => outcomeOf(file, review));
    const wanted = outcomes.filter(isChanged);
    // What is halfway in its place is brought there, whoever has lost which right meanwhile.
    if (wanted.length > 0 && !(await isDecided(context.files, apply_id))) {
      await segment.callers.demand(segment.run, true);
    }
    for (const { file } of wanted) {
      const at = await context.files.actual(notebookPath(file.file_path));
      context.guard(file.base_hash === null ? 'create' : 'write', at);
    }
    // Where nothing is accepted nothing is written, and there is nothing to go back to.
    const checkpoint_id = wanted.length > 0 ? checkpointIdOf(segment.run._id) : null;
    if (checkpoint_id !== null) {
      await keepCheckpoint(segment, checkpoint_id, outcomes);
      const files = outcomes.map(({ file }) => file.file_path);
      if (segment.log.state.checkpoint === null) {
        // As they were before the first change, for forks; whoever comes after a crash cannot know that any more.
        const before = segment.log.state.files === null ? await keepFiles(segment) : [];
        await say([...before, { kind: 'checkpoint_created', ...about, checkpoint_id, files }]);
      }
    }
    const changes = wanted.map(
      ({ file }): FileChange => ({
        path: notebookPath(file.file_path),
        before_hash: file.base_hash,
        content: file.after,
      }),
    );
    const outcome = await applyChanges(context.files, apply_id, changes);
    if (outcome.is === 'busy') {
      const { because } = outcome;
      if (because === undefined) return { next: 'retry', after_ms: BUSY_MS };
      segment.logger.error({ err: because, review_id }, 'edits are half applied, and are gone on with');
      return { next: 'retry', after_ms: STUCK_MS };
    }
    if (outcome.is === 'conflict') {
      const baseOf = (path: string) =>
        outcomes.find(({ file }) => notebookPath(file.file_path) === path)?.file.base_snapshot ?? null;
      const files = outcome.files.map((each) => changedSince(context.files, each, baseOf(each.path)));
      await say([{ kind: 'conflict_detected', ...about, files: await Promise.all(files) }]);
      return null;
    }
    if (checkpoint_id !== null) await markApplied(checkpoint_id);
    await say([{ kind: 'edits_applied', ...about, apply_id, checkpoint_id, files: outcomes.map(({ done }) => done) }]);
    // Only now that the log knows: until then the journal alone can tell that it happened.
    await outcome.forget().catch((err: unknown) => segment.logger.warn({ err }, 'a journal was left behind'));
    // And as the run leaves them: a fork at its end has these.
    if (checkpoint_id !== null) segment.log.stage(await keepFiles(segment));
  } catch (error) {
    if (losesAttempt(error)) throw error;
    segment.logger.warn({ err: error, review_id }, 'edits were not applied');
    const failure = told(error);
    await say([
      { kind: 'apply_failed', ...about, error: isFailure(error) ? failure : { ...failure, retryable: true } },
    ]);
  }
  return null;
}

/** Cut off between the two, it is in the log and has its journal still. */
export async function forgetApplied(segment: Segment, { review }: CallState): Promise<void> {
  if (!review?.applied) return;
  const { apply_id } = review.applied;
  await needNotebook(segment.tools)
    .then(({ files }) => forgetChanges(files, apply_id))
    .catch((err: unknown) => segment.logger.warn({ err }, 'a journal was left behind'));
}

const keepCheckpoint = ({ run }: Segment, _id: string, outcomes: Outcome[]): Promise<void> =>
  writeCheckpoint(
    {
      _id,
      org_id: run.org_id,
      workspace_id: run.workspace_id,
      user_id: run.caller_user_id,
      session_id: run.conversation_id ?? '',
      job_id: run._id,
      notebook_id: run.notebook_id ?? '',
      instruction: inputText(run.input).slice(0, 1000),
    },
    outcomes.map(({ file }) => file),
  );
