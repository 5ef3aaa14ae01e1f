import { completeAgent } from '../../domain/agent.ts';
import { narrower, restOf } from '../../domain/budget.ts';
import { type DelegateTarget, delegatedInput } from '../../domain/delegation.ts';
import type { Fact, Spent } from '../../domain/facts.ts';
import { Failure, runError } from '../../domain/failures.ts';
import { microsOf } from '../../domain/money.ts';
import { argumentCheck } from '../../domain/output-schema.ts';
import { boundBelow, within } from '../../domain/rights.ts';
import { hasEnded } from '../../domain/run.ts';
import { budgetOfAgent } from '../../domain/run-budget.ts';
import { type CallState, openDelegations } from '../../domain/run-state.ts';
import { delegatesOf, loadAgent } from '../../store/agent-upkeep.ts';
import { RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { openAccount } from '../../store/ledger.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { insertChildRun, loadRun } from '../../store/run-upkeep.ts';
import { delegateNamed, type Segment } from '../segment.ts';
import { failCall } from './run-tools.ts';

/** The same call always gets the same run, whoever makes it and however often. */
const childIdOf = (run: RunRecord, turn: number, callId: string): string =>
  newId('run', `${run._id}:${turn}:${callId}`);

const argumentsOf = (call: CallState): Record<string, unknown> => call.decision?.arguments ?? call.call.arguments;

function demandInput(target: DelegateTarget, call: CallState): void {
  if (call.call.malformed !== undefined) {
    throw new Failure('invalid_arguments', `The arguments of ${call.call.name} are not a JSON object.`);
  }
  const errors = argumentCheck(target.input_schema ?? null)(argumentsOf(call));
  if (errors.length > 0) {
    throw new Failure('invalid_arguments', `The arguments of ${call.call.name} do not fit its schema.`, { errors });
  }
}

async function announce(segment: Segment, turn: number, call: CallState): Promise<Fact> {
  const { run } = segment;
  const target = delegateNamed(run, call.call.name);
  if (!target) throw new Failure('unknown_tool', `There is no tool ${call.call.name}.`);
  demandInput(target, call);
  const agent = await loadAgent(run.org_id, target.agent_id);
  if (!agent?.is_active) throw new Failure('agent_inactive', `The agent ${target.name} is not active.`);
  return {
    kind: 'delegated',
    turn,
    call_id: call.call.tool_call_id,
    child_run_id: childIdOf(run, turn, call.call.tool_call_id),
    agent_id: target.agent_id,
    agent_name: target.name,
  };
}

/** Said to the log first: whoever comes after a crash makes the runs that are not there yet. */
export async function delegate(segment: Segment, turn: number, calls: CallState[]): Promise<void> {
  const facts = calls.map((call) =>
    announce(segment, turn, call).catch((error: unknown) => failCall(turn, call, error)),
  );
  segment.log.stage(await Promise.all(facts));
  await segment.log.flush();
  if (segment.log.state.cancel_requested) return;
  for (const call of openDelegations(segment.log.state)) await ensureChild(segment, call);
}

/** The run below, with what is left for it and what it may do at most. Safe to repeat. */
async function ensureChild({ run, log, rules }: Segment, call: CallState): Promise<void> {
  const { child } = call;
  const target = delegateNamed(run, call.call.name);
  if (!child || !target) return;
  const stored = await loadAgent(run.org_id, child.agent_id);
  if (!stored) return;
  const definition = completeAgent(stored);
  const bound = boundBelow(run.agent, run.bound);
  const agent = within(definition, bound);
  const budget = narrower(budgetOfAgent(definition), restOf(log.state, rules.budget));
  const line = [...run.line, child.child_run_id];
  await openAccount(run.line[0] ?? run._id, child.child_run_id, budget);
  await insertChildRun(run, {
    id: child.child_run_id,
    agent,
    bound,
    delegates: await delegatesOf(run.org_id, definition),
    notebook: run.notebook_id && run.notebook_kind ? { id: run.notebook_id, kind: run.notebook_kind } : null,
    session: run.conversation_id ? { id: run.conversation_id, context_rows: [] } : null,
    trigger_type: 'delegation',
    trigger_source: `agent: ${run.agent_name}`,
    input: delegatedInput(target, argumentsOf(call)),
    output_schema: target.output_schema ?? null,
    budget,
    parent: { run_id: run._id, relation: 'delegation', step: null },
    line,
  });
}

function outcomeOf(turn: number, call: CallState, child: RunRecord): Fact | null {
  if (!hasEnded(child.status) || !call.child) return null;
  const ok = child.status === 'completed';
  const why = child.error?.message ?? `It ended as ${child.status}.`;
  const error = ok
    ? null
    : runError('delegation_failed', `${child.agent_name} did not finish: ${why}`, false, {
        partial_output: child.output,
      });
  const spent: Spent = {
    iterations: child.tree.iterations,
    tokens: child.tree.tokens,
    micros: microsOf(child.tree.cost_usd),
  };
  return {
    kind: 'delegation_finished',
    turn,
    call_id: call.call.tool_call_id,
    name: call.call.name,
    child_run_id: child._id,
    status: child.status,
    ok,
    result: ok ? child.output : null,
    error,
    spent,
    duration_ms: child.duration_ms ?? 0,
  };
}

/** Takes in what the runs below have come to, and makes those that a crash kept from being made. */
export async function collectChildren(segment: Segment): Promise<void> {
  const { log } = segment;
  const turn = log.state.turns.length;
  const open = openDelegations(log.state);
  // What is staged so far goes with the next append: one of its own would cost the first call of every run its time.
  if (open.length === 0) return;
  for (const call of open) {
    const child = call.child && (await loadRun(call.child.child_run_id));
    if (!child) {
      if (!log.state.cancel_requested) await ensureChild(segment, call);
      else
        log.stage([await failCall(turn, call, new Failure('delegation_failed', 'It was cancelled before it began.'))]);
      continue;
    }
    const outcome = outcomeOf(turn, call, child);
    if (outcome) log.stage([outcome]);
  }
  await log.flush();
}

/** Who is told here sees it at its next step, or when its workflow is woken. */
export async function stopChildren({ run }: Segment, children: string[]): Promise<void> {
  for (const run_id of children) {
    const log = await RunLog.open({ run_id, workspace_id: run.workspace_id });
    if (log.state.ended || log.state.cancel_requested) continue;
    const by = { user_id: run.caller_user_id, name: run.caller_name };
    await log.append((state) => (state.cancel_requested ? null : [{ kind: 'cancel_requested', by }]));
  }
}
