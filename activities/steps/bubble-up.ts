import { type ReviewState, summaryOf } from '../../domain/edits/review-state.ts';
import { conflictShown } from '../../domain/edits/trace.ts';
import type { ChildQuestion, Fact, Person } from '../../domain/facts.ts';
import { openActions, openQuestions, openReviews, revisedActions } from '../../domain/open-calls.ts';
import type { CallState, RunState } from '../../domain/run-state.ts';
import { problemOf } from '../../domain/trace-asks.ts';
import { RunLog } from '../../store/event-log.ts';
import { projectRun } from '../../store/run-projection.ts';
import { loadRun } from '../../store/run-upkeep.ts';
import type { Segment } from '../segment.ts';

function asked({ action, question }: CallState): ChildQuestion[] {
  if (question) return [{ kind: 'question', id: question.question_id, question: question.question }];
  if (!action) return [];
  const { action_id: id, tool, path, preview, digest, always } = action;
  const shown = { preview, digest, ...(always ? { always } : {}), ...problemOf(action) };
  return [{ kind: 'action', id, tool, path, arguments: action.arguments, ...shown }];
}

const askedReview = (review: ReviewState): ChildQuestion => {
  const { files, hunks } = summaryOf(review, '');
  const conflict = review.conflict ? { conflict: conflictShown(review.conflict.files) } : {};
  return { kind: 'review', id: review.proposed.review_id, files, hunks, ...conflict };
};

/** What was changed since is asked again under its name. */
function isSame(known: ChildQuestion, now: ChildQuestion): boolean {
  if (known.id !== now.id) return false;
  if (known.kind === 'action' && now.kind === 'action') {
    return known.digest === now.digest && known.problem === now.problem;
  }
  if (known.kind !== 'review' || now.kind !== 'review') return true;
  return JSON.stringify(known.conflict) === JSON.stringify(now.conflict);
}

const SOMEBODY: Person = { user_id: '', name: 'somebody' };

function answerTo(state: RunState, id: string): { confirmed: boolean | null; is_review?: true; by: Person } {
  const calls = state.turns.at(-1)?.calls ?? [];
  const review = calls.find(({ review }) => review?.proposed.review_id === id)?.review;
  if (review) return { confirmed: null, is_review: true, by: review.rerun?.by ?? SOMEBODY };
  const call = calls.find(({ action }) => action?.action_id === id);
  if (call?.revised?.allowed) return { confirmed: true, by: call.revised.by };
  const decision = call?.decision;
  return decision ? { confirmed: decision.confirmed, by: decision.by } : { confirmed: null, by: SOMEBODY };
}

/**
 * Makes the root of the tree show what this run asks of people, and no longer show what was answered. Done whenever a
 * run below stops to wait or goes on, so that what a crash kept from the root reaches it later.
 */
export async function bubbleUp({ run, log }: Segment): Promise<void> {
  const [rootId] = run.line;
  if (rootId === undefined || rootId === run._id) return;
  const { state } = log;
  const everAsked =
    state.turns.at(-1)?.calls.some(({ action, question, review }) => action || question || review) === true;
  if (!everAsked) return;
  const open = [
    ...[...openActions(state), ...openQuestions(state)].flatMap(asked),
    ...openReviews(state).map(askedReview),
  ];
  // Asked again in a moment: nobody has answered it.
  const stays = new Set(
    revisedActions(state).flatMap(({ action, revised }) => (revised?.allowed ? [] : action?.action_id)),
  );
  const root = await RunLog.open({ run_id: rootId, workspace_id: run.workspace_id });
  const about = { child_run_id: run._id };
  const news = (of: RunState): Fact[] => {
    if (of.ended) return [];
    const shown = of.bubbled.filter(({ child_run_id }) => child_run_id === run._id).map(({ asked }) => asked);
    return [
      ...open
        .filter((question) => !shown.some((known) => isSame(known, question)))
        .map((question): Fact => ({ kind: 'child_asked', ...about, agent_name: run.agent_name, asked: question })),
      ...shown
        .filter(({ id }) => !stays.has(id) && !open.some((question) => question.id === id))
        .map(({ id }): Fact => ({ kind: 'child_answered', ...about, id, ...answerTo(state, id) })),
    ];
  };
  if (news(root.state).length === 0 || !(await loadRun(rootId))) return;
  await root.append(news);
  await projectRun(root);
}
