import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { PurgeInput } from '../domain/retention.ts';
import { purgeOptions } from './activity-options.ts';

const MOST_EVENTS = 1_000;

/** Started by its schedule; one at a time. Gives how many things were purged since its history began. */
export async function retention(input: PurgeInput = { v: 1, place: null }): Promise<number> {
  const { purge } = proxyActivities<Activities>(purgeOptions);
  let { place } = input;
  let purged = 0;
  for (;;) {
    const done = await purge({ v: 1, place });
    purged += done.purged;
    if (done.next === null) return purged;
    place = done.next;
    if (workflowInfo().historyLength > MOST_EVENTS) await continueAsNew<typeof retention>({ v: 1, place });
  }
}
