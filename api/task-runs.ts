import type { Agent } from '../domain/agent.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { type Task, taskInput } from '../domain/task.ts';
import type { RunCommands } from './run-commands.ts';

type Words = Pick<Task, 'title' | 'description' | 'notebook_id' | 'workspace_id'>;

/**
 * Starts the run of an assignment. `assign` is called once nothing speaks against it, and before the run is made: a
 * task that names its run is never forgotten, whichever process dies.
 */
export async function startTaskRun(
  runs: RunCommands,
  caller: Caller,
  { title, description, notebook_id, workspace_id }: Words,
  { agentId, newId }: { agentId: string; newId: (prefix: string) => string },
  assign?: (run: { id: string; agent: Agent }) => Promise<unknown>,
): Promise<void> {
  const input = taskInput({ title, description });
  const body = { agent_id: agentId, input, trigger_type: 'sdk' as const, ...(notebook_id ? { notebook_id } : {}) };
  await runs.start(caller, body, newId, {
    source: `task: ${title}`,
    before: async (run) => {
      if (run.agent.workspace_id !== workspace_id) {
        throw new Failure('not_found', `The workspace of this task has no agent ${agentId}.`, { agent_id: agentId });
      }
      await assign?.(run);
    },
  });
}
