import { type Budget, budgetVerdict, WRAP_UP } from './budget.ts';
import { canCompact, needsCompaction } from './compaction.ts';
import { type ConfirmationRules, needsConfirmation } from './confirmation.ts';
import { type EditRules, isOverLimit, isSecondProposal, openApply, usedUpProposals } from './edits/job-rules.ts';
import { isSettled } from './edits/review-state.ts';
import type { CallPurpose, Fact } from './facts.ts';
import { type RunError, runError } from './failures.ts';
import { openDelegations } from './open-calls.ts';
import { type OutputCheck, rejection } from './output-schema.ts';
import type { EndStatus } from './run.ts';
import { type CallState, currentTurn, type RunState, type Turn } from './run-state.ts';
import type { ToolLookup } from './tool.ts';
import { endsRun } from './tool-domains.ts';

/** What comes next, from the log alone. Whoever picks a run up, and whenever, comes to the same answer. */
export type Move =
  | { do: 'end'; status: EndStatus; output: unknown; error: RunError | null }
  /** `preface` is what the model is told first: it goes to the log together with the call. */
  | { do: 'call'; turn: number; try: number; preface: Fact[]; purpose?: CallPurpose }
  | { do: 'tools'; turn: number; calls: CallState[] }
  | { do: 'delegate'; turn: number; calls: CallState[] }
  | { do: 'ask'; turn: number; calls: CallState[] }
  | { do: 'apply'; turn: number; call: CallState }
  | { do: 'wait'; ids: string[]; children: string[] }
  | { do: 'stop_children'; children: string[] }
  | { do: 'retry'; after_ms: number }
  | { do: 'nothing' };

export interface Rules {
  budget: Budget;
  confirmation: ConfirmationRules;
  tool: ToolLookup;
  edits: EditRules;
  /** What the final answer must be; null where anything will do. */
  output: { check: OutputCheck; max_retries: number } | null;
  /** Tokens of a conversation from which on its older turns are summed up. */
  compact_at: number;
  /** What failed last is tried next with another model. */
  switches: (state: RunState) => boolean;
  /** Failed tries of one model call before the run fails there (and can be resumed). */
  max_tries: number;
}

/** A step begun this often without an outcome took its worker down each time. */
const POISON_STARTS = 3;

/** In a session what was said in earlier runs was their result, not this one's. */
const lastText = (state: RunState): string | null => {
  const taken = state.inherited?.relation === 'session' ? state.inherited.turns : 0;
  return state.turns.slice(taken).findLast((turn) => turn.text !== '')?.text ?? null;
};

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
  const switches = failure?.try === turn.started && rules.switches(state);
  const purpose = turn.purpose ? { purpose: turn.purpose } : {};
  const again: Move = { do: 'call', turn: turn.turn, try: turn.started + 1, preface: [], ...purpose };
  if (!failure || failure.try < turn.started) return again;
  if (switches) return again;
  // Too long for the model after all: nothing but a shorter conversation will help.
  if (failure.error.code === 'context_overflow' && !turn.purpose && canCompact(state)) {
    return { ...again, purpose: 'compact' };
  }
  if (!failure.error.retryable || turn.failures.length >= rules.max_tries) return end(state, 'failed', failure.error);
  const wait = Math.max(failure.retry_after_ms ?? 0, backoffMs(turn.failures.length));
  const due = Date.parse(turn.last_failure_at ?? '') + wait;
  return due > now ? { do: 'retry', after_ms: due - now } : again;
}

type CallStanding = 'runnable' | 'to_delegate' | 'delegated' | 'to_ask' | 'waiting';

function standing(call: CallState, state: RunState, rules: Rules): CallStanding {
  const tool = rules.tool(call.call.name, call.call.arguments);
  if (!tool || call.call.malformed !== undefined || isOverLimit(state, call, rules.edits)) return 'runnable';
  if (tool.proposes) {
    if (call.review) return isSettled(call.review) ? 'runnable' : 'waiting';
    const turn = currentTurn(state);
    return turn && isSecondProposal(turn, call) ? 'runnable' : 'to_ask';
  }
  if (tool.asks) {
    if (call.answer !== null) return 'runnable';
    return call.question ? 'waiting' : 'to_ask';
  }
  if (call.child) return 'delegated';
  const allowed: CallStanding = tool.delegates ? 'to_delegate' : 'runnable';
  if (call.decision) return call.decision.confirmed ? allowed : 'runnable';
  if (call.revised) return 'to_ask';
  if (call.action) return 'waiting';
  return needsConfirmation(tool, state, rules.confirmation) ? 'to_ask' : allowed;
}

/** Of a turn that was taken over it was told already; who goes on from there may do otherwise. */
const fatalIn = (state: RunState, turn: Turn): RunError | null => {
  if (turn.turn <= (state.inherited?.turns ?? 0)) return null;
  return turn.calls.find(({ finished }) => endsRun(finished?.error))?.finished?.error ?? null;
};

