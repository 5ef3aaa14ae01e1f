import type { Logger } from 'pino';
import type { RunLog } from '../store/event-log.ts';
import { projectRun } from '../store/run-projection.ts';

const SHOW_EVERY_MS = 2_000;
/** The call that was just made is what everybody waits for: until it has left, nothing else is begun. */
const AFTER_MS = 10;

/** A record that shows a run at work, without holding the run up for it. */
export class Showing {
  private last = 0;
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: RunLog,
    private readonly logger: Logger,
  ) {}

  update(): void {
    if (this.timer || Date.now() - this.last < SHOW_EVERY_MS) return;
    this.timer = setTimeout(() => this.begin(), AFTER_MS);
  }

  private begin(): void {
    this.timer = null;
    // An answer came faster than that, and is on its way to the log: shown with the next call.
    if (this.log.hasStaged) return;
    this.last = Date.now();
    this.writing = projectRun(this.log, { retry_at: null }).catch((err: unknown) =>
      this.logger.warn({ err }, 'a run was not shown at work'),
    );
  }

  /** Nothing is written after this: what is to be shown now is known better by whoever asks. */
  settled(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    return this.writing;
  }
}
