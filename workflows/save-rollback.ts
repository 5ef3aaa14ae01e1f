import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { SaveInput, SaveOutcome } from '../domain/edits/saving.ts';
import { saveOptions } from './activity-options.ts';

const HEARTBEAT_MS = 30_000;

/** A rollback on its way to disk: begun once, it is finished whoever dies. */
export async function saveRollback(input: SaveInput): Promise<SaveOutcome> {
  return proxyActivities<Activities>(saveOptions(input.heartbeat_ms ?? HEARTBEAT_MS)).saveRollback(input);
}
