import type { EndStatus } from '../domain/run.ts';
import type { RunEvent } from '../domain/run-events.ts';
import { flag, number, numberOrNull, record, text, textOrNull } from './event-data.ts';
import { isEndStatus } from './status.ts';
import { addSpending, close, delegations, type Transcript } from './transcript.ts';
import type { Action, AskItem, CallItem, NoteItem, Question, Spending } from './transcript-items.ts';
import {
  callKey,
  change,
  errorOf,
  LAST,
  modelAnswered,
  modelFailed,
  modelStarted,
  takeSteps,
} from './transcript-turns.ts';

type Data = Record<string, unknown>;

const personOf = (data: Data) => {
  const by = record(data, 'by');
  return { user_id: text(by, 'user_id'), name: text(by, 'name') };
};

const spentOf = (data: Data): Spending => {
  const spent = record(data, 'spent');
  return {
    iterations: number(spent, 'iterations'),
    tokens: number(spent, 'tokens'),
    cost_usd: number(spent, 'micros') / 1_000_000,
  };
};

const actionOf = (data: Data, at: string): Action => ({
  id: text(data, 'action_id'),
  type: text(data, 'type'),
  path: textOrNull(data, 'path'),
  arguments: record(data, 'arguments'),
  preview: text(data, 'preview'),
  digest: text(data, 'digest'),
  ...(typeof data.problem === 'string' ? { problem: data.problem } : {}),
  // Logs from before conversations say nothing of it; there is none to allow it for.
  can_allow_for_session: data.can_allow_for_session !== false,
  at,
  decision: null,
});

const questionOf = (data: Data, at: string): Question => ({
  id: text(data, 'question_id'),
  question: text(data, 'question'),
  at,
  answer: null,
});

/** A decision or an answer goes to what it names, and to nothing else. */
function settled<T extends { action: Action | null; question: Question | null }>(item: T, data: Data, at: string): T {
  const { action, question } = item;
  const by = personOf(data);
  if (action?.id === text(data, 'action_id')) {
    const reason = textOrNull(data, 'reason');
    const manner = { edited: flag(data, 'edited'), for_session: flag(data, 'for_session') };
    const decision = { confirmed: flag(data, 'confirmed'), reason, ...manner, by, at };
    return { ...item, action: { ...action, decision } };
  }
  if (question?.id === text(data, 'question_id')) {
    return { ...item, question: { ...question, answer: { text: textOrNull(data, 'answer'), by, at } } };
  }
  return item;
}

function asked(transcript: Transcript, { data, ts }: RunEvent, what: Pick<AskItem, 'action' | 'question'>): void {
  const key = `ask-${what.action?.id ?? what.question?.id}`;
  // Asked again: what it was before cannot be answered any more.
  if (transcript.items.some((item) => item.key === key)) {
    change(transcript, 'ask', key, (item) => ({ ...item, ...what }));
    return;
  }
  const about = { run_id: text(data, 'run_id'), agent_name: text(data, 'agent_name') };
  transcript.items.push({ kind: 'ask', key, ...about, ...what, is_over: false, at: ts });
}

/** Of a run that has ended nobody is asked anything; nor of those below it once no run is below. */
function closeAsks(transcript: Transcript, runId: string): void {
  const isAlone = delegations(transcript).every(({ result }) => result !== null);
  transcript.items = transcript.items.map((item) =>
    item.kind === 'ask' && (isAlone || item.run_id === runId) ? { ...item, is_over: true } : item,
  );
}

function delegationCompleted(transcript: Transcript, { data, ts }: RunEvent): void {
  const spent = spentOf(data);
  const step = takeSteps(transcript);
  const status = text(data, 'status');
  change(transcript, 'call', callKey(number(data, 'turn'), text(data, 'call_id')), (item) => ({
    ...item,
    delegation: item.delegation && { ...item.delegation, status: isEndStatus(status) ? status : null, spent },
    result: { ...resultOf(data, ts, step), was_allowed: true },
  }));
  transcript.below = addSpending(transcript.below, spent);
  closeAsks(transcript, text(data, 'child_run_id'));
}

const resultOf = (data: Data, at: string, step: number): NonNullable<CallItem['result']> => ({
  ok: flag(data, 'ok'),
  step,
  summary: text(data, 'summary'),
  error: errorOf(data),
  was_allowed: data.was_allowed !== false,
  duration_ms: number(data, 'duration_ms'),
  at,
});

function ended(transcript: Transcript, event: RunEvent, status: EndStatus): void {
  close(transcript, { turn: LAST, try: LAST });
  const last = transcript.items.findLast((item) => item.kind === 'model');
  if (last && last.state !== 'done') change(transcript, 'model', last.key, (item) => ({ ...item, state: 'stopped' }));
  transcript.ended = { status, at: event.ts };
  transcript.turn_at = null;
  transcript.outputs = {};
  const { output } = event.data;
  transcript.items.push({ kind: 'end', key: 'end', status, output, error: errorOf(event.data), at: event.ts });
}