function afterAnswer(state: RunState, turn: Turn, rules: Rules): Move | null {
  const fatal = fatalIn(state, turn);
  if (fatal) return end(state, 'failed', fatal);
  const open = turn.calls.filter((call) => !call.finished);
  if (open.length === 0) return null;
  const poisoned = open.find((call) => call.starts >= POISON_STARTS);
  if (poisoned) {
    return end(state, 'failed', runError('poison_step', `The tool ${poisoned.call.name} never came to an end.`, true));
  }
  const by = (wanted: CallStanding) => open.filter((call) => standing(call, state, rules) === wanted);
  const runnable = by('runnable');
  if (runnable.length > 0) return { do: 'tools', turn: turn.turn, calls: runnable };
  const toDelegate = by('to_delegate');
  if (toDelegate.length > 0) return { do: 'delegate', turn: turn.turn, calls: toDelegate };
  const toAsk = oneQuestion(by('to_ask'), by('waiting'), rules);
  if (toAsk.length > 0) return { do: 'ask', turn: turn.turn, calls: toAsk };
  const ids = by('waiting').map(
    ({ action, question, review }) => action?.action_id ?? question?.question_id ?? review?.proposed.review_id ?? '',
  );
  return { do: 'wait', ids, children: childrenOf(by('delegated')) };
}

/** People are asked one question at a time; the next one waits until it is answered. */
function oneQuestion(toAsk: CallState[], waiting: CallState[], rules: Rules): CallState[] {
  const questions = toAsk.filter((call) => rules.tool(call.call.name)?.asks);
  const first = waiting.some(({ question }) => question) ? undefined : questions[0];
  return toAsk.filter((call) => call === first || !questions.includes(call));
}

const childrenOf = (calls: CallState[]): string[] => calls.flatMap(({ child }) => child?.child_run_id ?? []);

/** An answer without tool calls ends the run, if it is what was asked for. */
function afterFinalAnswer(state: RunState, turn: Turn, rules: Rules): Move | Fact[] {
  if (!rules.output) return { do: 'end', status: 'completed', output: turn.text, error: null };
  const checked = rules.output.check(turn.text);
  if (checked.ok) return { do: 'end', status: 'completed', output: checked.value, error: null };
  const { errors } = checked;
  if (state.rejections >= rules.output.max_retries) {
    const failure = runError('invalid_output', 'The model did not give an output that fits the schema.', true, {
      errors,
    });
    return end(state, 'failed', failure);
  }
  return [{ kind: 'output_rejected', turn: turn.turn + 1, errors, message: rejection(errors) }];
}

export function nextMove(state: RunState, rules: Rules, now: number): Move {
  if (state.ended) return { do: 'nothing' };
  const below = childrenOf(openDelegations(state));
  const applying = openApply(state);
  if (applying) return { do: 'apply', ...applying };
  if (state.cancel_requested) {
    return below.length > 0 ? { do: 'stop_children', children: below } : end(state, 'cancelled', null);
  }
  if (state.paused) return { do: 'wait', ids: [], children: below };
  if (state.denied) return end(state, 'budget_exceeded', null);
  const turn = currentTurn(state);
  if (!turn) return { do: 'call', turn: 1, try: 1, preface: [] };
  if (!turn.answered) return afterFailure(state, turn, rules, now);
  const unfinished = afterAnswer(state, turn, rules);
  if (unfinished) return unfinished;
  return afterTurn(state, turn, rules, now);
}

/** The turn is over: the run is, or there is another. */
function afterTurn(state: RunState, turn: Turn, rules: Rules, now: number): Move {
  const preface: Fact[] = [];
  const isFinal = turn.calls.length === 0 && turn.sums_up === null;
  if (turn.cut && isFinal) {
    return end(state, 'failed', runError('answer_cut', 'The provider ended the answer before the model had.', true));
  }
  const steered = state.injected.some((message) => message.before_turn > turn.turn);
  if (isFinal && !steered) {
    const after = afterFinalAnswer(state, turn, rules);
    if (!Array.isArray(after)) return after;
    preface.push(...after);
  }
  // What was to be done is done, and on disk: another call would only say so.
  if (turn.calls.some(({ review }) => review?.applied) && !steered && !rules.output)
    return end(state, 'completed', null);
  if (usedUpProposals(state, rules.edits)) {
    const failure = runError('invalid_edits', 'The model did not come up with edits that can be made.', true);
    return end(state, 'failed', failure);
  }
  const verdict = budgetVerdict(state, rules.budget, now);
  if (verdict.is === 'exceeded') return end(state, 'budget_exceeded', null);
  const next = turn.turn + 1;
  if (verdict.is === 'warn')
    preface.push({ kind: 'budget_warned', turn: next, limit: verdict.limit, message: WRAP_UP });
  else if (needsCompaction(state, rules.compact_at)) {
    return { do: 'call', turn: next, try: 1, preface, purpose: 'compact' };
  }
  return { do: 'call', turn: next, try: 1, preface };
}
