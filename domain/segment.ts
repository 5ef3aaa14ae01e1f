/** What goes between the workflow and a segment: ids and numbers only, never text. */
export interface SegmentInput {
  /** Version of this shape; a worker of a later build must still read it. */
  v: 1;
  run_id: string;
  /** Beside the run, so that its log and its record can be read at the same time. */
  workspace_id: string;
  segment: number;
  /** Known to work on a git notebook: it is to be told which executor has its files. */
  needs_executor?: true;
  /** The queue of the executor that did not answer: another one is to have the files. */
  lost?: string;
  /** How long the history behind the run is by now, for whoever wants to see it. */
  history?: HistorySize;
  /** Runs below that the workflow still waits for. */
  below?: number;
}

/** The type of the failure by which a segment is given up whose worker is known to be dead. */
export const WORKER_GONE = 'WorkerGone';

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
      /** Those of them that are runs of workflows. */
      definitions?: string[];
      /** Looked at again after this, whatever has come by then. */
      after_ms?: number;
      /** Those of them that were told to stop, where not all were. */
      stopped?: string[];
      /** They were told in their logs to stop, and must be woken to see it. */
      cancelled?: true;
    }
  | { next: 'retry'; after_ms: number }
  /** Its files are, or shall be, on an executor, which is asked through a queue of its own. */
  | { next: 'executor'; queue: string }
  /** This executor has not got them, or is about to go. */
  | { next: 'move' }
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
