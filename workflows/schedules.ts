import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { cronParts, zoneName } from '../domain/cron.ts';
import type { Overlap, ScheduledRunInput } from '../domain/schedule.ts';
import { SCHEDULED_RUN } from './messages.ts';
import type { RunStarter } from './start.ts';

/** Of a schedule, all that Temporal needs to know: when, and which one. What is started then is read from its record. */
export interface WantedSchedule {
  _id: string;
  org_id: string;
  version: number;
  /** The last one that it was told of; 0 for none. */
  applied_version: number;
  cron_expression: string;
  time_zone: string;
  overlap: Overlap;
  is_active: boolean;
}

const OVERLAPS: Record<Overlap, ScheduleOverlapPolicy> = {
  skip: ScheduleOverlapPolicy.SKIP,
  buffer_one: ScheduleOverlapPolicy.BUFFER_ONE,
  buffer_all: ScheduleOverlapPolicy.BUFFER_ALL,
  cancel_other: ScheduleOverlapPolicy.CANCEL_OTHER,
  terminate_other: ScheduleOverlapPolicy.TERMINATE_OTHER,
  allow_all: ScheduleOverlapPolicy.ALLOW_ALL,
};

const handleOf = (client: Client, id: string): ScheduleHandle => client.schedule.getHandle(`schedule:${id}`);

function wantedOf({ taskQueue, heartbeatMs, maxHistory }: RunStarter, schedule: WantedSchedule) {
  const { _id: schedule_id, org_id, version, cron_expression, time_zone, overlap, is_active } = schedule;
  const input: ScheduledRunInput = {
    v: 1,
    org_id,
    schedule_id,
    version,
    heartbeat_ms: heartbeatMs,
    max_history: maxHistory,
  };
  return {
    spec: { cronExpressions: cronParts(cron_expression), timezone: zoneName(time_zone) },
    action: {
      type: 'startWorkflow' as const,
      workflowType: SCHEDULED_RUN,
      workflowId: `scheduled:${schedule_id}`,
      taskQueue,
      workflowTaskTimeout: '3 seconds' as const,
      args: [input],
    },
    // What was missed while nothing ran is made up for; what is older than this is not worth it any more.
    policies: { overlap: OVERLAPS[overlap], catchupWindow: '1 hour' as const },
    state: { paused: !is_active, note: `version ${version}` },
  };
}

/** Makes it in Temporal, or changes it there, to what is wanted. Safe to repeat. */
export async function applySchedule(starter: RunStarter, schedule: WantedSchedule): Promise<void> {
  const wanted = wantedOf(starter, schedule);
  const { client } = starter;
  const make = () => client.schedule.create({ scheduleId: `schedule:${schedule._id}`, ...wanted });
  const change = () => handleOf(client, schedule._id).update(() => wanted);
  try {
    if (schedule.applied_version === 0) await make();
    else await change();
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) await change();
    else if (error instanceof ScheduleNotFoundError) await make();
    else throw error;
  }
}

/** Gone from Temporal; what it has started goes on. */
export async function dropSchedule(client: Client, id: string): Promise<void> {
  try {
    await handleOf(client, id).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

/** The version Temporal has; null where it has none, or nobody can tell which. */
export async function knownVersion(client: Client, id: string): Promise<number | null> {
  try {
    const { state } = await handleOf(client, id).describe();
    const [, version] = /^version (\d+)$/.exec(state.note ?? '') ?? [];
    return version === undefined ? null : Number(version);
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

export type FiredAction = { outcome: 'started'; workflow_id: string } | { outcome: 'skipped' | 'requested' };

const LOOK_MS = 50;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const BUFFERS: ReadonlySet<Overlap> = new Set(['buffer_one', 'buffer_all']);
/** How many of its times begin once what runs now has ended. */
const waiting = ({ raw }: ScheduleDescription): number => Number(raw.info?.bufferSize ?? 0);

/** Fires it now, and waits a moment to see what comes of it. */
export async function fireSchedule(
  client: Client,
  id: string,
  overlap: Overlap,
  patienceMs: number,
): Promise<FiredAction> {
  const handle = handleOf(client, id);
  const found = await handle.describe();
  const before = found.info;
  // Named after the second it is fired in: two of one second would be taken for the same. Of those that wait their turn
  // nobody tells which second it was.
  const last = waiting(found) > 0 ? Date.now() : (before.recentActions.at(-1)?.scheduledAt.getTime() ?? 0);
  const rest = Math.floor(last / 1000) * 1000 + 1000 - Date.now();
  if (rest > 0) await pause(Math.min(rest, 1000));
  await handle.trigger(OVERLAPS[overlap]);
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    const now = await handle.describe();
    const { info } = now;
    const isInTurn = info.runningActions.length > 0 && waiting(now) > waiting(found);
    if (BUFFERS.has(overlap) && isInTurn) return { outcome: 'requested' };
    const latest = info.recentActions.at(-1);
    if (latest && info.numActionsTaken > before.numActionsTaken) {
      return { outcome: 'started', workflow_id: latest.action.workflow.workflowId };
    }
    if (info.numActionsSkippedOverlap > before.numActionsSkippedOverlap) return { outcome: 'skipped' };
    await pause(LOOK_MS);
  }
  return { outcome: 'requested' };
}

/** Fires it for all of its times from `start` to `end`, both of them included. */
export const backfillSchedule = (
  client: Client,
  id: string,
  { start, end, overlap }: { start: Date; end: Date; overlap: Overlap },
): Promise<void> => handleOf(client, id).backfill({ start, end, overlap: OVERLAPS[overlap] });
