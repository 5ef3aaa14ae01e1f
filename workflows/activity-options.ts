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

export const explainOptions = (heartbeatMs: number): ActivityOptions => ({
  // One model call, which has an idle time-out of its own.
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: heartbeatMs,
  // Covers lost workers: a call that took its worker down five times is given up, since somebody waits for it.
  retry: { initialInterval: '50 milliseconds', backoffCoefficient: 2, maximumInterval: '1 second', maximumAttempts: 5 },
});

export const purgeOptions: ActivityOptions = {
  // It returns after 20 seconds by itself; only one tree with very many runs takes longer.
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  // Nobody waits for it: a store that is away is asked again now and then.
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};
