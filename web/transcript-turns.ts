import { isRecord } from '../domain/json-value.ts';
import type { RunEvent } from '../domain/run-events.ts';
import { number, numberOrNull, record, records, text, textOrNull } from './event-data.ts';
import { close, type Transcript } from './transcript.ts';
import type { CallItem, Item, ItemError, ModelItem } from './transcript-items.ts';

type Data = Record<string, unknown>;

/** Larger than any turn or try. */
export const LAST = Number.MAX_SAFE_INTEGER;

const turnKey = (turn: number): string => `turn-${turn}`;
export const callKey = (turn: number, callId: string): string => `call-${turn}-${callId}`;

export const errorOf = (data: Data): ItemError | null =>
  isRecord(data.error) ? { code: text(data.error, 'code'), message: text(data.error, 'message') } : null;

/** Takes the next numbers of the log's steps, and gives the first of them. */
export function takeSteps(transcript: Transcript, count = 1): number {
  transcript.next_step += count;
  return transcript.next_step - count;
}

/** From the end: what an event speaks of is nearly always among the last few items. */
export function change<K extends Item['kind']>(
  transcript: Transcript,
  kind: K,
  key: string,
  to: (item: Extract<Item, { kind: K }>) => Extract<Item, { kind: K }>,
): void {
  const isIt = (item: Item): item is Extract<Item, { kind: K }> => item.kind === kind && item.key === key;
  const index = transcript.items.findLastIndex(isIt);
  const item = transcript.items[index];
  if (item && isIt(item)) transcript.items[index] = to(item);
}

export function modelStarted(transcript: Transcript, event: RunEvent): void {
  const turn = number(event.data, 'turn');
  const begun = {
    try: number(event.data, 'try'),
    model: text(event.data, 'model'),
    state: 'writing' as const,
    // Of the newest try: a conversation that turned out too long for an answer is summed up in its place.
    sums_up: event.data.purpose === 'compact',
  };
  close(transcript, { turn, try: begun.try - 1 });
  transcript.turn_at = null;
  const last = transcript.items.findLast((item) => item.kind === 'model');
  if (last?.turn === turn) {
    change(transcript, 'model', last.key, (item) => ({ ...item, ...begun }));
    return;
  }
  const item: ModelItem = {
    kind: 'model',
    key: turnKey(turn),
    turn,
    step: null,
    ...begun,
    text: '',
    calls: [],
    tokens: null,
    cost_usd: null,
    duration_ms: null,
    failures: [],
    at: event.ts,
  };
  transcript.items.push(item);
}

export function modelFailed(transcript: Transcript, event: RunEvent): void {
  const { data } = event;
  const turn = number(data, 'turn');
  const failed = number(data, 'try');
  const wait = numberOrNull(data, 'retry_after_ms');
  takeSteps(transcript);
  close(transcript, { turn, try: failed });
  change(transcript, 'model', turnKey(turn), (item) => ({
    ...item,
    state: wait === null ? 'stopped' : 'retrying',
    failures: [
      ...item.failures,
      {
        try: failed,
        error: errorOf(data) ?? { code: 'internal', message: '' },
        at: event.ts,
        retry_at: wait === null ? null : new Date(Date.parse(event.ts) + wait).toISOString(),
      },
    ],
  }));
}

export function modelAnswered(transcript: Transcript, event: RunEvent): void {
  const { data } = event;
  const turn = number(data, 'turn');
  const used = record(data, 'tokens');
  const tokens = { input: number(used, 'input'), output: number(used, 'output'), cached: number(used, 'cached') };
  // Logs written before prices were kept say nothing of them; null says that nobody knows.
  const cost_usd = data.cost_usd === undefined ? 0 : numberOrNull(data, 'cost_usd');
  const called = records(data, 'tool_calls');
  const step = takeSteps(transcript, 1 + called.length);
  const calls = called.map(
    (call, index): CallItem => ({
      kind: 'call',
      key: callKey(turn, text(call, 'tool_call_id')),
      turn,
      step: step + 1 + index,
      call_id: text(call, 'tool_call_id'),
      name: text(call, 'name'),
      arguments: record(call, 'arguments'),
      malformed: textOrNull(call, 'malformed'),
      action: null,
      question: null,
      delegation: null,
      result: null,
      at: event.ts,
    }),
  );
  close(transcript, { turn, try: LAST });
  change(transcript, 'model', turnKey(turn), (item) => ({
    ...item,
    state: 'done',
    step,
    try: number(data, 'try'),
    model: text(data, 'model') || item.model,
    text: text(data, 'text'),
    calls: calls.map(({ key, name }) => ({ key, name })),
    tokens,
    cost_usd,
    duration_ms: number(data, 'duration_ms'),
  }));
  transcript.items.push(...calls);
  transcript.iterations += 1;
  transcript.tokens = {
    input: transcript.tokens.input + tokens.input,
    output: transcript.tokens.output + tokens.output,
    cached: transcript.tokens.cached + tokens.cached,
  };
  transcript.cost_usd = cost_usd === null || transcript.cost_usd === null ? null : transcript.cost_usd + cost_usd;
}
