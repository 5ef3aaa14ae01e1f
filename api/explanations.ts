import type { Client } from '@temporalio/client';
import { Failure } from '../domain/failures.ts';
import { EXPLAIN_STEP, type ExplainInput, type ExplainOutcome, rationaleWorkflowId } from '../domain/rationale.ts';

export interface Explainer {
  client: Client;
  taskQueue: string;
  heartbeatMs: number;
}

/** How long a caller is kept; the workflow goes on without them. */
const HELD_MS = 60_000;

const unavailable = (cause: unknown): Failure =>
  new Failure('unavailable', 'The step cannot be explained now.', {}, { cause });

/**
 * Has a step explained, whoever asks for it first: callers at the same time share one workflow, and with it one model
 * call. False where it takes longer than a request may.
 */
export async function explainStep(
  { client, taskQueue, heartbeatMs }: Explainer,
  { run_id, step }: Pick<ExplainInput, 'run_id' | 'step'>,
  draining: AbortSignal,
): Promise<boolean> {
  const input: ExplainInput = { v: 1, run_id, step, heartbeat_ms: heartbeatMs };
  const patience = AbortSignal.any([draining, AbortSignal.timeout(HELD_MS)]);
  let outcome: ExplainOutcome;
  try {
    outcome = await client.withAbortSignal(patience, async () => {
      const handle = await client.workflow.start(EXPLAIN_STEP, {
        taskQueue,
        workflowId: rationaleWorkflowId(run_id, step),
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        // Without a worker nobody will ever answer: whoever asks later begins anew.
        workflowExecutionTimeout: '15 minutes',
        workflowTaskTimeout: '3 seconds',
        args: [input],
      });
      return (await handle.result()) as ExplainOutcome;
    });
  } catch (error) {
    if (patience.aborted) return false;
    throw unavailable(error);
  }
  if (outcome.is === 'failed') throw new Failure(outcome.code, outcome.message, { run_id, step_number: step });
  return true;
}
