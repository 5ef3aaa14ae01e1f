import { type Agent, createAgentBody, iterationsOf } from '../../domain/agent.ts';
import type { Budget } from '../../domain/budget.ts';
import type { CallPurpose, Fact, Person, Reserve, Spent } from '../../domain/facts.ts';
import { type FailureCode, runError } from '../../domain/failures.ts';
import { fold } from '../../domain/fold.ts';
import type { Entry, Token } from '../../domain/log-entry.ts';
import type { ToolCall, Usage } from '../../domain/model.ts';
import { emptyState, NOTHING_SPENT, type RunState } from '../../domain/run-state.ts';
import type { ToolLookup, ToolTraits } from '../../domain/tool.ts';
import { eventCount, stepCount } from '../../domain/trace.ts';
import type { Rules } from '../../domain/turn.ts';

/** Logs in a few words: each list of facts is one append, a second after the one before. */
export const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');
export const ana: Person = { user_id: 'usr_ana', name: 'Ana' };

export function entriesOf(appends: Fact[][], token: Token | null = null): Entry[] {
  let [first_step, first_cursor] = [1, 1];
  return appends.map((facts, index) => {
    const at = new Date(BEGIN + 1000 * (index + 1)).toISOString();
    const entry = { n: index + 1, token, at, facts, first_step, first_cursor };
    first_step += facts.reduce((sum, fact) => sum + stepCount(fact), 0);
    first_cursor += facts.reduce((sum, fact) => sum + eventCount(fact), 0);
    return entry;
  });
}

export function stateOf(...appends: Fact[][]): RunState {
  const state = emptyState();
  for (const entry of entriesOf(appends)) fold(state, entry);
  return state;
}

export const begun: Fact[] = [
  { kind: 'queued', at: new Date(BEGIN).toISOString() },
  { kind: 'started', model: 'gpt-test' },
];

interface Called {
  reserved?: Reserve;
  bytes?: number;
  purpose?: CallPurpose;
}
export const called = (turn: number, attempt = 1, more: Called = {}): Fact => ({
  kind: 'call_started',
  turn,
  try: attempt,
  model: 'gpt-test',
  ...more,
});

interface Failed {
  code?: FailureCode;
  retryable?: boolean;
  retry_after_ms?: number | null;
}
export const failed = (turn: number, attempt = 1, more: Failed = {}): Fact => ({
  kind: 'call_failed',
  turn,
  try: attempt,
  error: runError(more.code ?? 'provider_unavailable', 'It failed.', more.retryable ?? true),
  retry_after_ms: more.retry_after_ms ?? null,
});

export const tool = (tool_call_id: string, name: string, args: Record<string, unknown> = {}): ToolCall => ({
  tool_call_id,
  name,
  arguments: args,
});

interface Answered {
  text?: string;
  calls?: ToolCall[];
  usage?: Usage;
  attempt?: number;
  cut?: true;
  cost_micros?: number | null;
  /** A summary of the turns up to this one. */
  upto?: number;
}
export const answered = (turn: number, more: Answered = {}): Fact => ({
  kind: 'answered',
  turn,
  try: more.attempt ?? 1,
  model: 'gpt-test',
  text: more.text ?? '',
  tool_calls: more.calls ?? [],
  usage: more.usage ?? { input: 10, output: 10, cached: 0 },
  duration_ms: 5,
  ...(more.cut ? { cut: true as const } : {}),
  ...(more.cost_micros === undefined ? {} : { cost_micros: more.cost_micros }),
  ...(more.upto === undefined ? {} : { purpose: 'compact' as const, upto: more.upto }),
});

export const finished = (turn: number, call_id: string, result: unknown = 'done'): Fact => ({
  kind: 'tool_finished',
  turn,
  call_id,
  name: 'read_file',
  ok: true,
  result,
  error: null,
  started_at: new Date(BEGIN).toISOString(),
  duration_ms: 1,
  was_allowed: true,
  target: null,
});

export const toolBegun = (turn: number, call_id: string): Fact => ({
  kind: 'tool_started',
  turn,
  call_id,
  intent: { effect: 'rename', staged: '/.s', target: '/a.md', after_hash: 'sha256:0' },
});

export const pending = (turn: number, call_id: string, name = 'write_file'): Fact => ({
  kind: 'action_pending',
  turn,
  call_id,
  action_id: `act_${turn}_${call_id}`,
  tool: name,
  arguments: {},
  path: '/a.md',
  preview: '+a',
  digest: 'sha256:1',
  base_hash: null,
});

