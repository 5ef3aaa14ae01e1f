import { brief } from './brief.ts';
import { editEvents } from './edits/trace.ts';
import type { Fact } from './facts.ts';
import type { Entry } from './log-entry.ts';
import type { EventDraft, RunEvent, Step } from './run-events.ts';
import { stepsOf } from './steps.ts';
import { askEvents } from './trace-asks.ts';
import { callEvents } from './trace-calls.ts';

/**
 * What people (steps) and clients (events) see of a fact. Cursors and step numbers are counted from these, so the
 * number of steps and events a kind of fact gives is part of the stored format: it never changes for a kind.
 */
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
  checkout_ready: 1,
  tool_started: 0,
  tool_finished: 2,
  delegated: 1,
  delegation_finished: 1,
  child_asked: 1,
  child_answered: 1,
  paused: 1,
  unpaused: 1,
  action_pending: 1,
  action_revised: 1,
  action_decided: 1,
  question_asked: 1,
  question_answered: 1,
  message_received: 1,
  edits_proposed: 2,
  review_updated: 1,
  apply_requested: 1,
  checkpoint_created: 1,
  conflict_detected: 1,
  apply_failed: 1,
  edits_applied: 1,
  rerun_requested: 1,
  budget_warned: 1,
  step_begun: 1,
  step_ended: 1,
  cancel_requested: 0,
  ended: 1,
};
export const eventCount = (fact: Fact): number => EVENTS_PER_FACT[fact.kind];

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
    case 'call_started':
    case 'call_failed':
    case 'answered':
    case 'tool_finished':
    case 'delegated':
    case 'delegation_finished':
      return callEvents(fact, at);
    case 'action_pending':
    case 'action_revised':
    case 'action_decided':
    case 'question_asked':
    case 'question_answered':
    case 'child_asked':
    case 'child_answered':
      return askEvents(fact, at);
    case 'output_rejected':
      return one('output.rejected', { turn: fact.turn, errors: fact.errors });
    case 'rate_limited':
      return one('run.rate_limited', { turn: fact.turn, until: fact.until, limit: fact.limit });
    case 'checkout_ready': {
      const { kind: _, ...shown } = fact;
      return one('checkout.ready', shown);
    }
    case 'budget_denied':
    case 'files_kept':
    case 'tool_started':
      return [];
    case 'edits_proposed':
    case 'review_updated':
    case 'apply_requested':
    case 'checkpoint_created':
    case 'conflict_detected':
    case 'apply_failed':
    case 'edits_applied':
    case 'rerun_requested':
      return editEvents(fact).map((event) => ({ ...event, ts: at }));
    case 'paused':
      return one('run.paused', { by: fact.by });
    case 'unpaused':
      return one('run.resumed', { by: fact.by });
    case 'message_received':
      return one('message.received', { message_id: fact.message_id, content: fact.content, by: fact.by });
    case 'budget_warned':
      return one('run.budget_warning', { turn: fact.turn, limit: fact.limit, message: fact.message });
    case 'step_begun':
      return one('workflow.step.started', {
        step: fact.step,
        id: fact.id,
        type: fact.type,
        name: fact.name,
        attempt: fact.attempt,
        call_id: fact.call_id,
        input: brief(fact.input),
        ...(fact.until ? { until: fact.until } : {}),
      });
    case 'step_ended':
      return one('workflow.step.completed', {
        step: fact.step,
        attempt: fact.attempt,
        call_id: fact.call_id,
        status: fact.status,
        summary: brief(fact.output),
        error: fact.error,
        duration_ms: fact.duration_ms,
      });
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
