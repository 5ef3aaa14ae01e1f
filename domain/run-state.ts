import type { CallPurpose, ChildQuestion, Fact, Intent, Person, Relation, Reserve, Spent, Token } from './facts.ts';
import type { RunError } from './failures.ts';
import type { ModelChoice } from './hybrid.ts';
import type { ToolCall, Usage } from './model.ts';
import type { EndStatus, RunStatus } from './run.ts';

type FactOf<K extends Fact['kind']> = Extract<Fact, { kind: K }>;

export interface CallState {
  call: ToolCall;
  action: FactOf<'action_pending'> | null;
  asked_at: string | null;
  decision: FactOf<'action_decided'> | null;
  question: FactOf<'question_asked'> | null;
  answer: string | null;
  /** The run that does it, where it was handed to another agent. */
  child: FactOf<'delegated'> | null;
  intent: Intent | null;
  /** How often this call was begun; three begun and none finished is poison. */
  starts: number;
  finished: Finished | null;
}

/** The outcome of a call, whoever brought it about. */
export interface Finished {
  ok: boolean;
  result: unknown;
  error: RunError | null;
}

export interface Turn {
  turn: number;
  /** Tries begun and tries whose outcome is known: the difference was lost in a crash. */
  started: number;
  /** What each try may have cost at most, in their order. */
  reserves: Reserve[];
  /** Size of what was sent last. */
  bytes: number;
  /** What the newest try is for: one that comes to nothing is tried again for the same. */
  purpose: CallPurpose | null;
  failures: FactOf<'call_failed'>[];
  last_failure_at: string | null;
  model: string;
  text: string;
  calls: CallState[];
  answered: boolean;
  usage: Usage | null;
  cut: boolean;
  /** Where its answer is a summary: the last turn it takes the place of. */
  sums_up: number | null;
}

/** A message that joins the conversation before the given turn. */
export interface Injected {
  before_turn: number;
  content: string;
  by: Person | null;
  /** In a session: the run's own input, said here; its record has the words. */
  is_input?: true;
  /** What the user has pinned: read anew for each run, so it is not taken over. */
  is_context?: true;
}

export interface Bubbled {
  child_run_id: string;
  agent_name: string;
  asked: ChildQuestion;
  asked_at: string;
}

/** Everything a run is, as told by its log so far. */
export interface RunState {
  n: number;
  next_cursor: number;
  next_step: number;
  token: Token | null;
  queued_at: string | null;
  started_at: string | null;
  /** Taken over from another run: its turns lie before this run's own. */
  inherited: { from: string; relation: Relation; step: number; turns: number; spent: Spent } | null;
  /** What its conversation begins with where that is older than the run; its own input is said later. */
  opening: { input: unknown } | null;
  /** Tools that a person has allowed once, and those nobody is asked about any more. */
  confirmed_tools: string[];
  allowed_tools: string[];
  /** Rows the user has pinned that the agent was given. */
  context_rows: number;
  turns: Turn[];
  injected: Injected[];
  warned_at_turn: number | null;
  denied: FactOf<'budget_denied'> | null;
  /** The newest snapshot of the files; null as long as nothing was changed. */
  files: string | null;
  /** Answers that did not fit the output schema. */
  rejections: number;
  rate_limited_until: string | null;
  /** The model chosen last, where there was a choice. */
  selected: ModelChoice | null;
  usage: Usage;
  cost_micros: number;
  /** False once a call was answered whose price nobody knows. */
  priced: boolean;
  below: Spent;
  bubbled: Bubbled[];
  paused: boolean;
  /** Time spent waiting for people, and since when it is being spent. */
  waited_ms: number;
  waiting_since: string | null;
  cancel_requested: boolean;
  ended: { status: EndStatus; output: unknown; error: RunError | null; at: string } | null;
}

export const NOTHING_SPENT: Spent = { iterations: 0, tokens: 0, micros: 0 };

export const emptyState = (): RunState => ({
  n: 0,
  next_cursor: 1,
  next_step: 1,
  token: null,
  queued_at: null,
  started_at: null,
  inherited: null,
  opening: null,
  confirmed_tools: [],
  allowed_tools: [],
  context_rows: 0,
  turns: [],
  injected: [],
  warned_at_turn: null,
  denied: null,
  files: null,
  rejections: 0,
  rate_limited_until: null,
  selected: null,
  usage: { input: 0, output: 0, cached: 0 },
  cost_micros: 0,
  priced: true,
  below: NOTHING_SPENT,
  bubbled: [],
  paused: false,
  waited_ms: 0,
  waiting_since: null,
  cancel_requested: false,
  ended: null,
});

export const newTurn = (turn: number): Turn => ({
  turn,
  started: 0,
  reserves: [],
  bytes: 0,
  purpose: null,
  failures: [],
  last_failure_at: null,
  model: '',
  text: '',
  calls: [],
  answered: false,
  usage: null,
  cut: false,
  sums_up: null,
});

