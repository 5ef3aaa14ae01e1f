import { type ChangeStatus, type FileLog, recordUserEdit, splitChange } from '../domain/edits/change-log.ts';
import type { EditFactOf, ReviewStep } from '../domain/edits/facts.ts';
import { redo, undo } from '../domain/edits/history.ts';
import { withLineEndsOf } from '../domain/edits/line-ends.ts';
import { replay } from '../domain/edits/replay.ts';
import { type ProposalFile, type ReviewedFile, reviewedFile, shownFile } from '../domain/edits/review.ts';
import { isRefused, isSettled, type ReviewState, summaryOf } from '../domain/edits/review-state.ts';
import { type HunkLimits, isOversized } from '../domain/edits/size-guard.ts';
import { exchangeOf } from '../domain/edits/split.ts';
import { isPlainText, textHash } from '../domain/edits/text.ts';
import type { ChangesBody, ReviewBody, ReviewFile, ReviewReply } from '../domain/edits/wire.ts';
import type { Fact } from '../domain/facts.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { currentTurn, type RunState } from '../domain/run-state.ts';
import { readProposalFiles } from '../store/proposals.ts';
import { lastReview, openJob } from './edit-jobs.ts';
import { invalid } from './route.ts';
import { personOf, type RunCommands } from './run-commands.ts';

const bare = (path: string): string => path.replace(/^\/+/, '');

/** The review that waits for people in this state; nothing else of a job can be reviewed. */
export function openReviewIn(state: RunState): {
  review: ReviewState;
  about: Pick<EditFactOf<'review_updated'>, 'turn' | 'call_id' | 'review_id'>;
} {
  const call = currentTurn(state)?.calls.find(({ review, finished }) => review && !finished && !isSettled(review));
  const review = state.ended ? null : (call?.review ?? null);
  if (!review) throw new Failure('not_pending', 'No proposal of this job waits for a review.');
  if (review.apply) throw new Failure('conflict', 'The proposal is being applied.', { state: 'applying' });
  const { turn, call_id, review_id } = review.proposed;
  return { review, about: { turn, call_id, review_id } };
}

/** Files are no longer what the proposal was made for: nothing was written, and only a rerun helps. */
export const conflictFailure = ({ conflict }: ReviewState, job_id: string): Failure =>
  new Failure('conflict', 'Files are not what the edits were made for; nothing was written. Run the job again.', {
    files: conflict?.files ?? [],
    rerun: `/api/agent/jobs/${job_id}/rerun`,
  });

/** The same, where there is anything to decide about: of a proposal that never fitted there is not. */
export function reviewableIn(state: RunState, job_id: string): ReturnType<typeof openReviewIn> {
  const open = openReviewIn(state);
  if (isRefused(open.review)) throw conflictFailure(open.review, job_id);
  return open;
}

/** The files that hunks of the review are in: the agent's by its proposal, those by hand by the update that made them. */
function filesOfHunks(review: ReviewState, hunkIds: readonly string[]): Map<string, string[]> {
  const fileOf = new Map([
    ...review.proposed.files.flatMap(({ file_path, hunk_ids }) => hunk_ids.map((id) => [id, file_path] as const)),
    ...review.updates.flatMap(({ file_path, step }) =>
      step.do === 'edit' ? step.added.map(({ id }) => [id, file_path] as const) : [],
    ),
  ]);
  const found = new Map<string, string[]>();
  for (const id of hunkIds) {
    // A part of one that was split is called after it: `h_1.2`.
    const path = review.statuses[id] === undefined ? undefined : fileOf.get(id.split('.')[0] ?? id);
    if (path === undefined) throw new Failure('not_found', `This job has no hunk ${id}.`, { hunk_id: id });
    found.set(path, [...(found.get(path) ?? []), id]);
  }
  return found;
}

const STATUS: Record<NonNullable<ReviewBody['decision']>, ChangeStatus> = {
  accept: 'accepted',
  reject: 'rejected',
  pending: 'pending',
};

export function refuseOversized(review: ReviewState, ids: readonly string[], asOne: boolean | undefined): void {
  const large = review.oversized.filter((id) => ids.includes(id) && review.statuses[id] !== 'accepted');
  if (large.length === 0 || asOne) return;
  throw new Failure('oversized_hunk', `${large.join(', ')}: too large to be accepted by the way.`, { hunk_ids: large });
}

/** What became of the statuses between two states of one file. */
const moved = (before: FileLog, after: FileLog): Record<string, ChangeStatus> =>
  Object.fromEntries(
    after.changes
      .filter(({ id, status }) => before.changes.find((each) => each.id === id)?.status !== status)
      .map(({ id, status }) => [id, status]),
  );

function splitStep(
  log: FileLog,
  hunk_id: string,
  at: NonNullable<ReviewBody['split_at']>,
  limits: HunkLimits,
): ReviewStep {
  const where = { new_lines: at.new_lines, ...(at.old_lines === undefined ? {} : { old_lines: at.old_lines }) };
  const before = new Set(log.changes.map(({ id }) => id));
  const made = splitChange(log, hunk_id, where).changes.filter(({ id }) => !before.has(id));
  if (made.length < 2) throw invalid('body', { split_at: 'both parts must have lines' });
  const parts = made.map(({ id }) => id);
  // Splitting off a line is no way around the limit. What people write themselves has none.
  const large = made.filter((part) => part.origin === 'agent' && isOversized(exchangeOf(part), limits));
  const oversized = large.map(({ id }) => id);
  return { do: 'split', hunk_id, at: where, parts, ...(oversized.length > 0 ? { oversized } : {}) };
}

