import type { Logger } from 'pino';
import type { RunLog } from '../store/event-log.ts';
import { projectRun } from '../store/run-projection.ts';

const SHOW_EVERY_MS = 1_000;

/** A record that shows a run at work, without holding the run up for it. */
export class Showing {
  private last = 0;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: RunLog,
    private readonly logger: Logger,
  ) {}

  update(): void {
    if (Date.now() - this.last < SHOW_EVERY_MS) return;
    this.last = Date.now();
    this.writing = projectRun(this.log, { retry_at: null }).catch((err: unknown) =>
      this.logger.warn({ err }, 'a run was not shown at work'),
    );
  }

  settled(): Promise<void> {
    return this.writing;
  }
}
