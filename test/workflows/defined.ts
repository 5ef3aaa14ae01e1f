import { RunCommands } from '../../api/run-commands.ts';
import { startRunBody } from '../../domain/run-requests.ts';
import { entryEvents } from '../../domain/trace.ts';
import { workflowPlanSchema } from '../../domain/workflow-definition.ts';
import { createDefinition } from '../../store/definitions.ts';
import { flowOf } from '../../store/flow-view.ts';
import { newId } from '../../store/ids.ts';
import { allEntries } from '../../store/log-reading.ts';
import { findRun, treeOf } from '../../store/runs.ts';
import type { RunStarter } from '../../workflows/start.ts';
import type { System } from '../running-system.ts';

/** What tests of workflows do again and again, on a running system. */
export function workflowsOf(system: System) {
  const define = async (steps: unknown[], more: Record<string, unknown> = {}) => {
    const { name = `Flow ${newId('n')}`, ...rest } = more;
    const { id } = await createDefinition(system.caller, 'workflow', {
      id: newId('wf'),
      workspace_id: system.workspace.id,
      name: String(name),
      description: '',
      content: workflowPlanSchema.parse({ steps, ...rest }),
    });
    return { id };
  };
  const start = async (
    workflow: { id: string },
    input: unknown = {},
    more: Record<string, unknown> = {},
    otherwise: Partial<RunStarter> = {},
  ) => {
    const body = startRunBody.parse({ workflow_id: workflow.id, notebook_id: system.notebook.id, input, ...more });
    const commands = new RunCommands({ ...system.starter, ...otherwise }, system.logger, system.home);
    return (await commands.start(system.caller, body, newId))._id;
  };
  return {
    define,
    start,
    /** Defined, started, and waited for. */
    async run(steps: unknown[], input: unknown = {}, more: Record<string, unknown> = {}) {
      return system.ended(await start(await define(steps, more), input));
    },
    async stepsOf(id: string) {
      const { run_steps } = await flowOf(system.caller, id);
      return Object.fromEntries(run_steps.map((step) => [step.address, step]));
    },
    async childrenOf(id: string) {
      const runs = await treeOf(system.caller, await findRun(system.caller, id));
      return runs.filter((run) => run._id !== id);
    },
    eventsOf: async (id: string) => (await allEntries(id)).flatMap(entryEvents),
  };
}

export const agent = (id: string, script: string, more: object = {}) => ({
  id,
  type: 'agent',
  agent: 'worker',
  input_mapping: `[script:${script}] Do it.`,
  ...more,
});
export const tool = (id: string, name: string, args: object, more: object = {}) => ({
  id,
  type: 'tool',
  tool: name,
  input_mapping: args,
  ...more,
});
export const wait = (id: string, duration: number | string, more: object = {}) => ({
  id,
  type: 'wait',
  duration,
  ...more,
});
