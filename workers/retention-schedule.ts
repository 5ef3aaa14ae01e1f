import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { RETENTION, retentionId } from '../domain/retention.ts';

/** Has everything purged that is due, every hour. Whichever worker starts first makes it, the others find it. */
export async function ensureRetention(client: Client, taskQueue: string): Promise<void> {
  const scheduleId = retentionId(taskQueue);
  const wanted = {
    spec: { intervals: [{ every: '1 hour' as const }] },
    action: { type: 'startWorkflow' as const, workflowType: RETENTION, workflowId: scheduleId, taskQueue },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 minutes' as const },
  };
  try {
    await client.schedule.create({ scheduleId, ...wanted });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // One of an earlier version may be different; whether it is paused stays the operator's decision.
    await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...wanted, state }));
  }
}
