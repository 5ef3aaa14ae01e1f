import { setTimeout as moment } from 'node:timers/promises';
import type { Caller } from '../domain/identity.ts';
import { hasEnded } from '../domain/run.ts';
import { isSealed } from '../store/log-reading.ts';
import type { RunRecord } from '../store/run-record.ts';
import { currentRun, findRun } from '../store/runs.ts';
import { type EventSource, whenOver } from './event-stream.ts';

/**
 * Until the run has ended, which gives true, the client is gone, or the time is up. Whoever wants nothing but this need
 * not read along.
 */
export function waitForEnd(source: Omit<EventSource, 'from'>, seconds: number): Promise<boolean> {
  const { hub, run } = source;
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      unfollow();
      settle();
    };
    const leave = () => finish(() => resolve(false));
    const end = () => finish(() => resolve(true));
    // Also what came before this was followed, and whatever the stream has missed.
    const look = () =>
      isSealed(run).then(
        (isOver) => isOver && end(),
        (error: unknown) => finish(() => reject(error)),
      );
    const timer = setTimeout(leave, seconds * 1000);
    const unfollow = hub.follow(run, {
      entry: ({ facts }) => {
        if (facts.some(({ kind }) => kind === 'ended')) end();
      },
      delta: () => undefined,
      gap: look,
    });
    whenOver(source, leave);
    void look();
  });
}

/** Whoever ends a run brings its record up to date a moment later, which is cheaper to wait for than to do it here. */
const MOMENTS_MS = [3, 6, 12, 24, 48];

/** The record of a run, a moment after it has ended as far as events tell. */
export async function endedRun(caller: Caller, id: string): Promise<RunRecord> {
  for (const ms of MOMENTS_MS) {
    await moment(ms);
    const run = await findRun(caller, id);
    if (hasEnded(run.status)) return run;
  }
  return currentRun(caller, id);
}
