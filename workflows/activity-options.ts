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

/** For an executor to take a segment of a run whose files it has. */
const LONGEST_WAIT_MS = 10_000;

export const executorOptions = (heartbeatMs: number, taskQueue: string): ActivityOptions => ({
  ...advanceOptions(heartbeatMs),
  taskQueue,
  // Nobody else reads the queue: an executor that does not take the work by then is gone, or as good as gone.
  scheduleToStartTimeout: Math.min(LONGEST_WAIT_MS, heartbeatMs * 2),
  // Tried again where its files will be, which is decided anew each time.
  retry: { maximumAttempts: 1 },
});

export const explainOptions = (heartbeatMs: number): ActivityOptions => ({
  // One model call, which has an idle time-out of its own.
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: heartbeatMs,
  // Covers lost workers: a call that took its worker down five times is given up, since somebody waits for it.
  retry: { initialInterval: '50 milliseconds', backoffCoefficient: 2, maximumInterval: '1 second', maximumAttempts: 5 },
});

export const embedQueryOptions: ActivityOptions = {
  // Somebody waits, and is given what words find where this takes longer.
  startToCloseTimeout: '10 seconds',
  // Covers a lost worker; a provider that is away is told.
  retry: { initialInterval: '50 milliseconds', maximumAttempts: 2 },
};

export const saveOptions = (heartbeatMs: number): ActivityOptions => ({
  // As long as an apply has, which writes as many files: only a hung disk is cut off.
  startToCloseTimeout: '16 minutes',
  // Somebody waits for it: a worker that died over thousands of files is noticed by this, not by the time they take.
  heartbeatTimeout: heartbeatMs,
  // What was begun is known by its journal, so any worker may go on with it.
  retry: { initialInterval: '100 milliseconds', backoffCoefficient: 2, maximumInterval: '2 seconds' },
});

export const inspectOptions = (): ActivityOptions => ({
  // Longer than it takes a server that is there to start and to say what it is.
  startToCloseTimeout: '40 seconds',
  // Covers a lost worker; a server that is not there is a finding.
  retry: { initialInterval: '50 milliseconds', maximumInterval: '1 second', maximumAttempts: 3 },
});

export const beginOptions: ActivityOptions = {
  // A handful of reads and a write.
  startToCloseTimeout: '1 minute',
  // A store that is away is asked again for as long as it takes: what was due must not be lost.
  retry: { initialInterval: '100 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
};

export const purgeOptions: ActivityOptions = {
  // It returns after 20 seconds by itself; only one tree with very many runs takes longer.
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  // Nobody waits for it: a store that is away is asked again now and then.
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};
