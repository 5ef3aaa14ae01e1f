import type { Client } from '@temporalio/client';
import { workflowIdOf } from '../domain/run-id.ts';
import { AGENT_RUN, DEFINITION_RUN } from './messages.ts';

export interface RunStarter {
  client: Client;
  taskQueue: string;
  heartbeatMs: number;
  maxHistory: number;
}

export interface RunToStart {
  run_id: string;
  workspace_id: string;
  /** Set where it is a workflow that runs. */
  definition_id?: string | null;
}

/** Starting a run that has been started is no error and changes nothing: record first, then this, as often as needed. */
export async function startAgentRun(
  { client, taskQueue, heartbeatMs, maxHistory }: RunStarter,
  { run_id, workspace_id, definition_id }: RunToStart,
  /** A workflow of this name has ended that did nothing. */
  { again = false } = {},
): Promise<void> {
  const started = client.workflow.start(definition_id ? DEFINITION_RUN : AGENT_RUN, {
    taskQueue,
    workflowId: workflowIdOf(run_id),
    workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    // A workflow task lost with its worker is given to another after this.
    workflowTaskTimeout: '3 seconds',
    args: [{ v: 1, run_id, workspace_id, segment: 0, arrived: [], heartbeat_ms: heartbeatMs, max_history: maxHistory }],
  });
  await started.catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'WorkflowExecutionAlreadyStartedError') throw error;
  });
}
