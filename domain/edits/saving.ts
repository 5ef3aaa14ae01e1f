import type { Mismatched } from './mismatch.ts';

/** What goes between whoever saves a rollback, the workflow and its activity: ids and hashes, never text. */
export interface SaveInput {
  v: 1;
  checkpoint_id: string;
  rollback_id: string;
  /** Those that were begun before it was given have none. */
  heartbeat_ms?: number;
}

export type SaveOutcome =
  | { is: 'saved' }
  | { is: 'conflict'; files: Mismatched[] }
  | { is: 'failed'; code: 'no_notebook' | 'not_pending' | 'tool_failed'; message: string };

export const SAVE_ROLLBACK = 'saveRollback';
export const saveWorkflowId = ({
  checkpoint_id,
  rollback_id,
}: Pick<SaveInput, 'checkpoint_id' | 'rollback_id'>): string => `save:${checkpoint_id}:${rollback_id}`;