function stepBack({ log, history }: ReviewedFile, way: 'undo' | 'redo'): ReviewStep {
  const after = way === 'undo' ? undo(log, history) : redo(log, history);
  if (!after) throw new Failure('conflict', `There is nothing to ${way}.`, { [way]: null });
  return { do: way, statuses: moved(log, after.log) };
}

/** What is written by hand goes to disk as it is: it must be what can be read again. */
export function demandText(content: string, file_path: string): void {
  if (isPlainText(content)) return;
  throw new Failure('not_a_text_file', 'The content holds a NUL or half a character.', { file_path });
}

/** Null where the buffer says so already. */
function editStep(
  { log }: ReviewedFile,
  review: ReviewState,
  { content = '', buffer_hash }: ChangesBody,
): ReviewStep | null {
  const buffer = replay(log).text;
  const hash = buffer === null ? null : textHash(buffer);
  if (buffer_hash !== undefined && buffer_hash !== hash) {
    throw new Failure('conflict', 'The buffer was changed meanwhile.', { buffer_hash: hash });
  }
  let n = review.updates.reduce((sum, { step }) => sum + (step.do === 'edit' ? step.added.length : 0), 0);
  demandText(content, log.file_path);
  // An editor that knows one kind of line end must not change all the others.
  const text = content.includes('\r\n') ? content : withLineEndsOf(buffer ?? log.base_snapshot ?? '', content);
  const { added } = recordUserEdit(log, text, () => `u_${++n}`);
  return added.length === 0 ? null : { do: 'edit', added };
}

type Comment = Pick<EditFactOf<'review_updated'>, 'comment'>;
/** What is told of one file; nothing where there is no step. */
type Make = (review: ReviewState, file: ProposalFile) => Comment & { step: ReviewStep | null };

/** What people do in a review; each is appended to the log of the run, which alone knows how the review stands. */
export class ReviewCommands {
  constructor(private readonly runs: RunCommands) {}

  async review(caller: Caller, id: string, body: ReviewBody): Promise<ReviewReply> {
    const { hunk_id, hunk_ids, file_path, decision, split_at } = body;
    const about = hunk_id === undefined ? hunk_ids : [hunk_id];
    const comment: Comment =
      body.comment === undefined ? {} : { comment: { hunk_id: hunk_id ?? null, text: body.comment } };
    let wanted = new Map<string, string[]>();
    const pathsIn = (review: ReviewState): string[] => {
      if (about === undefined) return [bare(file_path ?? '')];
      if (decision === 'accept') refuseOversized(review, about, body.as_one);
      wanted = filesOfHunks(review, about);
      return [...wanted.keys()];
    };
    return this.update(caller, id, pathsIn, hunk_ids === undefined, (review, file) => {
      const { log } = reviewedFile(file, review);
      if (split_at && hunk_id !== undefined) return { step: splitStep(log, hunk_id, split_at, this.runs.limits) };
      if (!decision) return { step: { do: 'comment' }, ...comment };
      const ids = wanted.get(file.file_path) ?? log.changes.map(({ id: each }) => each);
      if (decision === 'accept') refuseOversized(review, ids, body.as_one);
      const status = STATUS[decision];
      return { step: { do: 'decide', statuses: Object.fromEntries(ids.map((each) => [each, status])) }, ...comment };
    });
  }

  async change(caller: Caller, id: string, body: ChangesBody): Promise<ReviewReply> {
    const paths = body.file_paths ?? [body.file_path ?? ''];
    const pathsIn = (): string[] => [...new Set(paths.map(bare))];
    return this.update(caller, id, pathsIn, body.file_paths === undefined, (review, file) => {
      const reviewed = reviewedFile(file, review);
      if (body.undo) return { step: stepBack(reviewed, 'undo') };
      if (body.redo) return { step: stepBack(reviewed, 'redo') };
      return { step: editStep(reviewed, review, body) };
    });
  }

  /** One fact a file, all of them in one append. */
  private async update(
    caller: Caller,
    id: string,
    pathsIn: (review: ReviewState) => string[],
    showsFiles: boolean,
    make: Make,
  ): Promise<ReviewReply> {
    const { run, log } = await openJob(caller, id);
    const before = reviewableIn(log.state, id);
    const paths = pathsIn(before.review);
    const files = await readProposalFiles(before.review.proposed, paths);
    const missing = paths.find((path) => !files.some(({ file_path }) => file_path === path));
    if (missing !== undefined) {
      throw new Failure('not_found', `The proposal has no file ${missing}.`, { file_path: missing });
    }
    const by = personOf(caller);
    let statuses: Record<string, ChangeStatus> = {};
    await this.runs.note(caller, run, log, (state): Fact[] => {
      const { review, about } = openReviewIn(state);
      if (about.review_id !== before.about.review_id) {
        throw new Failure('conflict', 'There is a new proposal by now.', { ...about });
      }
      statuses = {};
      return files.flatMap((file): Fact[] => {
        const { step, comment } = make(review, file);
        if (step === null) return [];
        if ('statuses' in step) Object.assign(statuses, step.statuses);
        const { file_path } = file;
        return [{ kind: 'review_updated', ...about, file_path, step, ...(comment ? { comment } : {}), by }];
      });
    });
    const { review } = openReviewIn(log.state);
    return {
      job_id: id,
      status: run.status,
      review: summaryOf(review, id),
      cursor: log.state.next_cursor - 1,
      statuses,
      files: showsFiles ? files.map((file) => shownFile(file, review)) : [],
    };
  }

  async file(caller: Caller, id: string, path: string): Promise<ReviewFile> {
    const { state } = await openJob(caller, id);
    const review = lastReview(state);
    const [file] = review ? await readProposalFiles(review.proposed, [bare(path)]) : [];
    if (!file || !review) throw new Failure('not_found', `The proposal has no file ${path}.`, { file_path: path });
    return shownFile(file, review);
  }
}
