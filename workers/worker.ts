import type { NativeConnection } from '@temporalio/worker';
import { type InjectedSinks, Worker, type WorkerOptions } from '@temporalio/worker';
import { type ActivityDeps, createActivities } from '../activities/index.ts';
import { RecordsAhead } from '../activities/records-ahead.ts';
import type { RunSinks } from '../workflows/messages.ts';
import { identityText, ownIdentity } from './identity.ts';

export interface AgentWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  workflowBundle: NonNullable<WorkerOptions['workflowBundle']>;
  /** How long a call under way may go on after the worker was asked to go. */
  graceMs: number;
  deps: ActivityDeps;
}

/** Sized by measurement: see `npm run bench -- overhead`. */
export function createWorker({
  connection,
  namespace,
  taskQueue,
  workflowBundle,
  graceMs,
  deps,
}: AgentWorkerOptions): Promise<Worker> {
  const ahead = new RecordsAhead();
  const sinks: InjectedSinks<RunSinks> = { records: { soon: { fn: (_, runId) => ahead.ask(runId) } } };
  return Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle,
    activities: createActivities(deps, ahead),
    sinks,
    identity: identityText(ownIdentity()),
    shutdownGraceTime: graceMs,
    // A workflow whose worker died is offered to all others after this.
    stickyQueueScheduleToStartTimeout: '1 second',
    workflowThreadPoolSize: 1,
    // One that waits for a person holds 400 KB here, and none where it is replayed when the answer comes.
    maxCachedWorkflows: 300,
    maxConcurrentActivityTaskExecutions: 200,
    // Segments are long and few: more polls would only give a stopped worker more work to sit on.
    maxConcurrentActivityTaskPolls: 3,
    maxConcurrentWorkflowTaskExecutions: 100,
  });
}
