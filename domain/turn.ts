import { type Budget, budgetVerdict, WRAP_UP } from './budget.ts';
import { type ConfirmationRules, needsConfirmation } from './confirmation.ts';
import type { Fact } from './facts.ts';
import { type RunError, runError } from './failures.ts';
import type { EndStatus } from './run.ts';
import { type CallState, currentTurn, iterationsUsed, type RunState, type Turn } from './run-state.ts';
import type { ToolLookup } from './tool.ts';

/** What comes next, from the log alone. Whoever picks a run up, and whenever, comes to the same answer. */
export type Move =
  | { do: 'end'; status: EndStatus; output: unknown; error: RunError | null }
  | { do: 'call'; turn: number; try: number; warning: Extract<Fact, { kind: 'budget_warned' }> | null }
  | { do: 'tools'; turn: number; calls: CallState[] }
  | { do: 'ask'; turn: number; calls: CallState[] }
  | { do: 'wait'; ids: string[] }
  | { do: 'retry'; after_ms: number }
  | { do: 'nothing' };

export interface Rules {
  budget: Budget;
  confirmation: ConfirmationRules;
  tool: ToolLookup;
  /** Failed tries of one model call before the run fails there (and can be resumed). */
  max_tries: number;
}

/** A step begun this often without an outcome took its worker down each time. */
const POISON_STARTS = 3;

const lastText = (state: RunState): string | null => state.turns.findLast((turn) => turn.text !== '')?.text ?? null;

const end = (state: RunState, status: EndStatus, error: RunError | null): Move => ({
  do: 'end',
  status,
  // Also where it did not complete: what it had said so far is its partial result.
  output: lastText(state),
  error,
});

export const backoffMs = (failures: number): number => Math.min(30_000, 250 * 2 ** (failures - 1));

function afterFailure(state: RunState, turn: Turn, rules: Rules, now: number): Move {
  const lost = turn.started - turn.failures.length;
  if (lost >= POISON_STARTS) {
    return end(state, 'failed', runError('poison_step', `Model call ${turn.turn} never came to an end.`, true));
  }
  const failure = turn.failures.at(-1);
  const again: Move = { do: 'call', turn: turn.turn, try: turn.started + 1, warning: null };
  if (!failure || failure.try < turn.started) return again;
  if (!failure.error.retryable || turn.failures.length >= rules.max_tries) return end(state, 'failed', failure.error);
  const wait = Math.max(failure.retry_after_ms ?? 0, backoffMs(turn.failures.length));
  const due = Date.parse(turn.last_failure_at ?? '') + wait;
  return due > now ? { do: 'retry', after_ms: due - now } : again;
}

type CallStanding = 'runnable' | 'to_ask' | 'waiting';

function standing(call: CallState, state: RunState, rules: Rules): CallStanding {
  const tool = rules.tool(call.call.name);
  if (!tool || call.call.malformed !== undefined) return 'runnable';
  if (tool.asks) {
    if (call.answer !== null) return 'runnable';
    return call.question ? 'waiting' : 'to_ask';
  }
  if (call.decision) return 'runnable';
  if (call.action) return 'waiting';
  return needsConfirmation(tool, state, rules.confirmation) ? 'to_ask' : 'runnable';
}

function afterAnswer(state: RunState, turn: Turn, rules: Rules): Move | null {
  const open = turn.calls.filter((call) => !call.finished);
  if (open.length === 0) return null;
  const poisoned = open.find((call) => call.starts >= POISON_STARTS);
  if (poisoned) {
    return end(state, 'failed', runError('poison_step', `The tool ${poisoned.call.name} never came to an end.`, true));
  }
  const by = (wanted: CallStanding) => open.filter((call) => standing(call, state, rules) === wanted);
  const runnable = by('runnable');
  if (runnable.length > 0) return { do: 'tools', turn: turn.turn, calls: runnable };
  const toAsk = by('to_ask');
  if (toAsk.length > 0) return { do: 'ask', turn: turn.turn, calls: toAsk };
  const ids = by('waiting').map((call) => call.action?.action_id ?? call.question?.question_id ?? '');
  return { do: 'wait', ids };
}

export function nextMove(state: RunState, rules: Rules, now: number): Move {
  if (state.ended) return { do: 'nothing' };
  if (state.cancel_requested) return end(state, 'cancelled', null);
  const turn = currentTurn(state);
  if (!turn) return { do: 'call', turn: 1, try: 1, warning: null };
  if (!turn.answered) return afterFailure(state, turn, rules, now);
  const unfinished = afterAnswer(state, turn, rules);
  if (unfinished) return unfinished;

  if (turn.cut && turn.calls.length === 0) {
    return end(state, 'failed', runError('answer_cut', 'The provider ended the answer before the model had.', true));
  }
  const steered = state.injected.some((message) => message.before_turn > turn.turn);
  if (turn.calls.length === 0 && !steered) return { do: 'end', status: 'completed', output: turn.text, error: null };
  const verdict = budgetVerdict(state, rules.budget);
  if (verdict.is === 'exceeded') return end(state, 'budget_exceeded', null);
  const next = iterationsUsed(state) + 1;
  const warning =
    verdict.is === 'warn'
      ? ({ kind: 'budget_warned', turn: next, limit: verdict.limit, message: WRAP_UP } as const)
      : null;
  return { do: 'call', turn: next, try: 1, warning };
}
