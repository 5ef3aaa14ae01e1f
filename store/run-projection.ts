import { summaryOf } from '../domain/edits/review-state.ts';
import { conflictShown } from '../domain/edits/trace.ts';
import type { ConflictFile } from '../domain/edits/wire.ts';
import { workflowState } from '../domain/flow-state.ts';
import { usdOf } from '../domain/money.ts';
import { openActions, openQuestions, openReviews, statusOf } from '../domain/open-calls.ts';
import type { PendingAction, PendingQuestion, PendingReview } from '../domain/pending.ts';
import { hasEnded } from '../domain/run.ts';
import { type Bubbled, filesModified, type RunState } from '../domain/run-state.ts';
import type { HistorySize } from '../domain/segment.ts';
import { activeMs, iterationsUsed, spentInTree, unconfirmed } from '../domain/spending.ts';
import { problemOf } from '../domain/trace-asks.ts';
import type { RunLog } from './event-log.ts';
import { type RunRecord, runCollection } from './run-record.ts';

type Asker = { run_id: string; agent_name: string };

const ownActions = (state: RunState, by: Asker): PendingAction[] =>
  openActions(state).flatMap(({ action, asked_at, shown_at }) =>
    action
      ? [
          {
            id: action.action_id,
            ...by,
            type: action.tool,
            path: action.path,
            arguments: action.arguments,
            requires_confirmation: true as const,
            can_allow_for_session: action.always !== true,
            preview: action.preview,
            digest: action.digest,
            ...problemOf(action),
            created_at: asked_at ?? '',
            ...(shown_at ? { shown_at } : {}),
          },
        ]
      : [],
  );

const ownQuestions = (state: RunState, by: Asker): PendingQuestion[] =>
  openQuestions(state).flatMap(({ question, asked_at }) =>
    question ? [{ id: question.question_id, ...by, question: question.question, created_at: asked_at ?? '' }] : [],
  );

const conflictIn = (shown: ConflictFile[] | null | undefined): Pick<PendingReview, 'conflict'> =>
  shown ? { conflict: shown.map(({ file_path, reason, diff }) => ({ file_path, reason, diff })) } : {};

const ownReviews = (state: RunState, by: Asker): PendingReview[] =>
  openReviews(state).map((review) => ({
    ...summaryOf(review, by.run_id),
    ...by,
    ...conflictIn(review.conflict && conflictShown(review.conflict.files)),
  }));

const askerOf = ({ child_run_id, agent_name }: Bubbled): Asker => ({ run_id: child_run_id, agent_name });

const actionsBelow = (state: RunState): PendingAction[] =>
  state.bubbled.flatMap((bubbled) => {
    const { asked, asked_at, shown_at } = bubbled;
    if (asked.kind !== 'action') return [];
    const { id, tool: type, path, preview, digest } = asked;
    const { arguments: args } = asked;
    const shown = { preview, digest, ...problemOf(asked) };
    const about = { type, path, arguments: args, requires_confirmation: true as const, ...shown };
    const can_allow_for_session = asked.always !== true;
    return [{ id, ...askerOf(bubbled), ...about, can_allow_for_session, created_at: asked_at, shown_at }];
  });

const questionsBelow = (state: RunState): PendingQuestion[] =>
  state.bubbled.flatMap((bubbled) => {
    const { asked, asked_at } = bubbled;
    if (asked.kind !== 'question') return [];
    return [{ id: asked.id, ...askerOf(bubbled), question: asked.question, created_at: asked_at }];
  });

const reviewsBelow = (state: RunState): PendingReview[] =>
  state.bubbled.flatMap((bubbled) => {
    const { asked, asked_at } = bubbled;
    if (asked.kind !== 'review') return [];
    const { id: review_id, files, hunks, conflict } = asked;
    const state = conflict ? ('conflict' as const) : ('open' as const);
    const open = { proposal: 1, state, accepted: 0, rejected: 0, pending: hunks, ...conflictIn(conflict) };
    const asker = askerOf(bubbled);
    return [{ review_id, job_id: asker.run_id, files, hunks, ...open, ...asker, created_at: asked_at }];
  });

