import { inputText } from '../domain/conversation.ts';
import { feedbackOf } from '../domain/edits/feedback.ts';
import type { Fact } from '../domain/facts.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { hasEnded, type RunStatus } from '../domain/run.ts';
import { NO_ANSWER } from '../domain/run-requests.ts';
import type { RunState } from '../domain/run-state.ts';
import type { RunRecord } from '../store/run-record.ts';
import { lastReview, openJob } from './edit-jobs.ts';
import { openReviewIn, refuseOversized, reviewableIn } from './review-commands.ts';
import { personOf, type RunCommands } from './run-commands.ts';
import type { SessionCommands } from './session-commands.ts';

type NewId = (prefix: string) => string;

/** What people do with jobs that edit, but for their review. */
export class EditCommands {
  constructor(
    private readonly runs: RunCommands,
    private readonly sessions: SessionCommands,
  ) {}

  async clarify(caller: Caller, id: string, question: string, answer: string | undefined): Promise<void> {
    await openJob(caller, id);
    await this.runs.answer(caller, id, question, answer ?? NO_ANSWER);
  }

  async cancel(caller: Caller, id: string): Promise<void> {
    await openJob(caller, id);
    await this.runs.cancel(caller, id);
  }

  /** The whole list decides: what is not in it is rejected. Gives the cursor from which on its outcome is told. */
  async apply(caller: Caller, id: string, sessionId: string, accepted: string[], newId: NewId): Promise<number> {
    const apply_id = newId('apl');
    const { run, state } = await openJob(caller, id);
    // One that was resumed or forked has no session of its own.
    if ((run.conversation_id ?? '') !== sessionId) {
      throw new Failure('not_found', `The session ${sessionId} has no job ${id}.`, { session_id: sessionId });
    }
    const by = personOf(caller);
    // Repeated under the same key after its reply was lost: it is under way, or done.
    const isRepeat =
      lastReview(state)?.apply?.apply_id === apply_id || lastReview(state)?.applied?.apply_id === apply_id;
    if (isRepeat) return 1;
    await this.runs.review(
      caller,
      id,
      (now): Fact[] => {
        const { review, about } = reviewableIn(now, id);
        const unknown = accepted.filter((each) => review.statuses[each] === undefined);
        if (unknown.length > 0) {
          throw new Failure('invalid_request', `There is no hunk ${unknown.slice(0, 5).join(', ')}.`, {
            fields: { accepted_hunk_ids: `unknown: ${unknown.slice(0, 20).join(', ')}` },
          });
        }
        refuseOversized(review, accepted, false);
        return [{ kind: 'apply_requested', ...about, apply_id, accepted, by }];
      },
      reviewableIn(state, id).about.review_id,
    );
    return state.next_cursor;
  }

  /** An open proposal is sent back to its job, which proposes anew; a job that has ended is begun anew as another. */
  async rerun(
    caller: Caller,
    id: string,
    comment: string | undefined,
    newId: NewId,
  ): Promise<{ job_id: string; status: RunStatus }> {
    const { run, state } = await openJob(caller, id);
    if (hasEnded(run.status)) return this.again(caller, run, state, comment, newId);
    const by = personOf(caller);
    const told = await this.runs.review(
      caller,
      id,
      (now): Fact[] => [{ kind: 'rerun_requested', ...openReviewIn(now).about, comment: comment ?? null, by }],
      openReviewIn(state).about.review_id,
    );
    return { job_id: id, status: told.status };
  }

  private async again(caller: Caller, run: RunRecord, state: RunState, comment: string | undefined, newId: NewId) {
    const review = lastReview(state);
    const said = [
      ...(review ? (feedbackOf(review).comments as { file_path: string; text: string }[]) : []).map(
        ({ file_path, text }) => `- ${file_path}: ${text}`,
      ),
      ...(comment === undefined ? [] : [`- ${comment}`]),
    ];
    const asked = inputText(run.input).split(COMMENTS)[0] ?? '';
    const instruction = said.length === 0 ? asked : `${asked}${COMMENTS}${said.join('\n')}`;
    const max_tool_calls = run.edit_job?.max_tool_calls ?? null;
    const next = await this.sessions.startJob(
      caller,
      run.conversation_id ?? '',
      { instruction, max_tool_calls },
      newId,
    );
    return { job_id: next._id, status: next.status };
  }
}

const COMMENTS = '\n\nAbout the last try at this it was said:\n';
