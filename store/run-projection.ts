import {
  iterationsUsed,
  openActions,
  openQuestions,
  type RunState,
  statusOf,
  unconfirmedCalls,
} from '../domain/run-state.ts';
import type { RunLog } from './event-log.ts';
import { type RunRecord, runCollection } from './run-record.ts';

function projection(state: RunState): Partial<RunRecord> {
  const startedAt = state.started_at ? new Date(state.started_at) : null;
  const endedAt = state.ended ? new Date(state.ended.at) : null;
  return {
    status: statusOf(state),
    output: state.ended?.output ?? null,
    error: state.ended?.error ?? null,
    iterations_used: iterationsUsed(state),
    tokens_used: state.usage.input + state.usage.output,
    tokens: state.usage,
    unconfirmed_calls: unconfirmedCalls(state),
    pending_actions: openActions(state).flatMap(({ action, asked_at }) =>
      action
        ? [
            {
              id: action.action_id,
              type: action.tool,
              path: action.path,
              arguments: action.arguments,
              requires_confirmation: true as const,
              preview: action.preview,
              digest: action.digest,
              created_at: asked_at ?? '',
            },
          ]
        : [],
    ),
    pending_questions: openQuestions(state).flatMap(({ question, asked_at }) =>
      question ? [{ id: question.question_id, question: question.question, created_at: asked_at ?? '' }] : [],
    ),
    started_at: startedAt,
    completed_at: endedAt,
    duration_ms: startedAt && endedAt ? endedAt.getTime() - startedAt.getTime() : null,
  };
}

/**
 * Brings the record up to what the log tells; whoever is behind changes nothing. Only who carries the run knows when it
 * will try again: `retryAt` is left as it is where it is not given.
 */
export async function projectRun(log: RunLog, retryAt?: Date | null): Promise<void> {
  // What is staged is in the state and not in the log: a record must not be ahead.
  if (log.hasStaged) return;
  const retry_at = log.state.ended ? null : retryAt;
  const set = {
    ...projection(log.state),
    log_n: log.state.n,
    checked_at: new Date(),
    ...(retry_at === undefined ? {} : { retry_at }),
  };
  await runCollection().updateOne({ _id: log.owner.run_id, log_n: { $lte: log.state.n } }, { $set: set });
}
