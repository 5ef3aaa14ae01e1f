/** What goes between the workflow and a segment: ids and numbers only, never text. */
export interface SegmentInput {
  /** Version of this shape; a worker of a later build must still read it. */
  v: 1;
  run_id: string;
  /** Beside the run, so that its log and its record can be read at the same time. */
  workspace_id: string;
  segment: number;
  /** How long the history behind the run is by now, for whoever wants to see it. */
  history?: HistorySize;
}

export interface HistorySize {
  events: number;
  bytes: number;
  max_events: number;
}

export type SegmentOutcome =
  | { next: 'continue' }
  | {
      next: 'wait';
      ids: string[];
      /** Runs below that must have been started, and end, before this one can go on. */
      children?: string[];
      /** They were told in their logs to stop, and must be woken to see it. */
      cancelled?: true;
    }
  | { next: 'retry'; after_ms: number }
  | { next: 'ended' };

export interface AgentRunInput {
  v: 1;
  run_id: string;
  workspace_id: string;
  segment: number;
  /** Ids of answers that arrived before the history was cut, so that none is waited for again. */
  arrived: string[];
  /** Handed in, so that a deployment and a test can choose them and a replay sees what was chosen. */
  heartbeat_ms: number;
  max_history: number;
}
