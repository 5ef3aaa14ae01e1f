import type { NotebookFiles } from '../files/notebook-files.ts';
import type { RunLog } from '../store/event-log.ts';
import type { RunRecord } from '../store/run-record.ts';

export interface CachedRun {
  run: RunRecord;
  log: RunLog;
  /** Of a folder; the checkout of a git notebook is opened by each segment, since it may be elsewhere by then. */
  files: Promise<NotebookFiles> | null;
}

const KEPT = 200;

/**
 * Runs this process carried lately, so that the next segment reads only what is new. Taken out while in use: two
 * attempts in one process must never share a log.
 */
export class RunCache {
  private readonly kept = new Map<string, CachedRun>();

  take(id: string): CachedRun | undefined {
    const found = this.kept.get(id);
    this.kept.delete(id);
    return found;
  }

  put(cached: CachedRun): void {
    this.kept.set(cached.run._id, cached);
    if (this.kept.size <= KEPT) return;
    const oldest = this.kept.keys().next();
    if (!oldest.done) this.kept.delete(oldest.value);
  }
}