/** What needs one line of the map and nothing else; null for everything that needs more. */
function noteOf({ type, data, cursor, ts }: RunEvent, transcript: Transcript): NoteItem | null {
  const key = `note-${cursor}`;
  switch (type) {
    case 'run.inherited': {
      const from = { from: text(data, 'from'), relation: text(data, 'relation') };
      const taken = { step: number(data, 'step'), turns: number(data, 'turns'), spent: spentOf(data) };
      return { kind: 'inherited', key: 'inherited', ...from, ...taken, at: ts };
    }
    case 'checkout.ready': {
      const where = { executor: text(data, 'executor'), branch: text(data, 'branch') };
      const what = {
        base_commit: text(data, 'base_commit'),
        epoch: number(data, 'epoch'),
        restored: flag(data, 'restored'),
      };
      return { kind: 'checkout', key, ...where, ...what, at: ts };
    }
    case 'provider.selected': {
      const choice = { model: text(data, 'model'), mode: text(data, 'mode'), reason: text(data, 'reason') };
      // The only one there is: every answer names it.
      if (choice.reason === 'mode_remote') return null;
      return { kind: 'provider', key, ...choice, trigger: textOrNull(data, 'trigger'), at: ts };
    }
    case 'context.read': {
      const lines = { start_line: numberOrNull(data, 'start_line'), end_line: numberOrNull(data, 'end_line') };
      return { kind: 'context', key, path: text(data, 'path'), ...lines, error: errorOf(data), at: ts };
    }
    case 'output.rejected': {
      const errors = Array.isArray(data.errors) ? data.errors.filter((error) => typeof error === 'string') : [];
      return { kind: 'rejected', key, step: takeSteps(transcript), errors, at: ts };
    }
    case 'run.rate_limited':
      return { kind: 'rate_limit', key, until: text(data, 'until'), limit: number(data, 'limit'), at: ts };
    case 'run.paused':
    case 'run.resumed':
      return { kind: 'pause', key, is_paused: type === 'run.paused', by: personOf(data), at: ts };
    case 'message.received':
      return { kind: 'message', key, content: text(data, 'content'), by: personOf(data), at: ts };
    case 'run.budget_warning': {
      const about = { limit: text(data, 'limit'), message: text(data, 'message') };
      return { kind: 'warning', key, step: takeSteps(transcript), ...about, at: ts };
    }
    default:
      return null;
  }
}

function noted(transcript: Transcript, note: NoteItem): void {
  if (note.kind === 'pause') transcript.paused = note.is_paused;
  if (note.kind === 'rate_limit') transcript.turn_at = note.until;
  transcript.items.push(note);
}

/** Folds one event in, in place; the caller has copied the transcript and its list of items. */
export function applyEvent(transcript: Transcript, event: RunEvent): void {
  const { data, ts } = event;
  const isBelow = text(data, 'run_id') !== '';
  const call = (to: (item: CallItem) => CallItem): void =>
    change(transcript, 'call', callKey(number(data, 'turn'), text(data, 'call_id')), to);
  /** Its own questions are steps of a run; those of runs below are not. */
  const own = (to: (item: CallItem) => CallItem): void => {
    takeSteps(transcript);
    call(to);
  };
  const settle = (id: string): void =>
    isBelow
      ? change(transcript, 'ask', `ask-${text(data, id)}`, (item) => settled(item, data, ts))
      : call((item) => settled(item, data, ts));

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
    case 'tool.completed': {
      const result = resultOf(data, ts, takeSteps(transcript));
      call((item) => ({ ...item, result }));
      const { [callKey(number(data, 'turn'), text(data, 'call_id'))]: _, ...outputs } = transcript.outputs;
      transcript.outputs = outputs;
      return;
    }
    case 'delegation.started':
      call((item) => ({
        ...item,
        delegation: {
          run_id: text(data, 'child_run_id'),
          agent_name: text(data, 'agent_name'),
          status: null,
          spent: null,
        },
      }));
      return;
    case 'delegation.completed':
      delegationCompleted(transcript, event);
      return;
    case 'action.pending': {
      const action = actionOf(data, ts);
      if (isBelow) asked(transcript, event, { action, question: null });
      else own((item) => ({ ...item, action }));
      return;
    }
    case 'clarification.requested': {
      const question = questionOf(data, ts);
      if (isBelow) asked(transcript, event, { action: null, question });
      else own((item) => ({ ...item, question }));
      return;
    }
    case 'action.decided':
      settle('action_id');
      return;
    case 'clarification.received':
      settle('question_id');
      return;
    case 'edits.proposed':
      own((item) => ({ ...item, in_review: true }));
      return;
    case 'conflict.detected':
    case 'apply.failed':
    case 'apply.started':
      // Those of runs below are looked at there.
      if (!isBelow) call((item) => ({ ...item, in_review: event.type !== 'apply.started' }));
      return;
    case 'review.updated':
      if (text(data, 'action') === 'rerun') call((item) => ({ ...item, in_review: false }));
      return;
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
    case 'run.budget_exceeded': {
      const status = event.type.slice('run.'.length);
      if (isEndStatus(status)) ended(transcript, event, status);
      return;
    }
    default: {
      // Told by other events (tool.started), or of a kind this page does not know yet.
      const note = noteOf(event, transcript);
      if (note) noted(transcript, note);
    }
  }
}
