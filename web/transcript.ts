import type { Usage } from '../domain/model.ts';
import type { EndStatus, RunStatus } from '../domain/run.ts';

/**
 * What a run said and did, folded from its events and from the text being written. Pure: the same log gives the same
 * transcript, however often the connection broke, in whatever pieces and however often the pieces came.
 */
interface Person {
  user_id: string;
  name: string;
}

export interface ItemError {
  code: string;
  message: string;
}

interface FailedTry {
  try: number;
  error: ItemError;
  at: string;
  retry_at: string | null;
}

export interface ModelItem {
  kind: 'model';
  key: string;
  turn: number;
  try: number;
  state: 'writing' | 'retrying' | 'done' | 'stopped';
  model: string;
  text: string;
  calls: { key: string; name: string }[];
  tokens: Usage | null;
  duration_ms: number | null;
  failures: FailedTry[];
  at: string;
}

export interface Action {
  id: string;
  type: string;
  path: string | null;
  arguments: Record<string, unknown>;
  preview: string;
  digest: string;
  at: string;
  decision: { confirmed: boolean; reason: string | null; edited: boolean; by: Person; at: string } | null;
}

export interface Question {
  id: string;
  question: string;
  at: string;
  answer: { text: string; by: Person; at: string } | null;
}

export interface CallItem {
  kind: 'call';
  key: string;
  turn: number;
  call_id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** What the model sent where it was no JSON object. */
  malformed: string | null;
  action: Action | null;
  question: Question | null;
  result: {
    ok: boolean;
    summary: string;
    error: ItemError | null;
    was_allowed: boolean;
    duration_ms: number;
    at: string;
  } | null;
  at: string;
}

interface MessageItem {
  kind: 'message';
  key: string;
  content: string;
  by: Person;
  at: string;
}

interface WarningItem {
  kind: 'warning';
  key: string;
  limit: string;
  message: string;
  at: string;
}

export interface EndItem {
  kind: 'end';
  key: 'end';
  status: EndStatus;
  output: unknown;
  error: ItemError | null;
  at: string;
}

export type Item = ModelItem | CallItem | MessageItem | WarningItem | EndItem;

/** A try of a model call; all tries before it are over. */
export interface Try {
  turn: number;
  try: number;
}

export interface Transcript {
  /** The first event not yet folded in. */
  next_cursor: number;
  items: Item[];
  started_at: string | null;
  ended: { status: EndStatus; at: string } | null;
  iterations: number;
  tokens: Usage;
  /** Text of an answer under way; gone as soon as the log has the whole answer. */
  writing: (Try & { text: string }) | null;
  /** The last try whose text can no longer grow: what still comes in for it, or for one before it, is late. */
  closed: Try;
}

export const emptyTranscript = (): Transcript => ({
  next_cursor: 1,
  items: [],
  started_at: null,
  ended: null,
  iterations: 0,
  tokens: { input: 0, output: 0, cached: 0 },
  writing: null,
  closed: { turn: 0, try: 0 },
});

export const isAfter = (a: Try, b: Try): boolean => a.turn > b.turn || (a.turn === b.turn && a.try > b.try);

/** Ends the text of this try and of all before it. */
export function close(transcript: Transcript, last: Try): void {
  if (isAfter(last, transcript.closed)) transcript.closed = last;
  if (transcript.writing && !isAfter(transcript.writing, transcript.closed)) transcript.writing = null;
}

const isOpenAction = (item: Item): item is CallItem & { action: Action } =>
  item.kind === 'call' && item.action !== null && item.action.decision === null && item.result === null;

const isOpenQuestion = (item: Item): item is CallItem & { question: Question } =>
  item.kind === 'call' && item.question !== null && item.question.answer === null && item.result === null;

/** The calls that wait for a person, oldest first. */
export function waiting(transcript: Transcript): CallItem[] {
  if (transcript.ended) return [];
  return transcript.items.filter((item): item is CallItem => isOpenAction(item) || isOpenQuestion(item));
}

export function statusOf(transcript: Transcript): RunStatus {
  if (transcript.ended) return transcript.ended.status;
  if (transcript.started_at === null) return 'queued';
  const open = waiting(transcript);
  if (open.some(isOpenAction)) return 'awaiting_confirmation';
  if (open.some(isOpenQuestion)) return 'waiting_for_user';
  return 'running';
}

/** When a failed model call is tried again, while the run sleeps until then. */
export function retryAt(transcript: Transcript): string | null {
  const last = transcript.items.findLast((item) => item.kind === 'model');
  return last?.state === 'retrying' ? (last.failures.at(-1)?.retry_at ?? null) : null;
}

/** The item to look at first: what waits for a person, else how it ended, else the turn under way. */
export function mattersNow(transcript: Transcript): string | null {
  const open = waiting(transcript)[0];
  if (open) return open.key;
  if (transcript.ended) return 'end';
  const turn = transcript.items.findLast((item) => item.kind === 'model');
  return (turn ?? transcript.items.at(-1))?.key ?? null;
}
