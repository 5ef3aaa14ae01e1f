import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { SaveInput, SaveOutcome } from '../domain/edits/saving.ts';
import { saveOptions } from './activity-options.ts';

/** A rollback on its way to disk: begun once, it is finished whoever dies. */
export async function saveRollback(input: SaveInput): Promise<SaveOutcome> {
  return proxyActivities<Activities>(saveOptions).saveRollback(input);
}
