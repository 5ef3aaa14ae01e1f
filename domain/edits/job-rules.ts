import { type CallState, currentTurn, type RunState, type Turn } from '../run-state.ts';
import { isRefused } from './review-state.ts';

export const PROPOSE_EDITS = 'propose_edits';

export interface EditRules {
  /** Tool calls before a job is told to propose now; null where the run is no job. */
  max_tool_calls: number | null;
  /** Proposals that may be refused before the run fails. */
  max_schema_retries: number;
}

const ownCalls = (state: RunState): CallState[] =>
  state.turns.slice(state.inherited?.turns ?? 0).flatMap(({ calls }) => calls);

export const isProposal = ({ call }: CallState): boolean => call.name === PROPOSE_EDITS;

/** Those that count: a proposal is what they are for, and one that is sent back begins the count anew. */
function countedCalls(state: RunState): CallState[] {
  const calls = ownCalls(state);
  const since = calls.findLastIndex(({ review }) => review?.rerun) + 1;
  return calls.slice(since).filter((call) => !isProposal(call));
}

export const toolCallsOf = (state: RunState): number => countedCalls(state).length;

/** It comes after all that the job may make: it is answered without being made. */
export function isOverLimit(state: RunState, call: CallState, { max_tool_calls }: EditRules): boolean {
  if (max_tool_calls === null || isProposal(call)) return false;
  return countedCalls(state).indexOf(call) >= max_tool_calls;
}

const refused = (state: RunState, code: string): number =>
  state.proposals.filter(({ finished }) => finished?.error?.code === code).length;

/** Proposals that did not fit the schema at all, and those that fit and were wrong. */
export const schemaMisses = (state: RunState): number => refused(state, 'invalid_arguments');
export const failedProposals = (state: RunState): number => refused(state, 'invalid_edits');
/** Those that fit other lines than there are: what they were made of was wrong, whoever changed it. */
export const conflictedProposals = (state: RunState): number =>
  state.proposals.filter(({ review }) => review && isRefused(review)).length;

export const usedUpProposals = (state: RunState, { max_schema_retries }: EditRules): boolean =>
  schemaMisses(state) + failedProposals(state) > max_schema_retries;

/** All calls are made, and nothing was proposed that people could look at. */
export const isToolBudgetUsedUp = (state: RunState, rules: EditRules): boolean =>
  rules.max_tool_calls !== null &&
  toolCallsOf(state) > rules.max_tool_calls &&
  !state.proposals.some(({ review }) => review);

/** Only the first of a turn is put before people. */
export const isSecondProposal = (turn: Turn, call: CallState): boolean =>
  isProposal(call) && turn.calls.find(isProposal) !== call;

/** What people have asked to be applied and is not settled yet, also where the run is to stop: files are whole first. */
export function openApply(state: RunState): { turn: number; call: CallState } | null {
  const turn = currentTurn(state);
  const call = turn?.calls.find(({ review, finished }) => review?.apply && !finished);
  return turn && call ? { turn: turn.turn, call } : null;
}
