import { inputText } from '../domain/conversation.ts';
import { toolCallsOf } from '../domain/edits/job-rules.ts';
import type { EditLimits } from '../domain/edits/limits.ts';
import { hunksOf, type ProposalFile, reviewedFile } from '../domain/edits/review.ts';
import { isRefused, type ReviewState, summaryOf } from '../domain/edits/review-state.ts';
import { type DiffBundle, JOB_EVENTS, type Job, type JobEvents, type JobSummary } from '../domain/edits/wire.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { openQuestions } from '../domain/open-calls.ts';
import { hasEnded } from '../domain/run.ts';
import type { RunEvent } from '../domain/run-events.ts';
import type { RunState } from '../domain/run-state.ts';
import { checkpointIdOf, findCheckpoint } from '../store/checkpoints.ts';
import { RunLog } from '../store/event-log.ts';
import { nextCursorOf } from '../store/log-reading.ts';
import { readProposal } from '../store/proposals.ts';
import { asTold } from '../store/run-projection.ts';
import type { RunRecord } from '../store/run-record.ts';
import { findRun } from '../store/runs.ts';
import { eventsFrom } from './run-follower.ts';

export interface OpenJob {
  run: RunRecord;
  log: RunLog;
  state: RunState;
}

/** A run that is a job, or that has proposed edits in another way; any other is not there for who asks for jobs. */
export async function openJob(caller: Caller, id: string): Promise<OpenJob> {
  const found = await findRun(caller, id);
  const log = await RunLog.open({ run_id: id, workspace_id: found.workspace_id });
  const { state } = log;
  // Status and cursor are of one moment: who is told an older status with the newest cursor would wait for ever.
  const run = asTold(found, state);
  if (!run.edit_job && !lastReview(state)) {
    throw new Failure('not_found', `There is no job ${id} that you can see.`, { id });
  }
  return { run, log, state };
}

const ownCalls = (state: RunState) => state.turns.slice(state.inherited?.turns ?? 0).flatMap(({ calls }) => calls);

/** The newest proposal and what became of it; also of a job that has ended. */
export const lastReview = (state: RunState): ReviewState | null =>
  ownCalls(state).findLast(({ review }) => review)?.review ?? null;

const bundleOf = (job_id: string, files: ProposalFile[], review: ReviewState): DiffBundle => ({
  job_id,
  files: files.map((file) => ({
    file_path: file.file_path,
    base_file_hash: file.base_file_hash,
    hunks: hunksOf(file, reviewedFile(file, review)),
  })),
});

const firstCursor = (state: RunState, { max_events_per_job }: EditLimits): number =>
  state.ended ? Math.max(1, state.next_cursor - max_events_per_job) : 1;

export const jobSummary = (run: RunRecord): JobSummary => ({
  job_id: run._id,
  session_id: run.conversation_id ?? '',
  status: run.status,
  instruction: inputText(run.input),
  created_at: run.created_at.toISOString(),
  started_at: run.started_at?.toISOString() ?? null,
  finished_at: run.completed_at?.toISOString() ?? null,
  checkpoint_id: (run.files_modified ?? []).length > 0 ? checkpointIdOf(run._id) : null,
});

export async function jobView(caller: Caller, id: string, limits: EditLimits): Promise<Job> {
  const { run, state } = await openJob(caller, id);
  const review = lastReview(state);
  const files = review ? await readProposal(review.proposed) : [];
  const [question] = openQuestions(state).flatMap(({ question: asked, asked_at }) =>
    asked ? [{ question_id: asked.question_id, question: asked.question, created_at: asked_at ?? '' }] : [],
  );
  return {
    ...jobSummary(run),
    id,
    agent_id: run.agent_id,
    agent_name: run.agent_name,
    notebook_id: run.notebook_id ?? '',
    model: run.llm_model,
    cursor: state.next_cursor - 1,
    first_cursor: firstCursor(state, limits),
    tool_calls: Math.min(toolCallsOf(state), run.edit_job?.max_tool_calls ?? Number.POSITIVE_INFINITY),
    max_tool_calls: run.edit_job?.max_tool_calls ?? limits.max_tool_calls_per_job,
    question: question ?? null,
    review: review && summaryOf(review, id),
    proposed_edits: files.flatMap(({ edits }) => edits),
    // Of one that never fitted there are no hunks.
    diff_bundle: review && !isRefused(review) ? bundleOf(id, files, review) : null,
    conflict: review?.conflict?.files ?? [],
    applied_files: review?.applied?.files ?? [],
    checkpoint_id: review?.applied?.checkpoint_id ?? null,
    output: run.output,
    error: run.error ?? review?.failed?.error ?? null,
    poll_interval_ms: limits.poll_interval_ms,
  };
}

/** In the words of jobs, with the fields that clients of jobs look for. */
function jobEvent({ cursor, type, ts, data }: RunEvent): RunEvent {
  const { name, ...rest } = data;
  const isTool = type === 'tool.started' || type === 'tool.completed';
  return { cursor, type: JOB_EVENTS[type] ?? type, ts, data: isTool ? { tool: name, ...rest } : data };
}

/** What happened to the checkpoint after the log of its run was sealed goes on where the log ends. */
async function laterEvents(caller: Caller, { run, state }: OpenJob): Promise<RunEvent[]> {
  if (!state.ended || state.checkpoint === null) return [];
  const { events } = await findCheckpoint(caller, checkpointIdOf(run._id)).catch(() => ({ events: [] }));
  return events.map((event, index) => ({ cursor: state.next_cursor + index, ...event }));
}

export async function jobEvents(caller: Caller, id: string, wanted: number, limits: EditLimits): Promise<JobEvents> {
  const job = await openJob(caller, id);
  const { run, state } = job;
  const first_cursor = firstCursor(state, limits);
  const cursor = Math.max(wanted, first_cursor);
  const told = cursor < state.next_cursor || !state.ended ? (await eventsFrom(run._id, cursor)).map(jobEvent) : [];
  const next = cursor + told.length;
  // Of a long log one page is given; what comes after its end is given with the last.
  const isLast = next >= (await nextCursorOf(run._id));
  const later = isLast ? (await laterEvents(caller, job)).filter((event) => event.cursor >= next) : [];
  const events = [...told, ...later];
  return { job_id: id, status: run.status, first_cursor, next_cursor: Math.max(cursor, next) + later.length, events };
}

export const isOver = (run: RunRecord): boolean => hasEnded(run.status);
