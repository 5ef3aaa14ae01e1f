import type { Entry, Fact } from './facts.ts';
import { usdOf } from './money.ts';
import type { RunEvent, Step } from './run.ts';
import { stepsOf } from './steps.ts';

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
  inherited: 1,
  context_read: 1,
  started: 1,
  provider_selected: 1,
  call_started: 1,
  call_failed: 1,
  answered: 1,
  output_rejected: 1,
  rate_limited: 1,
  budget_denied: 0,
  files_kept: 0,
  tool_started: 0,
  tool_finished: 2,
  delegated: 1,
  delegation_finished: 1,
  child_asked: 1,
  child_answered: 1,
  paused: 1,
  unpaused: 1,
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

type EventDraft = Omit<RunEvent, 'cursor'>;

/** As the run below tells it, with the run to answer named. */
function childAsked(
  { child_run_id, agent_name, asked }: Extract<Fact, { kind: 'child_asked' }>,
  at: string,
): EventDraft[] {
  const about = { run_id: child_run_id, agent_name };
  if (asked.kind === 'question') {
    const data = { ...about, question_id: asked.id, question: asked.question };
    return [{ type: 'clarification.requested', ts: at, data }];
  }
  const { id, tool, path, preview, digest } = asked;
  const shown = { preview, digest, can_allow_for_session: asked.always !== true };
  const data = { ...about, action_id: id, type: tool, path, arguments: asked.arguments, ...shown };
  return [{ type: 'action.pending', ts: at, data }];
}

export function eventsOf(fact: Fact, at: string): EventDraft[] {
  const one = (type: string, data: Record<string, unknown>, ts = at): EventDraft[] => [{ type, ts, data }];
  switch (fact.kind) {
    case 'queued':
      return one('run.queued', fact.conversation_id ? { conversation_id: fact.conversation_id } : {}, fact.at);
    case 'inherited':
      return one('run.inherited', {
        from: fact.from,
        relation: fact.relation,
        step: fact.step,
        turns: fact.turns.length,
        spent: fact.spent,
      });
    case 'context_read':
      return one('context.read', {
        ...fact.row,
        ok: fact.error === null,
        error: fact.error,
        was_allowed: fact.was_allowed,
        duration_ms: fact.duration_ms,
      });
    case 'started':
      return one('run.started', { model: fact.model });
    case 'provider_selected':
      return one('provider.selected', { turn: fact.turn, mode: fact.mode, ...fact.choice });
    case 'call_started':
      return one('model.started', {
        turn: fact.turn,
        try: fact.try,
        model: fact.model,
        ...(fact.purpose ? { purpose: fact.purpose } : {}),
        ...(fact.reserved ? { reserved: fact.reserved } : {}),
      });
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
        // What only the provider's adapter can read stays out of what people and clients see.
        tool_calls: fact.tool_calls.map(({ signature: _, ...call }) => call),
        tokens: fact.usage,
        model: fact.model,
        duration_ms: fact.duration_ms,
        cost_usd: usdOf(fact.cost_micros),
        ...(fact.purpose ? { purpose: fact.purpose } : {}),
      });
    case 'output_rejected':
      return one('output.rejected', { turn: fact.turn, errors: fact.errors });
    case 'rate_limited':
      return one('run.rate_limited', { turn: fact.turn, until: fact.until, limit: fact.limit });
    case 'budget_denied':
    case 'files_kept':
    case 'tool_started':
      return [];
    case 'delegated':
      return one('delegation.started', {
        turn: fact.turn,
        call_id: fact.call_id,
        child_run_id: fact.child_run_id,
        agent_id: fact.agent_id,
        agent_name: fact.agent_name,
      });
    case 'delegation_finished':
      return one('delegation.completed', {
        turn: fact.turn,
        call_id: fact.call_id,
        name: fact.name,
        child_run_id: fact.child_run_id,
        status: fact.status,
        ok: fact.ok,
        summary: brief(fact.result),
        error: fact.error,
        spent: fact.spent,
        duration_ms: fact.duration_ms,
      });
    case 'child_asked':
      return childAsked(fact, at);
    case 'child_answered':
      return one(fact.confirmed === null ? 'clarification.received' : 'action.decided', {
        run_id: fact.child_run_id,
        ...(fact.confirmed === null ? { question_id: fact.id } : { action_id: fact.id, confirmed: fact.confirmed }),
        by: fact.by,
      });
    case 'paused':
      return one('run.paused', { by: fact.by });
    case 'unpaused':
      return one('run.resumed', { by: fact.by });
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
        can_allow_for_session: fact.always !== true,
      });
    case 'action_decided':
      return one('action.decided', {
        action_id: fact.action_id,
        turn: fact.turn,
        call_id: fact.call_id,
        confirmed: fact.confirmed,
        reason: fact.reason,
        edited: fact.arguments !== null,
        ...(fact.for_session ? { for_session: true } : {}),
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
