/** Words that the contract fixes, without their schemas: for who only names them, such as the manual of the command line. */

export const RUN_STATUSES = [
  'queued',
  'running',
  'paused',
  'waiting_for_user',
  'awaiting_confirmation',
  'awaiting_review',
  'completed',
  'failed',
  'cancelled',
  'budget_exceeded',
] as const;

export const TRIGGERS = ['chat', 'event', 'schedule', 'sdk', 'delegation', 'workflow'] as const;

export const OPERATIONS = ['read', 'write', 'create', 'delete', 'execute'] as const;

/** In a list of what an agent may use, or passes on: all there is in the workspace. */
export const ALL = '*';
