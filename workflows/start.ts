import type { Client } from '@temporalio/client';
import { AGENT_RUN, workflowIdOf } from './messages.ts';

export interface RunStarter {
  client: Client;
  taskQueue: string;
  heartbeatMs: number;
  maxHistory: number;
}

/** Starting a run that has been started is no error and changes nothing: record first, then this, as often as needed. */
export async function startAgentRun({ client, taskQueue, heartbeatMs, maxHistory }: RunStarter, runId: string): Promise<void> {
  await client.workflow.start(AGENT_RUN, {
    taskQueue,
    workflowId: workflowIdOf(runId),
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    // A workflow task lost with its worker is given to another after this.
    workflowTaskTimeout: '3 seconds',
    args: [{ v: 1, run_id: runId, segment: 0, arrived: [], heartbeat_ms: heartbeatMs, max_history: maxHistory }],
  });
}
