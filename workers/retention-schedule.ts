import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { RETENTION, retentionId } from '../domain/retention.ts';

/**
 * Has everything purged that is due, every hour and whenever a worker starts: a machine that is on for half an hour a
 * day would never see the hour strike. Whichever worker starts first makes it, the others find it.
 */
export async function ensureRetention(client: Client, taskQueue: string): Promise<void> {
  const scheduleId = retentionId(taskQueue);
  const wanted = {
    spec: { intervals: [{ every: '1 hour' as const }] },
    action: { type: 'startWorkflow' as const, workflowType: RETENTION, workflowId: scheduleId, taskQueue },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 minutes' as const },
  };
  try {
    await client.schedule.create({ scheduleId, ...wanted, state: { triggerImmediately: true } });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // One of an earlier version may be different; whether it is paused stays the operator's decision.
    const schedule = client.schedule.getHandle(scheduleId);
    let isPaused = false;
    await schedule.update(({ state }) => {
      isPaused = state.paused;
      return { ...wanted, state };
    });
    if (!isPaused) await schedule.trigger(ScheduleOverlapPolicy.BUFFER_ONE);
  }
}
