import type { Client } from '@temporalio/client';

const ACTIVITY_QUEUE = 2;
/** A worker asks for work at least once a minute, even when there is none. */
const SILENT_MS = 70_000;

/** Whether anybody takes work from the queue: without, runs are recorded and wait. */
export async function workersPolling({ workflowService, options }: Client, taskQueue: string): Promise<boolean> {
  const { pollers } = await workflowService.describeTaskQueue({
    namespace: options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: ACTIVITY_QUEUE,
  });
  const since = Date.now() / 1000 - SILENT_MS / 1000;
  return pollers.some(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) > since);
}
