import { type DelegateTarget, delegatedInput, delegateNamed } from '../../domain/delegation.ts';
import type { Fact, Spent } from '../../domain/facts.ts';
import { Failure, isFailure, runError } from '../../domain/failures.ts';
import { microsOf } from '../../domain/money.ts';
import { openDelegations } from '../../domain/open-calls.ts';
import { argumentCheck } from '../../domain/output-schema.ts';
import { hasEnded } from '../../domain/run.ts';
import { wishOfStep } from '../../domain/run-definition.ts';
import type { CallState } from '../../domain/run-state.ts';
import { type RunTool, workflowToolNamed } from '../../domain/run-tool.ts';
import { loadAgent } from '../../store/agent-upkeep.ts';
import { RunLog } from '../../store/event-log.ts';
import { definitionFor } from '../../store/flow-targets.ts';
import { newId } from '../../store/ids.ts';
import { closeAccounts } from '../../store/ledger.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { loadRun } from '../../store/run-upkeep.ts';
import { loadWorkflow } from '../../store/workflow-source.ts';
import type { Segment } from '../segment.ts';
import { failCall } from './call-outcome.ts';
import { actingBelow, type ChildWish, makeChild } from './child-run.ts';
import { keepFiles } from './effect-once.ts';

/** The same call always gets the same run, whoever makes it and however often. */
export const childIdOf = (run: RunRecord, turn: number, callId: string): string =>
  newId('run', `${run._id}:${turn}:${callId}`);

const argumentsOf = (call: CallState): Record<string, unknown> => call.decision?.arguments ?? call.call.arguments;

function demandInput(schema: Record<string, unknown> | null, call: CallState): void {
  if (call.call.malformed !== undefined) {
    throw new Failure('invalid_arguments', `The arguments of ${call.call.name} are not a JSON object.`);
  }
  const errors = argumentCheck(schema)(argumentsOf(call));
  if (errors.length > 0) {
    throw new Failure('invalid_arguments', `The arguments of ${call.call.name} do not fit its schema.`, { errors });
  }
}

/** Who does it: another agent, or a workflow that the run has as a tool. */
async function targetOf(
  run: RunRecord,
  delegate: DelegateTarget | undefined,
  tool: RunTool | undefined,
): Promise<Pick<Extract<Fact, { kind: 'delegated' }>, 'agent_id' | 'agent_name' | 'definition'> | null> {
  if (delegate) {
    const agent = await loadAgent(run.org_id, delegate.agent_id);
    if (!agent?.is_active) throw new Failure('agent_inactive', `The agent ${delegate.name} is not active.`);
    return { agent_id: delegate.agent_id, agent_name: delegate.name };
  }
  if (tool?.source.kind !== 'workflow') return null;
  const { workflow_id, version } = tool.source;
  const workflow = await loadWorkflow(run.org_id, workflow_id, version);
  if (!workflow) throw new Failure('workflow_inactive', `The workflow behind ${tool.name} is gone.`);
  // Refused here, where the model is told: what its steps refer to may be gone, or not be passed on.
  await definitionFor(run.org_id, workflow, actingBelow(run, workflow), true);
  return { agent_id: workflow_id, agent_name: workflow.name, definition: true };
}

async function announce({ run }: Segment, turn: number, call: CallState): Promise<Fact> {
  const delegate = delegateNamed(run.delegates, call.call.name);
  const tool = workflowToolNamed(run.tools, call.call.name);
  const target = await targetOf(run, delegate, tool);
  if (!target) throw new Failure('unknown_tool', `There is no tool ${call.call.name}.`);
  demandInput(delegate ? (delegate.input_schema ?? null) : (tool?.parameters ?? null), call);
  const { tool_call_id: call_id } = call.call;
  return { kind: 'delegated', turn, call_id, child_run_id: childIdOf(run, turn, call_id), ...target };
}

/** Said to the log first: whoever comes after a crash makes the runs that are not there yet. */
export async function delegate(segment: Segment, turn: number, calls: CallState[]): Promise<void> {
  const facts = calls.map((call) =>
    announce(segment, turn, call).catch((error: unknown) => failCall(segment, turn, call, error)),
  );
  segment.log.stage(await Promise.all(facts));
  await segment.log.flush();
  if (segment.log.state.cancel_requested) return;
  for (const call of openDelegations(segment.log.state)) await ensureChild(segment, call);
}

function wishOf({ run, log }: Segment, call: CallState): ChildWish | null {
  if (run.definition) return wishOfStep(run.definition, log.state.flow, call);
  const delegate = delegateNamed(run.delegates, call.call.name);
  if (delegate) {
    return { input: delegatedInput(delegate, argumentsOf(call)), output_schema: delegate.output_schema ?? null };
  }
  const source = workflowToolNamed(run.tools, call.call.name)?.source;
  if (source?.kind !== 'workflow') return null;
  return { input: argumentsOf(call), output_schema: null, version: source.version };
}

export async function ensureChild(segment: Segment, call: CallState): Promise<void> {
  const wish = wishOf(segment, call);
  if (call.child && wish) await makeChild(segment, call.child, wish);
}

function outcomeOf(turn: number, call: CallState, child: RunRecord): Fact | null {
  if (!hasEnded(child.status) || !call.child) return null;
  const ok = child.status === 'completed';
  const why = child.error?.message ?? `It ended as ${child.status}.`;
  const error = ok
    ? null
    : runError('delegation_failed', `${child.agent_name} did not finish: ${why}`, false, {
        partial_output: child.output,
        status: child.status,
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
  const ended: string[] = [];
  for (const call of open) {
    const child = call.child && (await loadRun(call.child.child_run_id));
    if (!child) {
      if (!log.state.cancel_requested) await ensureChild(segment, call);
      else
        log.stage([
          await failCall(segment, turn, call, new Failure('delegation_failed', 'It was cancelled before it began.')),
        ]);
      continue;
    }
    const outcome = outcomeOf(turn, call, child);
    if (!outcome) continue;
    // What the child did in the checkout of both is part of what this run has from here on.
    log.stage([outcome, ...(segment.checkout ? await keepFiles(segment) : [])]);
    ended.push(child._id);
  }
  await log.flush();
  // Not before the log has it: until then the child might be made again, and be given its share.
  await closeAccounts(segment.run.line[0] ?? segment.run._id, ended);
}

/** Who is told here sees it at its next step, or when its workflow is woken. */
export async function stopChildren({ run }: Segment, children: string[]): Promise<void> {
  for (const run_id of children) {
    const log = await RunLog.open({ run_id, workspace_id: run.workspace_id });
    if (log.state.ended || log.state.cancel_requested) continue;
    const by = { user_id: run.caller_user_id, name: run.caller_name };
    const told = log.append((state) => (state.cancel_requested ? null : [{ kind: 'cancel_requested', by }]));
    await told.catch((error: unknown) => {
      // Ended meanwhile, by itself or because somebody else has told it.
      if (!isFailure(error) || error.code !== 'run_ended') throw error;
    });
  }
}
