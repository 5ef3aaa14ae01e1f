import { Failure } from '../domain/failures.ts';
import type { FlowView } from '../domain/flow-view.ts';
import type { Caller } from '../domain/identity.ts';
import { RunLog } from './event-log.ts';
import { findRun } from './runs.ts';

/** All there is to know of the steps of a workflow's run, from its log: nothing is left out for being large. */
export async function flowOf(caller: Caller, id: string): Promise<FlowView> {
  const run = await findRun(caller, id);
  const { definition, definition_id, definition_name, definition_version } = run;
  if (!definition || !definition_id) {
    throw new Failure('not_found', `The run ${id} is not the run of a workflow.`, { run_id: id });
  }
  const { state } = await RunLog.open({ run_id: id, workspace_id: run.workspace_id });
  const calls = new Map(state.turns.flatMap((turn) => turn.calls.map((call) => [call.call.tool_call_id, call])));
  return {
    run_id: id,
    definition_id,
    definition_name: definition_name ?? '',
    definition_version: definition_version ?? 0,
    steps: definition.plan.steps.map((step) => ({ ...step })),
    run_steps: [...state.flow.steps.values()].map(({ call_id, ...step }) => ({
      ...step,
      child_run_id: calls.get(call_id)?.child?.child_run_id ?? null,
      action_id: calls.get(call_id)?.action?.action_id ?? null,
    })),
    state: state.flow.values,
    names: Object.fromEntries(Object.entries(definition.targets).map(([step, { name }]) => [step, name])),
  };
}
