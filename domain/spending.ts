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

/** What the tries of a turn may have cost whose outcome is not known; that of one try is not asked for. */
function lostTries(turn: Turn, except: number): Reserve[] {
  // Nearly all turns of a long run: its one try was answered.
  if (turn.answered && turn.started === 1) return [];
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
