import { z } from 'zod';
import { brief } from './brief.ts';
import type { Fact, Person } from './facts.ts';
import type { Entry } from './log-entry.ts';
import { stepCount } from './trace.ts';

/**
 * One line of the audit log: who did what, on what, and whether it was allowed. Lines are never changed. What happens
 * in a run follows from its log; what people do beside runs is written when they do it.
 */
export const auditLineSchema = z.object({
  id: z.string(),
  created_at: z.iso.datetime(),
  /** Null for what belongs to no workspace: a sign-in, a key. */
  workspace_id: z.string().nullable(),
  user_id: z.string().nullable(),
  user_name: z.string().nullable(),
  agent_id: z.string().nullable(),
  agent_name: z.string().nullable(),
  run_id: z.string().nullable(),
  session_id: z.string().nullable(),
  /** The step of the run that it is part of, where it is one. */
  step_number: z.int().nullable(),
  /** A family and a word: `tool.read_file`, `run.completed`, `agents.create`. */
  action: z.string(),
  target: z.string().nullable(),
  /** Cut off where they are long. */
  input: z.string().nullable(),
  output: z.string().nullable(),
  was_allowed: z.boolean(),
  execution_time_ms: z.int().nullable(),
});
export type AuditLine = z.infer<typeof auditLineSchema>;

/** Whose log it is, with the names as they were when the run began. */
export interface AuditedRun {
  run_id: string;
  session_id: string | null;
  workspace_id: string;
  user_id: string;
  user_name: string;
  agent_id: string;
  agent_name: string;
  input: unknown;
}

/** With what tools were called, in brief: a model asks for a call in one entry and is answered in a later one. */
export type CallArguments = ReadonlyMap<string, string>;

const callKey = (turn: number, callId: string): string => `${turn}:${callId}`;

function argumentsIn(fact: Fact): [string, string][] {
  switch (fact.kind) {
    case 'answered':
      return fact.tool_calls.map((call) => [callKey(fact.turn, call.tool_call_id), brief(call.arguments)]);
    case 'inherited':
      return fact.turns.flatMap(({ turn, calls }) =>
        calls.map(({ call }): [string, string] => [callKey(turn, call.tool_call_id), brief(call.arguments)]),
      );
    case 'step_begun':
      return [[callKey(fact.turn, fact.call_id), brief(fact.input)]];
    case 'action_decided':
      return fact.arguments ? [[callKey(fact.turn, fact.call_id), brief(fact.arguments)]] : [];
    default:
      return [];
  }
}

/** The arguments of the calls that these entries ask for, as a person changed them where one did. */
export const callArguments = (entries: Entry[]): Map<string, string> =>
  new Map(entries.flatMap(({ facts }) => facts.flatMap(argumentsIn)));

type Told = Pick<AuditLine, 'action'> &
  Partial<Pick<AuditLine, 'target' | 'was_allowed' | 'execution_time_ms'>> & {
    by?: Person;
    input?: unknown;
    /** Input that is in brief already: the arguments of a call. */
    asked?: string | undefined;
    output?: unknown;
  };

