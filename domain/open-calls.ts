import { isSettled, type ReviewState } from './edits/review-state.ts';
import type { ChildQuestion } from './facts.ts';
import type { RunStatus } from './run.ts';
import { type Bubbled, type CallState, currentTurn, type RunState } from './run-state.ts';

/** Of a run that has ended nobody is asked anything any more. */
const openCalls = (state: RunState): CallState[] =>
  state.ended ? [] : (currentTurn(state)?.calls.filter((call) => !call.finished) ?? []);

export const openActions = (state: RunState): CallState[] =>
  openCalls(state).filter((call) => call.action && !call.decision && !call.revised);

/** What is to be shown again, with the arguments of a person. */
export const revisedActions = (state: RunState): CallState[] =>
  openCalls(state).filter((call) => call.revised && !call.decision);

export const openQuestions = (state: RunState): CallState[] =>
  openCalls(state).filter((call) => call.question && call.answer === null);

/** Proposals that people have neither applied nor sent back. */
export const openReviews = (state: RunState): ReviewState[] =>
  openCalls(state).flatMap(({ review }) => (review && !isSettled(review) ? [review] : []));

/** Calls that another agent is at. */
export const openDelegations = (state: RunState): CallState[] => openCalls(state).filter((call) => call.child);

const bubbledOf = (state: RunState, kind: ChildQuestion['kind']): Bubbled[] =>
  state.ended ? [] : state.bubbled.filter(({ asked }) => asked.kind === kind);

/** A person is what it waits for: that time is not the run's own. */
export const awaitsPerson = (state: RunState): boolean =>
  state.paused ||
  openActions(state).length > 0 ||
  openQuestions(state).length > 0 ||
  openReviews(state).some(({ apply }) => apply === null) ||
  state.bubbled.length > 0;

export function statusOf(state: RunState): RunStatus {
  if (state.ended) return state.ended.status;
  if (state.started_at === null) return 'queued';
  if (state.paused) return 'paused';
  if (openActions(state).length > 0 || bubbledOf(state, 'action').length > 0) return 'awaiting_confirmation';
  if (openQuestions(state).length > 0 || bubbledOf(state, 'question').length > 0) return 'waiting_for_user';
  if (openReviews(state).some(({ apply }) => apply === null) || bubbledOf(state, 'review').length > 0) {
    return 'awaiting_review';
  }
  return 'running';
}