function checkoutIn({ checkout, ended }: RunState): Pick<RunRecord, 'checkout'> | undefined {
  if (!checkout) return undefined;
  const { branch, base_commit, executor, epoch } = checkout;
  return { checkout: { state: ended ? 'released' : 'ready', branch, base_commit, executor, epoch } };
}

/** The model it asked last; before its first call the record knows which one that will be. */
const modelIn = ({ turns, inherited }: RunState): Pick<RunRecord, 'llm_model'> | undefined => {
  const own = turns.length > (inherited?.turns ?? 0) ? turns.at(-1)?.model : undefined;
  return own ? { llm_model: own } : undefined;
};

function projection(state: RunState, by: Asker): Partial<RunRecord> {
  const startedAt = state.started_at ? new Date(state.started_at) : null;
  const endedAt = state.ended ? new Date(state.ended.at) : null;
  const lost = unconfirmed(state);
  const tree = spentInTree(state);
  return {
    status: statusOf(state),
    output: state.ended?.output ?? null,
    error: state.ended?.error ?? null,
    iterations_used: iterationsUsed(state),
    tokens_used: state.usage.input + state.usage.output,
    tokens: state.usage,
    cost_usd: state.priced ? usdOf(state.cost_micros) : null,
    unconfirmed_calls: lost.calls,
    unconfirmed_tokens: lost.tokens,
    unconfirmed_cost_usd: usdOf(lost.micros),
    tree: { iterations: tree.iterations, tokens: tree.tokens, cost_usd: usdOf(tree.micros) },
    files_modified: filesModified(state),
    ...modelIn(state),
    ...checkoutIn(state),
    allowed_tools: state.allowed_tools,
    ...(state.flow.steps.size > 0 ? { workflow_state: workflowState(state.flow) } : {}),
    active_ms: activeMs(state, Date.now()),
    pending_actions: [...ownActions(state, by), ...(state.ended ? [] : actionsBelow(state))],
    pending_questions: [...ownQuestions(state, by), ...(state.ended ? [] : questionsBelow(state))],
    pending_reviews: [...ownReviews(state, by), ...(state.ended ? [] : reviewsBelow(state))],
    started_at: startedAt,
    completed_at: endedAt,
    duration_ms: startedAt && endedAt ? endedAt.getTime() - startedAt.getTime() : null,
  };
}

/** A record as a log read after it tells it, which may be further; what has ended stays as it ended. */
export const asTold = (run: RunRecord, state: RunState): RunRecord =>
  hasEnded(run.status) ? run : { ...run, ...projection(state, { run_id: run._id, agent_name: run.agent_name }) };

export interface Seen {
  /** When the run will try again; null when nothing is waited for. */
  retry_at?: Date | null;
  history?: HistorySize;
}

/**
 * Brings the record up to what the log tells; whoever is behind changes nothing. Only who carries the run knows when it
 * will try again and how long its history is: what is not given is left as it is.
 */
export async function projectRun(log: RunLog, seen: Seen = {}): Promise<void> {
  // What is staged is in the state and not in the log: a record must not be ahead.
  if (log.hasStaged) return;
  const retry_at = log.state.ended ? null : seen.retry_at;
  const set = {
    // Whose questions they are the record itself knows.
    ...projection(log.state, { run_id: log.owner.run_id, agent_name: '' }),
    log_n: log.state.n,
    checked_at: new Date(),
    ...(retry_at === undefined ? {} : { retry_at }),
    ...(seen.history ? { history: seen.history } : {}),
  };
  await runCollection().updateOne({ _id: log.owner.run_id, log_n: { $lte: log.state.n } }, { $set: set });
}
