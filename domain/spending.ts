import type { Reserve, Spent } from './facts.ts';
import type { RunError } from './failures.ts';
import { currentTurn, type RunState, type Turn } from './run-state.ts';

/** Broken off in the middle: what was said until then may be on the bill. */
const PERHAPS_BILLED: ReadonlySet<string> = new Set(['model_timeout', 'stream_cut', 'malformed_answer']);
export const mayBeBilled = (error: RunError): boolean => PERHAPS_BILLED.has(error.code);
type Unconfirmed = Reserve & { calls: number };

/** The newest try, as long as nothing is known of it; 0 for none. */
const tryUnderWay = (state: RunState, turn: Turn): number =>
  turn !== currentTurn(state) || turn.answered || state.ended || turn.failures.at(-1)?.try === turn.started
    ? 0
    : turn.started;

/** Nearly all turns of a long run: its one try was answered. */
const isSettled = (turn: Turn): boolean => turn.answered && turn.started === 1;

/** What the tries of a turn may have cost whose outcome is not known; that of one try is not asked for. */
function lostTries(turn: Turn, except: number): Reserve[] {
  const known = new Set(turn.failures.filter(({ error }) => !mayBeBilled(error)).map((failure) => failure.try));
  if (turn.answered) known.add(turn.started);
  return turn.reserves.filter((_, index) => !known.has(index + 1) && index + 1 !== except);
}

function sumOfLost(state: RunState, except: (turn: Turn) => number): Unconfirmed {
  const sum = { calls: 0, tokens: 0, micros: 0 };
  const own = state.inherited?.turns ?? 0;
  // Asked several times a turn, over all turns: without a list of them.
  state.turns.forEach((turn, index) => {
    if (index < own || isSettled(turn)) return;
    for (const { tokens, micros } of lostTries(turn, except(turn))) {
      sum.calls += 1;
      sum.tokens += tokens;
      sum.micros += micros;
    }
  });
  return sum;
}

/** Model calls that left and whose answer never arrived: they may have been billed. */
export const unconfirmed = (state: RunState): Unconfirmed => sumOfLost(state, (turn) => tryUnderWay(state, turn));

/** The same for whoever is about to call: what was under way until now is lost as well. */
export const unconfirmedBefore = (state: RunState): Unconfirmed => sumOfLost(state, () => 0);

export const iterationsUsed = (state: RunState): number =>
  state.turns.reduce((answered, turn) => (turn.answered ? answered + 1 : answered), 0) - (state.inherited?.turns ?? 0);

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
