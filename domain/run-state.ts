import type { Entry, Fact, Intent, Person, Token } from './facts.ts';
import { isOlder } from './facts.ts';
import type { RunError } from './failures.ts';
import type { ToolCall, Usage } from './model.ts';
import type { EndStatus, RunStatus } from './run.ts';
import { eventCount, stepCount } from './trace.ts';

type FactOf<K extends Fact['kind']> = Extract<Fact, { kind: K }>;

export interface CallState {
  call: ToolCall;
  action: FactOf<'action_pending'> | null;
  asked_at: string | null;
  decision: FactOf<'action_decided'> | null;
  question: FactOf<'question_asked'> | null;
  answer: string | null;
  intent: Intent | null;
  /** How often this call was begun; three begun and none finished is poison. */
  starts: number;
  finished: FactOf<'tool_finished'> | null;
}

export interface Turn {
  turn: number;
  /** Tries begun and tries whose outcome is known: the difference was lost in a crash. */
  started: number;
  failures: FactOf<'call_failed'>[];
  last_failure_at: string | null;
  text: string;
  calls: CallState[];
  answered: boolean;
  cut: boolean;
}

/** A message that joins the conversation before the given turn. */
interface Injected {
  before_turn: number;
  content: string;
  by: Person | null;
}

/** Everything a run is, as told by its log so far. */
export interface RunState {
  n: number;
  next_cursor: number;
  next_step: number;
  token: Token | null;
  queued_at: string | null;
  started_at: string | null;
  turns: Turn[];
  injected: Injected[];
  warned_at_turn: number | null;
  usage: Usage;
  cancel_requested: boolean;
  ended: { status: EndStatus; output: unknown; error: RunError | null; at: string } | null;
}

export const emptyState = (): RunState => ({
  n: 0,
  next_cursor: 1,
  next_step: 1,
  token: null,
  queued_at: null,
  started_at: null,
  turns: [],
  injected: [],
  warned_at_turn: null,
  usage: { input: 0, output: 0, cached: 0 },
  cancel_requested: false,
  ended: null,
});

export const currentTurn = (state: RunState): Turn | undefined => state.turns[state.turns.length - 1];

const newCall = (call: ToolCall): CallState => ({
  call,
  action: null,
  asked_at: null,
  decision: null,
  question: null,
  answer: null,
  intent: null,
  starts: 0,
  finished: null,
});

function turnOf(state: RunState, number: number): Turn {
  const found = state.turns[number - 1];
  if (found) return found;
  const turn: Turn = {
    turn: number,
    started: 0,
    failures: [],
    last_failure_at: null,
    text: '',
    calls: [],
    answered: false,
    cut: false,
  };
  state.turns.push(turn);
  return turn;
}

function callOf(state: RunState, turn: number, callId: string): CallState {
  const found = turnOf(state, turn).calls.find((call) => call.call.tool_call_id === callId);
  if (!found) throw new Error(`the log names call ${callId} of turn ${turn}, which no answer holds`);
  return found;
}

/** Messages join at the next turn that has not been answered yet. */
const nextTurn = (state: RunState): number => {
  const last = currentTurn(state);
  return last === undefined ? 1 : last.started > 0 ? last.turn + 1 : last.turn;
};

function apply(state: RunState, fact: Fact, at: string): void {
  switch (fact.kind) {
    case 'queued':
      state.queued_at = fact.at;
      return;
    case 'started':
      state.started_at = at;
      return;
    case 'call_started':
      turnOf(state, fact.turn).started = fact.try;
      // What came in while an earlier try was under way is in the request of this one.
      for (const message of state.injected) message.before_turn = Math.min(message.before_turn, fact.turn);
      return;
    case 'call_failed': {
      const turn = turnOf(state, fact.turn);
      turn.failures.push(fact);
      turn.last_failure_at = at;
      return;
    }
    case 'answered': {
      const turn = turnOf(state, fact.turn);
      turn.answered = true;
      turn.text = fact.text;
      turn.cut = fact.cut === true;
      turn.calls = fact.tool_calls.map(newCall);
      state.usage = {
        input: state.usage.input + fact.usage.input,
        output: state.usage.output + fact.usage.output,
        cached: state.usage.cached + fact.usage.cached,
      };
      return;
    }
    case 'action_pending': {
      const call = callOf(state, fact.turn, fact.call_id);
      call.action = fact;
      call.asked_at = at;
      return;
    }
    case 'action_decided':
      callOf(state, fact.turn, fact.call_id).decision = fact;
      return;
    case 'question_asked': {
      const call = callOf(state, fact.turn, fact.call_id);
      call.question = fact;
      call.asked_at = at;
      return;
    }
    case 'question_answered':
      callOf(state, fact.turn, fact.call_id).answer = fact.answer;
      return;
    case 'tool_started': {
      const call = callOf(state, fact.turn, fact.call_id);
      call.intent = fact.intent;
      call.starts += 1;
      return;
    }
    case 'tool_finished':
      callOf(state, fact.turn, fact.call_id).finished = fact;
      return;
    case 'message_received':
      state.injected.push({ before_turn: nextTurn(state), content: fact.content, by: fact.by });
      return;
    case 'budget_warned':
      state.warned_at_turn = fact.turn;
      state.injected.push({ before_turn: fact.turn, content: fact.message, by: null });
      return;
    case 'cancel_requested':
      state.cancel_requested = true;
      return;
    case 'ended':
      state.ended = { status: fact.status, output: fact.output, error: fact.error, at };
      return;
  }
}

/** Folds one entry into the state, in place: logs are long, and a state has one owner. */
export function fold(state: RunState, entry: Entry): void {
  if (entry.n !== state.n + 1) throw new Error(`the log jumps from slot ${state.n} to ${entry.n}`);
  for (const fact of entry.facts) apply(state, fact, entry.at);
  state.n = entry.n;
  state.next_step = entry.first_step + entry.facts.reduce((sum, fact) => sum + stepCount(fact), 0);
  state.next_cursor = entry.first_cursor + entry.facts.reduce((sum, fact) => sum + eventCount(fact), 0);
  if (entry.token && (state.token === null || isOlder(state.token, entry.token))) state.token = entry.token;
}

/** Of a run that has ended nobody is asked anything any more. */
const openCalls = (state: RunState): CallState[] =>
  state.ended ? [] : (currentTurn(state)?.calls.filter((call) => !call.finished) ?? []);

export const openActions = (state: RunState): CallState[] =>
  openCalls(state).filter((call) => call.action && !call.decision);

export const openQuestions = (state: RunState): CallState[] =>
  openCalls(state).filter((call) => call.question && call.answer === null);

export function statusOf(state: RunState): RunStatus {
  if (state.ended) return state.ended.status;
  if (state.started_at === null) return 'queued';
  if (openActions(state).length > 0) return 'awaiting_confirmation';
  if (openQuestions(state).length > 0) return 'waiting_for_user';
  return 'running';
}

/** Model calls that left and whose answer never arrived: they may have been billed. */
export const unconfirmedCalls = (state: RunState): number =>
  state.turns.reduce((sum, turn) => {
    const open = turn.started - turn.failures.length - (turn.answered ? 1 : 0);
    const inFlight = turn === currentTurn(state) && !turn.answered && !state.ended && open > 0 ? 1 : 0;
    return sum + Math.max(0, open - inFlight);
  }, 0);

export const iterationsUsed = (state: RunState): number => state.turns.filter((turn) => turn.answered).length;