/** Null for what is no action of its own: another fact, or the log of a run below, tells it. */
function told(fact: Fact, about: AuditedRun, asked: CallArguments): Told | null {
  switch (fact.kind) {
    case 'started':
      return { action: 'run.started', target: fact.model, input: about.input };
    case 'answered':
      return {
        action: 'model.call',
        target: fact.model,
        input: { turn: fact.turn, try: fact.try, ...(fact.purpose ? { purpose: fact.purpose } : {}) },
        output: fact.text || fact.tool_calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
        execution_time_ms: fact.duration_ms,
      };
    case 'call_failed':
      return { action: 'model.call', input: { turn: fact.turn, try: fact.try }, output: fact.error };
    case 'rate_limited': {
      const output = { until: fact.until, limit: fact.limit };
      return { action: 'run.rate_limited', input: { turn: fact.turn }, output, was_allowed: false };
    }
    case 'budget_denied':
      return { action: 'run.budget_denied', target: fact.limit, input: { turn: fact.turn }, was_allowed: false };
    case 'tool_finished':
      return {
        action: `tool.${fact.name}`,
        target: fact.target,
        asked: asked.get(callKey(fact.turn, fact.call_id)),
        output: fact.error ?? fact.result,
        was_allowed: fact.was_allowed,
        execution_time_ms: fact.duration_ms,
      };
    case 'context_read':
      return {
        action: 'context.read',
        target: fact.row.path,
        input: fact.row,
        output: fact.error ?? fact.text,
        was_allowed: fact.was_allowed,
        execution_time_ms: fact.duration_ms,
      };
    case 'delegated':
      return {
        action: 'delegation.started',
        target: fact.child_run_id,
        asked: asked.get(callKey(fact.turn, fact.call_id)),
        output: { agent_id: fact.agent_id, agent_name: fact.agent_name },
      };
    case 'delegation_finished':
      return {
        action: 'delegation.completed',
        target: fact.child_run_id,
        output: fact.error ?? fact.result,
        execution_time_ms: fact.duration_ms,
      };
    case 'action_decided':
      return {
        action: fact.confirmed ? 'action.allowed' : 'action.denied',
        target: fact.action_id,
        asked: fact.arguments ? brief(fact.arguments) : asked.get(callKey(fact.turn, fact.call_id)),
        output: fact.reason,
        by: fact.by,
      };
    case 'question_answered':
      return { action: 'question.answered', target: fact.question_id, input: fact.answer, by: fact.by };
    case 'message_received':
      return { action: 'run.message', target: fact.message_id, input: fact.content, by: fact.by };
    case 'paused':
      return { action: 'run.pause', by: fact.by };
    case 'unpaused':
      return { action: 'run.unpause', by: fact.by };
    case 'cancel_requested':
      return { action: 'run.cancel', by: fact.by };
    case 'apply_requested':
      return { action: 'edits.apply', target: fact.review_id, input: { accepted: fact.accepted.length }, by: fact.by };
    case 'edits_applied':
      return { action: 'edits.applied', target: fact.checkpoint_id, output: fact.files };
    case 'conflict_detected': {
      const output = fact.files.map(({ file_path, reason }) => ({ file_path, reason }));
      return { action: 'edits.conflict', target: fact.review_id, output, was_allowed: false };
    }
    case 'apply_failed':
      return {
        action: 'edits.failed',
        target: fact.review_id,
        output: fact.error,
        was_allowed: fact.error.code !== 'scope_violation',
      };
    case 'rerun_requested':
      return { action: 'edits.rerun', target: fact.review_id, input: fact.comment, by: fact.by };
    case 'ended':
      return { action: `run.${fact.status}`, output: fact.error ?? fact.output };
    case 'queued':
    case 'inherited':
    case 'provider_selected':
    case 'call_started':
    case 'output_rejected':
    case 'files_kept':
    case 'checkout_ready':
    case 'tool_started':
    case 'action_pending':
    case 'action_revised':
    case 'question_asked':
    case 'child_asked':
    case 'child_answered':
    case 'edits_proposed':
    case 'review_updated':
    case 'checkpoint_created':
    case 'budget_warned':
    case 'step_begun':
    case 'step_ended':
      return null;
  }
}

const briefly = (value: unknown): string | null => (value === undefined || value === null ? null : brief(value));

/** What an entry of a run's log is to the audit log. The same entry always gives the same lines under the same ids. */
export function auditLines(entry: Entry, about: AuditedRun, asked: CallArguments = new Map()): AuditLine[] {
  let step = entry.first_step;
  return entry.facts.flatMap((fact, index) => {
    const steps = stepCount(fact);
    const first = steps > 0 ? step : null;
    step += steps;
    const line = told(fact, about, asked);
    if (line === null) return [];
    const { action, by, input, output, target = null, was_allowed = true, execution_time_ms = null } = line;
    return [
      {
        id: `${about.run_id}:${entry.n}:${index}`,
        created_at: entry.at,
        workspace_id: about.workspace_id,
        user_id: by?.user_id ?? about.user_id,
        user_name: by?.name ?? about.user_name,
        agent_id: about.agent_id,
        agent_name: about.agent_name,
        run_id: about.run_id,
        session_id: about.session_id,
        step_number: first,
        action,
        target,
        input: line.asked ?? briefly(input),
        output: briefly(output),
        was_allowed,
        execution_time_ms,
      },
    ];
  });
}

/** Entries without any of these need not be read: they give no line, and hold no arguments. */
export const AUDITED_FACTS: Fact['kind'][] = [
  'inherited',
  'context_read',
  'started',
  'answered',
  'call_failed',
  'rate_limited',
  'budget_denied',
  'step_begun',
  'tool_finished',
  'delegated',
  'delegation_finished',
  'action_decided',
  'question_answered',
  'message_received',
  'paused',
  'unpaused',
  'cancel_requested',
  'apply_requested',
  'edits_applied',
  'conflict_detected',
  'apply_failed',
  'rerun_requested',
  'ended',
];
