import type { Entry, Fact } from './facts.ts';
import type { RunEvent, Step } from './run.ts';

/**
 * What people (steps) and clients (events) see of a fact. Cursors and step numbers are counted from these, so the
 * number of steps and events a kind of fact gives is part of the stored format: it never changes for a kind.
 */
const SUMMARY_CHARS = 2_000;

export const brief = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > SUMMARY_CHARS ? `${text.slice(0, SUMMARY_CHARS)}… (${text.length} characters)` : text;
};

const EVENTS_PER_FACT: Record<Fact['kind'], number> = {
  queued: 1,
  started: 1,
  call_started: 1,
  call_failed: 1,
  answered: 1,
  tool_started: 0,
  tool_finished: 2,
  action_pending: 1,
  action_decided: 1,
  question_asked: 1,
  question_answered: 1,
  message_received: 1,
  budget_warned: 1,
  cancel_requested: 0,
  ended: 1,
};
export const eventCount = (fact: Fact): number => EVENTS_PER_FACT[fact.kind];

type Draft<T> = Omit<T, 'cursor' | 'step_number'>;
type EventDraft = Draft<RunEvent>;
type StepDraft = Draft<Step>;

export function eventsOf(fact: Fact, at: string): EventDraft[] {
  const one = (type: string, data: Record<string, unknown>, ts = at): EventDraft[] => [{ type, ts, data }];
  switch (fact.kind) {
    case 'queued':
      return one('run.queued', {}, fact.at);
    case 'started':
      return one('run.started', { model: fact.model });
    case 'call_started':
      return one('model.started', { turn: fact.turn, try: fact.try, model: fact.model });
    case 'call_failed':
      return one('model.completed', {
        turn: fact.turn,
        try: fact.try,
        ok: false,
        error: fact.error,
        retry_after_ms: fact.retry_after_ms,
      });
    case 'answered':
      return one('model.completed', {
        turn: fact.turn,
        try: fact.try,
        ok: true,
        text: fact.text,
        tool_calls: fact.tool_calls,
        tokens: fact.usage,
        model: fact.model,
        duration_ms: fact.duration_ms,
      });
    case 'tool_started':
      return [];
    case 'tool_finished':
      return [
        {
          type: 'tool.started',
          ts: fact.started_at,
          data: { turn: fact.turn, call_id: fact.call_id, name: fact.name },
        },
        {
          type: 'tool.completed',
          ts: at,
          data: {
            turn: fact.turn,
            call_id: fact.call_id,
            name: fact.name,
            ok: fact.ok,
            summary: brief(fact.result),
            error: fact.error,
            was_allowed: fact.was_allowed,
            duration_ms: fact.duration_ms,
          },
        },
      ];
    case 'action_pending':
      return one('action.pending', {
        action_id: fact.action_id,
        turn: fact.turn,
        call_id: fact.call_id,
        type: fact.tool,
        path: fact.path,
        arguments: fact.arguments,
        preview: fact.preview,
        digest: fact.digest,
      });
    case 'action_decided':
      return one('action.decided', {
        action_id: fact.action_id,
        turn: fact.turn,
        call_id: fact.call_id,
        confirmed: fact.confirmed,
        reason: fact.reason,
        edited: fact.arguments !== null,
        by: fact.by,
      });
    case 'question_asked':
      return one('clarification.requested', {
        question_id: fact.question_id,
        turn: fact.turn,
        call_id: fact.call_id,
        question: fact.question,
      });
    case 'question_answered':
      return one('clarification.received', {
        question_id: fact.question_id,
        turn: fact.turn,
        call_id: fact.call_id,
        answer: fact.answer,
        by: fact.by,
      });
    case 'message_received':
      return one('message.received', { message_id: fact.message_id, content: fact.content, by: fact.by });
    case 'budget_warned':
      return one('run.budget_warning', { turn: fact.turn, limit: fact.limit, message: fact.message });
    case 'cancel_requested':
      return [];
    case 'ended':
      return one(`run.${fact.status}`, { output: fact.output, error: fact.error });
  }
}

function stepsOf(fact: Fact, at: string): StepDraft[] {
  const one = (type: Step['type'], content: Record<string, unknown>, tokens?: number, ms?: number): StepDraft => ({
    type,
    content,
    tokens_used: tokens ?? null,
    duration_ms: ms ?? null,
    created_at: at,
  });
  switch (fact.kind) {
    case 'answered':
      return [
        one(
          'llm_response',
          { turn: fact.turn, text: fact.text, model: fact.model, tokens: fact.usage },
          fact.usage.input + fact.usage.output,
          fact.duration_ms,
        ),
        ...fact.tool_calls.map((call) =>
          one('tool_call', { turn: fact.turn, call_id: call.tool_call_id, name: call.name, arguments: call.arguments }),
        ),
      ];
    case 'tool_finished':
      return [
        one(
          'tool_result',
          {
            turn: fact.turn,
            call_id: fact.call_id,
            name: fact.name,
            ok: fact.ok,
            result: fact.result,
            error: fact.error,
            was_allowed: fact.was_allowed,
          },
          undefined,
          fact.duration_ms,
        ),
      ];
    case 'call_failed':
      return [one('error', { turn: fact.turn, try: fact.try, error: fact.error, retry_after_ms: fact.retry_after_ms })];
    case 'action_pending':
      return [
        one('confirmation', {
          turn: fact.turn,
          call_id: fact.call_id,
          action_id: fact.action_id,
          type: fact.tool,
          path: fact.path,
          preview: fact.preview,
        }),
      ];
    case 'question_asked':
      return [
        one('clarification', {
          turn: fact.turn,
          call_id: fact.call_id,
          question_id: fact.question_id,
          question: fact.question,
        }),
      ];
    case 'budget_warned':
      return [one('budget_warning', { turn: fact.turn, limit: fact.limit, message: fact.message })];
    default:
      return [];
  }
}

export function stepCount(fact: Fact): number {
  return fact.kind === 'answered' ? 1 + fact.tool_calls.length : stepsOf(fact, '').length;
}

export const entryEvents = (entry: Entry): RunEvent[] =>
  entry.facts
    .flatMap((fact) => eventsOf(fact, entry.at))
    .map((event, index) => ({ cursor: entry.first_cursor + index, ...event }));

export const entrySteps = (entry: Entry): Step[] =>
  entry.facts
    .flatMap((fact) => stepsOf(fact, entry.at))
    .map((step, index) => ({ step_number: entry.first_step + index, ...step }));
