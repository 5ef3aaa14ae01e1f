import { ApplicationFailure, type Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { workflowIdOf } from '../domain/run-id.ts';
import { WORKER_GONE } from '../domain/segment.ts';
import { runsUnderWay } from '../store/run-upkeep.ts';
import { identityText, isDeadNeighbour, readIdentity, type WorkerIdentity } from './identity.ts';

const MOST_RUNS = 1000;
const AT_ONCE = 20;
const STARTED = 2;

/** Known by its type to the workflow: the files an executor held are looked for elsewhere, and not asked for again. */
const gone = (holder: string): ApplicationFailure =>
  ApplicationFailure.create({ type: WORKER_GONE, message: `the worker ${holder} is gone` });

/**
 * Fails the activities that a dead worker on this host still holds, so that its runs go on at once instead of when
 * their heartbeat is found missing. The fence of the log makes this safe even if the judgement were wrong.
 */
export async function takeOver(client: Client, self: WorkerIdentity, logger: Logger): Promise<number> {
  const runs = await runsUnderWay(MOST_RUNS);
  let taken = 0;
  const one = async (runId: string): Promise<void> => {
    const workflowId = workflowIdOf(runId);
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    for (const activity of raw.pendingActivities ?? []) {
      const holder = readIdentity(activity.lastWorkerIdentity ?? '');
      if (activity.state !== STARTED || !holder || !activity.activityId || !isDeadNeighbour(holder, self)) continue;
      await client.activity.fail({ workflowId, activityId: activity.activityId }, gone(identityText(holder)));
      taken += 1;
    }
  };
  const queue = runs.map((run) => run._id);
  const serve = async (): Promise<void> => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      // A run that ended meanwhile, or was never started, has nothing to take over.
      await one(id).catch((error: unknown) => logger.debug({ err: error, run_id: id }, 'nothing to take over'));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, serve));
  return taken;
}
