import type { Fact } from '../../domain/facts.ts';
import { Failure } from '../../domain/failures.ts';
import type { StepCall } from '../../domain/flow-calls.ts';
import { type FlowRun, namesAt, placeIn } from '../../domain/flow-names.ts';
import { mapped } from '../../domain/mapping.ts';
import { argumentCheck } from '../../domain/output-schema.ts';
import { type RunDefinition, targetOf } from '../../domain/run-definition.ts';
import { type CallState, currentTurn } from '../../domain/run-state.ts';
import { allSteps } from '../../domain/step-lists.ts';
import { loadAgent } from '../../store/agent-upkeep.ts';
import { definitionFor } from '../../store/flow-targets.ts';
import { loadWorkflow } from '../../store/workflow-source.ts';
import type { Segment } from '../segment.ts';
import { asking, askPeople, pendingAction } from './ask-people.ts';
import { failCall } from './call-outcome.ts';
import { actingBelow } from './child-run.ts';
import { childIdOf, ensureChild } from './delegate.ts';
import { runTools } from './run-tools.ts';

/** Where the calls of a workflow's steps stand in its log. */
const turnOf = ({ log }: Segment): number => currentTurn(log.state)?.turn ?? 1;

type Delegated = Extract<Fact, { kind: 'delegated' }>;

/** Refused here, where it is the step that fails for it: what could only fail once the run below is made. */
async function runOf(
  { run }: Segment,
  definition: RunDefinition,
  { step, state, call }: StepCall,
): Promise<Pick<Delegated, 'agent_id' | 'agent_name' | 'definition'>> {
  const target = targetOf(definition, step);
  if (target?.kind === 'agent') {
    const agent = await loadAgent(run.org_id, target.id);
    if (!agent?.is_active) throw new Failure('agent_inactive', `The agent ${target.name} is not active.`);
    return { agent_id: target.id, agent_name: target.name };
  }
  if (target?.kind !== 'workflow') throw new Failure('not_found', `The step ${step.id} refers to nothing.`);
  const workflow = await loadWorkflow(run.org_id, target.id, target.version);
  if (!workflow) throw new Failure('workflow_inactive', `The workflow ${target.name} is gone.`);
  const errors = argumentCheck(workflow.input_schema)(call.decision?.arguments ?? state.input);
  if (errors.length > 0) {
    throw new Failure('invalid_arguments', `The input does not fit the workflow ${target.name}.`, { errors });
  }
  await definitionFor(run.org_id, workflow, actingBelow(run, workflow), definition.asks_first);
  return { agent_id: target.id, agent_name: target.name, definition: true };
}

/** Said to the log first: whoever comes after a crash makes the runs that are not there yet. */
export async function startRuns(segment: Segment, definition: RunDefinition, calls: StepCall[]): Promise<void> {
  const turn = turnOf(segment);
  const facts = calls.map(async (one): Promise<Fact> => {
    const { tool_call_id: call_id } = one.call.call;
    try {
      const target = await runOf(segment, definition, one);
      return { kind: 'delegated', turn, call_id, child_run_id: childIdOf(segment.run, turn, call_id), ...target };
    } catch (error) {
      return failCall(segment, turn, one.call, error);
    }
  });
  segment.log.stage(await Promise.all(facts));
  await segment.log.flush();
  for (const { call } of calls) if (call.child) await ensureChild(segment, call);
}

/** What the items of a map are called in it. */
const nameOfItem = ({ plan }: RunDefinition, mapId: string): string => {
  const step = allSteps(plan.steps).find(({ id }) => id === mapId);
  return step?.type === 'map' ? step.as : 'item';
};

/** What an approval shows is what its message says; a tool shows what it would do. */
export async function askForSteps(
  segment: Segment,
  definition: RunDefinition,
  about: FlowRun,
  calls: StepCall[],
): Promise<void> {
  const { log } = segment;
  const turn = turnOf(segment);
  for (const { step, state, call } of calls) {
    if (step.type !== 'approval') {
      await askPeople(segment, turn, [call]);
      continue;
    }
    const ask = async (one: CallState): Promise<Fact> => {
      const { flow } = log.state;
      const place = placeIn(flow, state.address, (id) => nameOfItem(definition, id));
      const preview = String(mapped(step.message, namesAt(flow, about, place)));
      const shown = { path: null, preview, base_hash: null };
      return { ...pendingAction(segment, turn, one, 'approval', shown), always: true };
    };
    log.stage(await asking(segment, turn, call, ask));
  }
  await log.flush();
}

/** The same segment for one call, which is broken off when its time is up. */
function within(segment: Segment, { step }: StepCall): Segment {
  if (step.type !== 'tool' || step.timeout === undefined) return segment;
  const signal = AbortSignal.any([segment.signal, AbortSignal.timeout(step.timeout * 1000)]);
  const tools = segment.tools?.then((context) => ({ ...context, signal })) ?? null;
  tools?.catch(() => undefined);
  return { ...segment, signal, tools };
}

/** What only looks goes side by side; what changes something, one after the other. */
export async function callTools(segment: Segment, calls: StepCall[]): Promise<void> {
  const turn = turnOf(segment);
  await segment.log.flush();
  const isEffect = ({ call }: StepCall) => segment.rules.tool(call.call.name)?.effect === true;
  await Promise.all(
    calls.filter((one) => !isEffect(one)).map((one) => runTools(within(segment, one), turn, [one.call])),
  );
  for (const one of calls.filter(isEffect)) {
    if (segment.signal.aborted) return;
    await runTools(within(segment, one), turn, [one.call]);
  }
}
