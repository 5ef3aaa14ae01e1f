import type { ReviewState } from './edits/review-state.ts';
import type { CallPurpose, ChildQuestion, Fact, Person, Relation, Reserve, Spent } from './facts.ts';
import type { RunError } from './failures.ts';
import { emptyFlow, type FlowState } from './flow-state.ts';
import type { ModelChoice } from './hybrid.ts';
import type { Intent, StagedIntent } from './intents.ts';
import type { Token } from './log-entry.ts';
import type { ToolCall, Usage } from './model.ts';
import type { EndStatus } from './run.ts';

type FactOf<K extends Fact['kind']> = Extract<Fact, { kind: K }>;

export interface CallState {
  call: ToolCall;
  action: FactOf<'action_pending'> | null;
  asked_at: string | null;
  /** Later than it was asked where a person has changed it. */
  shown_at?: string;
  /** What a person wants it to be, as long as it is not shown like that. */
  revised?: FactOf<'action_revised'>;
  decision: FactOf<'action_decided'> | null;
  question: FactOf<'question_asked'> | null;
  answer: string | null;
  /** The run that does it, where it was handed to another agent. */
  child: FactOf<'delegated'> | null;
  /** Where it proposes edits: what people make of them. */
  review: ReviewState | null;
  intent: Intent | null;
  /** Of the checkout the intent belongs to, where there is one. */
  epoch?: number;
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
  shown_at: string;
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
  /** Those of its own calls that propose edits: looked at before every model call, however many turns there are. */
  proposals: CallState[];
  injected: Injected[];
  warned_at_turn: number | null;
  denied: FactOf<'budget_denied'> | null;
  /** The newest snapshot of the files; null as long as nothing was changed. */
  files: string | null;
  /** The files as they were before the first edit that was applied; null as long as none was. */
  checkpoint: string | null;
  /** Where the files of a git notebook are; null before they are anywhere. */
  checkout: FactOf<'checkout_ready'> | null;
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
  /** Of a run of a workflow: how far its steps have come. */
  flow: FlowState;
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
  proposals: [],
  injected: [],
  warned_at_turn: null,
  denied: null,
  files: null,
  checkpoint: null,
  checkout: null,
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
  flow: emptyFlow(),
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
  review: null,
  intent: null,
  starts: 0,
  finished: null,
});

export const currentTurn = (state: RunState): Turn | undefined => state.turns[state.turns.length - 1];

const targetsOf = (intent: StagedIntent): string[] =>
  intent.effect === 'several' ? intent.changes.map(({ target }) => target) : [intent.target];

/** Paths it has changed itself, in the order it did. */
export function filesModified(state: RunState): string[] {
  const own = state.turns.slice(state.inherited?.turns ?? 0).flatMap((turn) => turn.calls);
  const written = ({ intent, finished }: CallState) =>
    intent && intent.effect !== 'outside' && finished?.ok ? targetsOf(intent) : [];
  const applied = ({ review }: CallState) =>
    (review?.applied?.files ?? []).flatMap(({ file_path, applied_hunks }) =>
      applied_hunks > 0 ? [`/${file_path.replace(/^\/+/, '')}`] : [],
    );
  return [...new Set(own.flatMap((call) => [...written(call), ...applied(call)]))];
}
