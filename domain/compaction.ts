import { boundOf } from './request-size.ts';
import { currentTurn, type RunState, type Turn } from './run-state.ts';
import { toolContent } from './tool-content.ts';

/** The newest turns stay as they are: what was just read is what is being worked with. */
const KEPT_TURNS = 2;
/** A summary of less than this is not worth its call. */
const LEAST_TURNS = 4;

export const SUM_UP = [
  'This conversation is about to become too long. Write a summary that takes the place of everything so far:',
  'the task and every instruction of the user, what was found out (with exact names, paths, numbers and quotes that are',
  'still needed), what was done, what was decided and why, and what is left to do. Call no tools. Write nothing else.',
].join('\n');

const lastSummary = (state: RunState): Turn | undefined => state.turns.findLast((turn) => turn.sums_up !== null);

/** The last turn whose place a summary takes; 0 for none. */
export const summedUpTo = (state: RunState): number => lastSummary(state)?.sums_up ?? 0;

export const summaryText = (state: RunState): string | null => lastSummary(state)?.text ?? null;

/** What a summary made now would take the place of. */
export const compactableUpTo = (state: RunState): number => {
  const answered = state.turns.filter((turn) => turn.answered && turn.sums_up === null);
  return answered.at(-1 - KEPT_TURNS)?.turn ?? 0;
};

export const canCompact = (state: RunState): boolean => compactableUpTo(state) - summedUpTo(state) >= LEAST_TURNS;

/** Judged by what the provider counted for the last call, and the size of what has come since. */
export function needsCompaction(state: RunState, limit: number): boolean {
  const turn = currentTurn(state);
  if (!turn?.usage || turn.sums_up !== null || !canCompact(state)) return false;
  const results = turn.calls.reduce((sum, call) => sum + (call.finished ? toolContent(call).length : 0), 0);
  return turn.usage.input + turn.usage.output + boundOf(results) > limit;
}
