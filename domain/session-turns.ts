import { summedUpTo } from './compaction.ts';
import { confirmedTools } from './confirmation.ts';
import { inputText } from './conversation.ts';
import type { Fact } from './facts.ts';
import { runError } from './failures.ts';
import { type CallState, type Injected, NOTHING_SPENT, type RunState, type Turn } from './run-state.ts';

type Inherited = Extract<Fact, { kind: 'inherited' }>;

/** The run of a session before the next one, as its log and its record tell it. */
export interface FormerRun {
  run_id: string;
  input: unknown;
  state: RunState;
  /** Whether the next one is sent by the same definition: then what was counted for its calls is a measure of theirs. */
  same_agent: boolean;
}

/** A model must never be shown a call without a result: what was still open when the run ended is told as that. */
function closed(call: CallState): CallState {
  if (call.finished) return call;
  const { name } = call.call;
  const begun = call.intent !== null || call.child !== null;
  const error = begun
    ? runError('interrupted', `The run ended while ${name} was under way.`)
    : runError('not_begun', `The run ended before ${name} was done.`);
  return { ...call, finished: { ok: false, result: null, error } };
}

/** From the last summary on: what that took the place of need not be handed on for ever. */
function turnsFrom(state: RunState, summed: number, measured: boolean): Turn[] {
  return state.turns
    .filter((turn) => turn.answered && turn.turn > summed)
    .map((turn) => ({
      ...turn,
      turn: turn.turn - summed,
      bytes: measured ? turn.bytes : 0,
      reserves: [],
      failures: [],
      last_failure_at: null,
      // An answer that broke off was said all the same: people have read it.
      cut: false,
      sums_up: turn.sums_up === null ? null : Math.max(0, turn.sums_up - summed),
      calls: turn.calls.map(closed),
    }));
}

/**
 * How a session goes on: the conversation so far as the beginning of the next run's, with that run's own input as what
 * comes next. Each run has a budget of its own, so nothing counts as spent.
 */
export function continuedFrom({ run_id, input, state, same_agent }: FormerRun): Inherited {
  const summed = summedUpTo(state);
  const hadContext = state.injected.some(({ is_context }) => is_context);
  const turns = turnsFrom(state, summed, same_agent && !hadContext);
  const next = turns.length + 1;
  const said = state.injected
    .filter(({ before_turn, is_context }) => before_turn > summed && !is_context)
    .map(({ is_input, ...message }): Injected => {
      const content = is_input ? inputText(input) : message.content;
      return { ...message, content, before_turn: Math.min(next, message.before_turn - summed) };
    });
  return {
    kind: 'inherited',
    from: run_id,
    relation: 'session',
    step: state.next_step - 1,
    turns,
    injected: [...said, { before_turn: next, content: '', by: null, is_input: true }],
    spent: NOTHING_SPENT,
    session: {
      opening: state.opening ? state.opening.input : input,
      confirmed_tools: confirmedTools(state),
      allowed_tools: state.allowed_tools,
    },
  };
}
