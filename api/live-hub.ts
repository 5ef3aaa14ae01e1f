import type { Logger } from 'pino';
import type { Entry } from '../domain/log-entry.ts';
import type { Delta, ToolOutput } from '../domain/run-events.ts';
import { watchLog } from '../store/log-watch.ts';
import { SharedReads } from './shared-reads.ts';

export interface RunListener {
  entry: (entry: Entry) => void;
  delta: (delta: Delta) => void;
  output?: (output: ToolOutput) => void;
  /** Something may have been missed. */
  gap: () => void;
}

export interface RunChange {
  run_id: string;
  workspace_id: string;
  type: string;
  /** Of a run that begins in a session: who shows the session has a new run to follow. */
  conversation_id?: string;
}
export type RunChanged = (change: RunChange) => void;

const STATUS_CHANGES: Record<string, string> = {
  started: 'run.started',
  action_pending: 'action.pending',
  action_decided: 'action.decided',
  question_asked: 'clarification.requested',
  question_answered: 'clarification.received',
  edits_proposed: 'diff.generated',
  conflict_detected: 'conflict.detected',
  apply_requested: 'apply.started',
  rerun_requested: 'review.updated',
  // What a run below asks waits in the one above it too.
  child_asked: 'run.asked',
  child_answered: 'run.answered',
  ended: 'run.ended',
};

/** One change stream for the whole process, handed on to whoever follows a run here. */
export class LiveHub {
  /** What followers of the same run read to catch up. */
  readonly reads = new SharedReads();
  private readonly listeners = new Map<string, Set<RunListener>>();
  private readonly close: () => Promise<void>;
  private onChange: RunChanged = () => undefined;

  constructor(logger: Logger) {
    this.close = watchLog(
      {
        entry: (run, workspace, entry) => {
          for (const listener of this.listeners.get(run) ?? []) listener.entry(entry);
          const changed = entry.facts.map((fact) => STATUS_CHANGES[fact.kind]).findLast((type) => type !== undefined);
          const queued = entry.facts.find((fact) => fact.kind === 'queued');
          const session = queued?.conversation_id ? { conversation_id: queued.conversation_id } : {};
          if (changed) this.onChange({ run_id: run, workspace_id: workspace, type: changed, ...session });
        },
        delta: (delta) => {
          for (const listener of this.listeners.get(delta.run_id) ?? []) listener.delta(delta);
        },
        output: (output) => {
          for (const listener of this.listeners.get(output.run_id) ?? []) listener.output?.(output);
        },
        gap: () => {
          for (const set of this.listeners.values()) for (const listener of set) listener.gap();
        },
      },
      (err) => logger.warn({ err }, 'the watch on the log broke off and is taken up again'),
    );
  }

  follow(run: string, listener: RunListener): () => void {
    const set = this.listeners.get(run) ?? new Set();
    this.listeners.set(run, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.listeners.get(run) === set) this.listeners.delete(run);
    };
  }

  /** Told of every run that starts, begins or stops to wait, or ends. */
  whenRunsChange(tell: RunChanged): void {
    this.onChange = tell;
  }

  stop(): Promise<void> {
    return this.close();
  }
}
