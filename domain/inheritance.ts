import type { Fact } from './facts.ts';
import { fold } from './fold.ts';
import type { Entry } from './log-entry.ts';
import { type CallState, emptyState, NOTHING_SPENT, newCall, type RunState, type Turn } from './run-state.ts';
import { addSpent, spentInTree, unconfirmedBefore } from './spending.ts';
import { stepCount } from './trace.ts';

type Inherited = Extract<Fact, { kind: 'inherited' }>;

/** The log up to and with the given step: what came after it never happened. */
function entriesUpTo(entries: Entry[], step: number): Entry[] {
  const taken: Entry[] = [];
  for (const entry of entries) {
    let next = entry.first_step;
    const facts: Fact[] = [];
    for (const fact of entry.facts) {
      const count = stepCount(fact);
      // What gives no step belongs to the last one before it.
      if (count > 0 ? next > step : next > step + 1) break;
      facts.push(fact);
      next += count;
    }
    if (facts.length > 0) taken.push({ ...entry, facts });
    if (facts.length < entry.facts.length) break;
  }
  return taken;
}

export function stateAtStep(entries: Entry[], step: number): RunState {
  const state = emptyState();
  for (const entry of entriesUpTo(entries, step)) fold(state, entry);
  return state;
}

/** Number of the last step a run has taken. */
export const lastStep = (entries: Entry[]): number => {
  const last = entries.at(-1);
  return last ? last.first_step - 1 + last.facts.reduce((sum, fact) => sum + stepCount(fact), 0) : 0;
};

/** A snapshot of files, and when it was told. */
export interface Kept {
  snapshot: string;
  at: string;
}

export const keptIn = (entries: Entry[]): Kept[] =>
  entries.flatMap(({ facts, at }) =>
    facts.flatMap((fact) => (fact.kind === 'files_kept' ? [{ snapshot: fact.snapshot, at }] : [])),
  );

/**
 * The snapshot of the files as they were at a step: the last one taken until then, or else the first of all, which
 * was taken before the run changed anything. Runs below it change the same files and tell it in logs of their own.
 * Null where nobody ever changed a file.
 */
export function filesAtStep(entries: Entry[], step: number, below: Kept[] = []): string | null {
  const until = entriesUpTo(entries, step);
  const time = until.at(-1)?.at ?? '';
  const inOrder = (kept: Kept[]) => kept.toSorted((a, b) => a.at.localeCompare(b.at));
  const before = inOrder([...keptIn(until), ...below.filter(({ at }) => at <= time)]);
  return (before.at(-1) ?? inOrder([...keptIn(entries), ...below])[0])?.snapshot ?? null;
}

/**
 * A call as the next run finds it. What was finished stays finished. Where the files are the same (resume), what was
 * decided stays decided and an effect that was begun is looked for before it is begun again; in a tree of its own
 * (fork) nothing has been asked or begun yet.
 */
function handedOn(call: CallState, relation: 'resume' | 'fork'): CallState {
  if (call.finished) return call;
  const fresh = newCall(call.call);
  if (relation === 'fork' || (!call.decision && call.answer === null)) return fresh;
  const { action, asked_at, shown_at, decision, question, answer, intent } = call;
  const shown = shown_at === undefined ? {} : { shown_at };
  return { ...fresh, action, asked_at, ...shown, decision, question, answer, intent };
}

/** An answer that broke off and asked for nothing was the end of its run: it is asked for again, not taken over. */
const isWhole = (turn: Turn): boolean =>
  turn.answered && !(turn.cut && turn.calls.length === 0 && turn.sums_up === null);

/** What a run takes over from another: its conversation and what it has used, not its troubles. */
export function inheritedFrom(from: string, relation: 'resume' | 'fork', step: number, state: RunState): Inherited {
  const turns = state.turns.filter(isWhole).map((turn) => ({
    ...turn,
    failures: [],
    last_failure_at: null,
    calls: turn.calls.map((call) => handedOn(call, relation)),
  }));
  const lost = unconfirmedBefore(state);
  return {
    kind: 'inherited',
    from,
    relation,
    step,
    turns,
    injected: state.injected,
    // What may have been billed counts as used: a cap over the whole chain must hold.
    spent: [
      { iterations: 0, tokens: lost.tokens, micros: lost.micros },
      state.inherited?.spent ?? NOTHING_SPENT,
    ].reduce(addSpent, spentInTree(state)),
    // Out of its session: what somebody allowed there was allowed to another run.
    ...(state.opening ? { session: { opening: state.opening.input, confirmed_tools: [], allowed_tools: [] } } : {}),
  };
}
