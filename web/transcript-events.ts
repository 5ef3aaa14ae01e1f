import type { EndStatus, RunEvent } from '../domain/run.ts';
import { flag, isRecord, number, numberOrNull, record, records, text, textOrNull } from './event-data.ts';
import { type CallItem, close, type Item, type ItemError, type ModelItem, type Transcript } from './transcript.ts';

type Data = Record<string, unknown>;

/** Larger than any turn or try. */
const LAST = Number.MAX_SAFE_INTEGER;

const turnKey = (turn: number): string => `turn-${turn}`;
const callKey = (turn: number, callId: string): string => `call-${turn}-${callId}`;

const errorOf = (data: Data): ItemError | null =>
  isRecord(data.error) ? { code: text(data.error, 'code'), message: text(data.error, 'message') } : null;

const personOf = (data: Data) => {
  const by = record(data, 'by');
  return { user_id: text(by, 'user_id'), name: text(by, 'name') };
};

/** From the end: what an event speaks of is nearly always among the last few items. */
function change<K extends Item['kind']>(
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

function modelStarted(transcript: Transcript, event: RunEvent): void {
  const turn = number(event.data, 'turn');
  const begun = { try: number(event.data, 'try'), model: text(event.data, 'model'), state: 'writing' as const };
  close(transcript, { turn, try: begun.try - 1 });
  const last = transcript.items.findLast((item) => item.kind === 'model');
  if (last?.turn === turn) {
    change(transcript, 'model', last.key, (item) => ({ ...item, ...begun }));
    return;
  }
  const item: ModelItem = {
    kind: 'model',
    key: turnKey(turn),
    turn,
    ...begun,
    text: '',
    calls: [],
    tokens: null,
    duration_ms: null,
    failures: [],
    at: event.ts,
  };
  transcript.items.push(item);
}

function modelFailed(transcript: Transcript, event: RunEvent): void {
  const { data } = event;
  const turn = number(data, 'turn');
  const failed = number(data, 'try');
  const wait = numberOrNull(data, 'retry_after_ms');
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

function modelAnswered(transcript: Transcript, event: RunEvent): void {
  const { data } = event;
  const turn = number(data, 'turn');
  const used = record(data, 'tokens');
  const tokens = { input: number(used, 'input'), output: number(used, 'output'), cached: number(used, 'cached') };
  const calls = records(data, 'tool_calls').map(
    (call): CallItem => ({
      kind: 'call',
      key: callKey(turn, text(call, 'tool_call_id')),
      turn,
      call_id: text(call, 'tool_call_id'),
      name: text(call, 'name'),
      arguments: record(call, 'arguments'),
      malformed: textOrNull(call, 'malformed'),
      action: null,
      question: null,
      result: null,
      at: event.ts,
    }),
  );
  close(transcript, { turn, try: LAST });
  change(transcript, 'model', turnKey(turn), (item) => ({
    ...item,
    state: 'done',
    try: number(data, 'try'),
    model: text(data, 'model') || item.model,
    text: text(data, 'text'),
    calls: calls.map(({ key, name }) => ({ key, name })),
    tokens,
    duration_ms: number(data, 'duration_ms'),
  }));
  transcript.items.push(...calls);
  transcript.iterations += 1;
  transcript.tokens = {
    input: transcript.tokens.input + tokens.input,
    output: transcript.tokens.output + tokens.output,
    cached: transcript.tokens.cached + tokens.cached,
  };
}

function ended(transcript: Transcript, event: RunEvent, status: EndStatus): void {
  close(transcript, { turn: LAST, try: LAST });
  const last = transcript.items.findLast((item) => item.kind === 'model');
  if (last && last.state !== 'done') change(transcript, 'model', last.key, (item) => ({ ...item, state: 'stopped' }));
  transcript.ended = { status, at: event.ts };
  const { output } = event.data;
  transcript.items.push({ kind: 'end', key: 'end', status, output, error: errorOf(event.data), at: event.ts });
}

/** Folds one event in, in place; the caller has copied the transcript and its list of items. */
export function applyEvent(transcript: Transcript, event: RunEvent): void {
  const { data, ts, cursor } = event;
  const call = (to: (item: CallItem) => CallItem) =>
    change(transcript, 'call', callKey(number(data, 'turn'), text(data, 'call_id')), to);

  switch (event.type) {
    case 'run.started':
      transcript.started_at = ts;
      return;
    case 'model.started':
      modelStarted(transcript, event);
      return;
    case 'model.completed':
      if (flag(data, 'ok')) modelAnswered(transcript, event);
      else modelFailed(transcript, event);
      return;
    case 'tool.completed':
      call((item) => ({
        ...item,
        result: {
          ok: flag(data, 'ok'),
          summary: text(data, 'summary'),
          error: errorOf(data),
          was_allowed: data.was_allowed !== false,
          duration_ms: number(data, 'duration_ms'),
          at: ts,
        },
      }));
      return;
    case 'action.pending':
      call((item) => ({
        ...item,
        action: {
          id: text(data, 'action_id'),
          type: text(data, 'type'),
          path: textOrNull(data, 'path'),
          arguments: record(data, 'arguments'),
          preview: text(data, 'preview'),
          digest: text(data, 'digest'),
          at: ts,
          decision: null,
        },
      }));
      return;
    case 'action.decided':
      call((item) => {
        if (item.action?.id !== text(data, 'action_id')) return item;
        const decision = {
          confirmed: flag(data, 'confirmed'),
          reason: textOrNull(data, 'reason'),
          edited: flag(data, 'edited'),
          by: personOf(data),
          at: ts,
        };
        return { ...item, action: { ...item.action, decision } };
      });
      return;
    case 'clarification.requested':
      call((item) => ({
        ...item,
        question: { id: text(data, 'question_id'), question: text(data, 'question'), at: ts, answer: null },
      }));
      return;
    case 'clarification.received':
      call((item) => {
        if (item.question?.id !== text(data, 'question_id')) return item;
        return {
          ...item,
          question: { ...item.question, answer: { text: text(data, 'answer'), by: personOf(data), at: ts } },
        };
      });
      return;
    case 'message.received':
      transcript.items.push({
        kind: 'message',
        key: `message-${cursor}`,
        content: text(data, 'content'),
        by: personOf(data),
        at: ts,
      });
      return;
    case 'run.budget_warning':
      transcript.items.push({
        kind: 'warning',
        key: `warning-${cursor}`,
        limit: text(data, 'limit'),
        message: text(data, 'message'),
        at: ts,
      });
      return;
    case 'run.completed':
      ended(transcript, event, 'completed');
      return;
    case 'run.failed':
      ended(transcript, event, 'failed');
      return;
    case 'run.cancelled':
      ended(transcript, event, 'cancelled');
      return;
    case 'run.budget_exceeded':
      ended(transcript, event, 'budget_exceeded');
      return;
    default:
      // Told by other events (tool.started), or of a kind this page does not know yet.
      return;
  }
}