export const revised = (turn: number, call_id: string, args: Record<string, unknown>, allowed = false): Fact => ({
  kind: 'action_revised',
  turn,
  call_id,
  action_id: `act_${turn}_${call_id}`,
  arguments: args,
  ...(allowed ? { allowed: { reason: null } } : {}),
  by: ana,
});

export const decided = (turn: number, call_id: string, confirmed = true): Fact => ({
  kind: 'action_decided',
  turn,
  call_id,
  action_id: `act_${turn}_${call_id}`,
  confirmed,
  reason: null,
  arguments: null,
  by: ana,
});

export const asked = (turn: number, call_id: string): Fact => ({
  kind: 'question_asked',
  turn,
  call_id,
  question_id: `q_${turn}_${call_id}`,
  question: 'Which?',
});

export const replied = (turn: number, call_id: string, answer = 'this one'): Fact => ({
  kind: 'question_answered',
  turn,
  call_id,
  question_id: `q_${turn}_${call_id}`,
  answer,
  by: ana,
});

export const message = (content: string): Fact => ({
  kind: 'message_received',
  message_id: `msg_${content}`,
  content,
  by: ana,
});

export const delegated = (turn: number, call_id: string): Fact => ({
  kind: 'delegated',
  turn,
  call_id,
  child_run_id: `run_${turn}_${call_id}`,
  agent_id: 'agt_scout',
  agent_name: 'Scout',
});

export const returned = (turn: number, call_id: string, spent: Spent = NOTHING_SPENT): Fact => ({
  kind: 'delegation_finished',
  turn,
  call_id,
  name: 'delegate_to_scout',
  child_run_id: `run_${turn}_${call_id}`,
  status: 'completed',
  ok: true,
  result: 'found it',
  error: null,
  spent,
  duration_ms: 7,
});

export const childAsked = (child_run_id: string, kind: 'action' | 'question' = 'question'): Fact => ({
  kind: 'child_asked',
  child_run_id,
  agent_name: 'Scout',
  asked:
    kind === 'question'
      ? { kind, id: `q_of_${child_run_id}`, question: 'Which?' }
      : {
          kind,
          id: `act_of_${child_run_id}`,
          tool: 'write_file',
          path: '/a.md',
          arguments: {},
          preview: '+a',
          digest: 'sha256:1',
        },
});

export const childAnswered = (child_run_id: string, kind: 'action' | 'question' = 'question'): Fact => ({
  kind: 'child_answered',
  child_run_id,
  id: `${kind === 'question' ? 'q' : 'act'}_of_${child_run_id}`,
  confirmed: kind === 'question' ? null : true,
  by: ana,
});

export const paused: Fact = { kind: 'paused', by: ana };
export const unpaused: Fact = { kind: 'unpaused', by: ana };
export const cancelled: Fact = { kind: 'cancel_requested', by: ana };
export const ended: Fact = { kind: 'ended', status: 'completed', output: 'done', error: null };

const TOOLS: ToolTraits[] = [
  { name: 'read_file', operation: 'read', effect: false, asks: false },
  { name: 'write_file', operation: 'write', effect: true, asks: false },
  { name: 'clarify_user', operation: null, effect: false, asks: true },
  { name: 'delegate_to_scout', operation: null, effect: false, asks: false, delegates: true },
];
const lookup: ToolLookup = (name) => TOOLS.find((known) => known.name === name);

export const budgetOf = (more: Partial<Budget> = {}): Budget => ({
  max_iterations: 50,
  max_tokens: 100_000,
  max_micros: null,
  max_active_ms: null,
  ...more,
});

export const rules = (more: Partial<Rules> = {}): Rules => ({
  budget: budgetOf(),
  confirmation: { policy: {}, notebook_kind: 'folder' },
  tool: lookup,
  edits: { max_tool_calls: null, max_schema_retries: 5 },
  output: null,
  compact_at: Number.POSITIVE_INFINITY,
  switches: () => false,
  max_tries: 8,
  ...more,
});

const DEFINITION = createAgentBody.parse({
  workspace_id: 'ws_1',
  name: 'Helper',
  model: 'gpt-test',
  scope: { notebooks: ['*'] },
});

export const agentWith = (more: Partial<Agent> = {}): Agent => ({
  ...DEFINITION,
  ...iterationsOf(more.max_iterations),
  id: 'agt_1',
  slug: 'helper',
  provider: 'openai',
  is_active: true,
  is_builtin: false,
  version: 1,
  created_by: 'usr_ana',
  created_at: new Date(BEGIN).toISOString(),
  updated_at: new Date(BEGIN).toISOString(),
  ...more,
});
