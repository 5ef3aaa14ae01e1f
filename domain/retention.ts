/** What goes between the retention workflow and its activity: where it is, never what was purged. */
export interface PurgePlace {
  policy: string;
  /** The last one that was looked at under it; null at its beginning. */
  after: string | null;
}

export interface PurgeInput {
  v: 1;
  /** null to begin. */
  place: PurgePlace | null;
}

export interface PurgeOutcome {
  purged: number;
  /** null when all policies were gone through. */
  next: PurgePlace | null;
}

export const RETENTION = 'retention';
/** One for each task queue, so that installations that share a namespace have their own. */
export const retentionId = (taskQueue: string): string => `retention:${taskQueue}`;
