import type { ActivityOptions } from '@temporalio/workflow';
import { ActivityCancellationType } from '@temporalio/workflow';

export const advanceOptions = (heartbeatMs: number): ActivityOptions => ({
  // Longer than the longest single call a segment may be in when its time is up, so that only a hung one is cut.
  startToCloseTimeout: '16 minutes',
  // A worker that died is noticed by this; shorter makes zombies of workers that are merely busy.
  heartbeatTimeout: heartbeatMs,
  // Covers lost workers and engines only: what a step can fail with is in the log and decided by the workflow.
  // Never longer than a second: tries are also used up by a stopped worker, whose open polls still draw work.
  retry: { initialInterval: '50 milliseconds', backoffCoefficient: 2, maximumInterval: '1 second' },
  // The segment that is told to stop still has to write how it stopped.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