export const newCall = (call: ToolCall): CallState => ({
  call,
  action: null,
  asked_at: null,
  decision: null,
  question: null,
  answer: null,
  child: null,
  intent: null,
  starts: 0,
  finished: null,
});

export const currentTurn = (state: RunState): Turn | undefined => state.turns[state.turns.length - 1];

/** Of a run that has ended nobody is asked anything any more. */
const openCalls = (state: RunState): CallState[] =>
  state.ended ? [] : (currentTurn(state)?.calls.filter((call) => !call.finished) ?? []);

export const openActions = (state: RunState): CallState[] =>
  openCalls(state).filter((call) => call.action && !call.decision);

export const openQuestions = (state: RunState): CallState[] =>
  openCalls(state).filter((call) => call.question && call.answer === null);

/** Calls that another agent is at. */
export const openDelegations = (state: RunState): CallState[] => openCalls(state).filter((call) => call.child);

const bubbledOf = (state: RunState, kind: ChildQuestion['kind']): Bubbled[] =>
  state.ended ? [] : state.bubbled.filter(({ asked }) => asked.kind === kind);

/** A person is what it waits for: that time is not the run's own. */
export const awaitsPerson = (state: RunState): boolean =>
  state.paused || openActions(state).length > 0 || openQuestions(state).length > 0 || state.bubbled.length > 0;

export function statusOf(state: RunState): RunStatus {
  if (state.ended) return state.ended.status;
  if (state.started_at === null) return 'queued';
  if (state.paused) return 'paused';
  if (openActions(state).length > 0 || bubbledOf(state, 'action').length > 0) return 'awaiting_confirmation';
  if (openQuestions(state).length > 0 || bubbledOf(state, 'question').length > 0) return 'waiting_for_user';
  return 'running';
}

/** Broken off in the middle: what was said until then may be on the bill. */
const PERHAPS_BILLED: ReadonlySet<string> = new Set(['model_timeout', 'stream_cut', 'malformed_answer']);
export const mayBeBilled = (error: RunError): boolean => PERHAPS_BILLED.has(error.code);
type Unconfirmed = Reserve & { calls: number };

/** The newest try, as long as nothing is known of it; 0 for none. */
const tryUnderWay = (state: RunState, turn: Turn): number =>
  turn !== currentTurn(state) || turn.answered || state.ended || turn.failures.at(-1)?.try === turn.started
    ? 0
    : turn.started;

/** What the tries of a turn may have cost whose outcome is not known; that of one try is not asked for. */
function lostTries(turn: Turn, except: number): Reserve[] {
  const known = new Set(turn.failures.filter(({ error }) => !mayBeBilled(error)).map((failure) => failure.try));
  if (turn.answered) known.add(turn.started);
  return turn.reserves.filter((_, index) => !known.has(index + 1) && index + 1 !== except);
}

function sumOfLost(state: RunState, except: (turn: Turn) => number): Unconfirmed {
  const lost = state.turns.slice(state.inherited?.turns ?? 0).flatMap((turn) => lostTries(turn, except(turn)));
  return lost.reduce<Unconfirmed>(
    (sum, { tokens, micros }) => ({ calls: sum.calls + 1, tokens: sum.tokens + tokens, micros: sum.micros + micros }),
    { calls: 0, tokens: 0, micros: 0 },
  );
}

/** Model calls that left and whose answer never arrived: they may have been billed. */
export const unconfirmed = (state: RunState): Unconfirmed => sumOfLost(state, (turn) => tryUnderWay(state, turn));

/** The same for whoever is about to call: what was under way until now is lost as well. */
export const unconfirmedBefore = (state: RunState): Unconfirmed => sumOfLost(state, () => 0);

export const iterationsUsed = (state: RunState): number =>
  state.turns.filter((turn) => turn.answered).length - (state.inherited?.turns ?? 0);

/** By this run alone. */
export const spentBy = (state: RunState): Spent => ({
  iterations: iterationsUsed(state),
  tokens: state.usage.input + state.usage.output,
  micros: state.cost_micros,
});

export const addSpent = (a: Spent, b: Spent): Spent => ({
  iterations: a.iterations + b.iterations,
  tokens: a.tokens + b.tokens,
  micros: a.micros + b.micros,
});

/** By this run and all below it, settled. */
export const spentInTree = (state: RunState): Spent => addSpent(spentBy(state), state.below);

/** Milliseconds at work: what people took to answer does not count. */
export function activeMs(state: RunState, now: number): number {
  if (state.started_at === null) return 0;
  const until = state.ended ? Date.parse(state.ended.at) : now;
  const waiting = state.waiting_since === null ? 0 : Math.max(0, until - Date.parse(state.waiting_since));
  return Math.max(0, until - Date.parse(state.started_at) - state.waited_ms - waiting);
}

/** Paths it has changed itself, in the order it did. */
export function filesModified(state: RunState): string[] {
  const own = state.turns.slice(state.inherited?.turns ?? 0).flatMap((turn) => turn.calls);
  return [...new Set(own.flatMap(({ intent, finished }) => (intent && finished?.ok ? [intent.target] : [])))];
}
