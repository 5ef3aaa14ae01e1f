/** What goes between the workflow and a segment: ids and numbers only, never text. */
export interface SegmentInput {
  /** Version of this shape; a worker of a later build must still read it. */
  v: 1;
  run_id: string;
  /** Beside the run, so that its log and its record can be read at the same time. */
  workspace_id: string;
  segment: number;
}

export type SegmentOutcome =
  | { next: 'continue' }
  | { next: 'wait'; ids: string[] }
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
