import type { Usage } from '../domain/model.ts';
import type { EndStatus, RunStatus } from '../domain/run.ts';
import type { AskItem, CallItem, Item, Spending } from './transcript-items.ts';

/** A try of a model call; all tries before it are over. */
export interface Try {
  turn: number;
  try: number;
}

/**
 * What a run said and did, folded from its events and from the text being written. Pure: the same log gives the same
 * transcript, however often the connection broke, in whatever pieces and however often the pieces came.
 */
export interface Transcript {
  /** The first event not yet folded in. */
  next_cursor: number;
  /** Counted as the log counts them, so that a node knows its steps. */
  next_step: number;
  items: Item[];
  started_at: string | null;
  paused: boolean;
  /** Its agent's requests of this hour are used: when its turn comes. */
  turn_at: string | null;
  ended: { status: EndStatus; at: string } | null;
  iterations: number;
  tokens: Usage;
  /** Null once a call was answered whose price nobody knows. */
  cost_usd: number | null;
  /** What runs below it have used that have ended. */
  below: Spending;
  /** Text of an answer under way; gone as soon as the log has the whole answer. */
  writing: (Try & { text: string }) | null;
  /** What calls under way have said so far, by key; gone as soon as the log has their result. */
  outputs: Readonly<Record<string, string>>;
  /** The last try whose text can no longer grow: what still comes in for it, or for one before it, is late. */
  closed: Try;
}

const NOTHING_SPENT: Spending = { iterations: 0, tokens: 0, cost_usd: 0 };

export const emptyTranscript = (): Transcript => ({
  next_cursor: 1,
  next_step: 1,
  items: [],
  started_at: null,
  paused: false,
  turn_at: null,
  ended: null,
  iterations: 0,
  tokens: { input: 0, output: 0, cached: 0 },
  cost_usd: 0,
  below: NOTHING_SPENT,
  writing: null,
  outputs: {},
  closed: { turn: 0, try: 0 },
});

export const isAfter = (a: Try, b: Try): boolean => a.turn > b.turn || (a.turn === b.turn && a.try > b.try);

/** Ends the text of this try and of all before it. */
export function close(transcript: Transcript, last: Try): void {
  if (isAfter(last, transcript.closed)) transcript.closed = last;
  if (transcript.writing && !isAfter(transcript.writing, transcript.closed)) transcript.writing = null;
}

export const addSpending = (a: Spending, b: Spending): Spending => ({
  iterations: a.iterations + b.iterations,
  tokens: a.tokens + b.tokens,
  cost_usd: a.cost_usd === null || b.cost_usd === null ? null : a.cost_usd + b.cost_usd,
});

/** By this run alone, and with all below it that has ended. */
const spentBy = ({ iterations, tokens, cost_usd }: Transcript): Spending => ({
  iterations,
  tokens: tokens.input + tokens.output,
  cost_usd,
});
export const spentInTree = (transcript: Transcript): Spending => addSpending(spentBy(transcript), transcript.below);

type Asking = CallItem | AskItem;

/** Something is asked and not answered; it goes for a run's own calls and for what runs below ask. */
const isOpen = (item: Item): item is Asking =>
  item.kind === 'call' ? item.result === null : item.kind === 'ask' && !item.is_over;

export const awaitsDecision = (item: Asking): boolean => item.action !== null && item.action.decision === null;
export const awaitsAnswer = (item: Asking): boolean => item.question !== null && item.question.answer === null;

/** What waits for a person, oldest first. */
export function waiting(transcript: Transcript): Asking[] {
  if (transcript.ended) return [];
  return transcript.items.filter(isOpen).filter((item) => awaitsDecision(item) || awaitsAnswer(item));
}

export function statusOf(transcript: Transcript): RunStatus {
  if (transcript.ended) return transcript.ended.status;
  if (transcript.started_at === null) return 'queued';
  if (transcript.paused) return 'paused';
  const open = waiting(transcript);
  if (open.some(awaitsDecision)) return 'awaiting_confirmation';
  if (open.some(awaitsAnswer)) return 'waiting_for_user';
  const isReviewed = transcript.items.some((item) => item.kind === 'call' && item.in_review && item.result === null);
  return isReviewed ? 'awaiting_review' : 'running';
}

/** When a failed model call is tried again, while the run sleeps until then. */
export function retryAt(transcript: Transcript): string | null {
  const last = transcript.items.findLast((item) => item.kind === 'model');
  return last?.state === 'retrying' ? (last.failures.at(-1)?.retry_at ?? null) : null;
}

/** Calls that other agents are at or were at. */
export const delegations = ({ items }: Transcript): CallItem[] =>
  items.filter((item): item is CallItem => item.kind === 'call' && item.delegation !== null);

/** By the run and all below it, those at work included as far as they are known. */
export function spentSoFar(transcript: Transcript, below: (runId: string) => Transcript | undefined): Spending {
  const atWork = delegations(transcript).flatMap(({ result, delegation }) => {
    const known = result === null && delegation ? below(delegation.run_id) : undefined;
    return known ? [spentSoFar(known, below)] : [];
  });
  return atWork.reduce(addSpending, spentInTree(transcript));
}

/** The item that tells a step, where an address names the step by its number; else what it names. */
export function keyAtStep({ items }: Transcript, named: string | null): string | null {
  if (named === null || !/^\d+$/.test(named)) return named;
  const step = Number(named);
  const isIt = (item: Transcript['items'][number]): boolean =>
    ('step' in item && item.step === step) || (item.kind === 'call' && item.result?.step === step);
  return items.find(isIt)?.key ?? null;
}

/** The item to look at first: what waits for a person, else how it ended, else whoever is at work. */
export function mattersNow(transcript: Transcript): string | null {
  const open = waiting(transcript)[0];
  if (open) return open.key;
  if (transcript.ended) return 'end';
  const handed = delegations(transcript).find(({ result }) => result === null);
  if (handed) return handed.key;
  const speaking = transcript.items.findLast(({ key }) => key in transcript.outputs);
  if (speaking) return speaking.key;
  const turn = transcript.items.findLast((item) => item.kind === 'model');
  return (turn ?? transcript.items.at(-1))?.key ?? null;
}
