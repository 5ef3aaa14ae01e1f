import type { Logger } from 'pino';
import type { RunStarter } from '../workflows/start.ts';
import { EventCommands } from './event-commands.ts';
import { ScheduleCommands } from './schedule-commands.ts';

const ROUND_MS = 2_000;
/** Longer than anything takes that is still under way. */
const GRACE_MS = 6_000;
/** How often what Temporal has is compared with what is wanted. */
const COMPARE_MS = 600_000;
const BATCH = 100;

/**
 * Finds what fell between record and Temporal: schedules whose last change it was not told of, or that it has lost, and
 * deliveries that were recorded and never started. Every API process looks, at its start at all of them.
 */
export class TriggerUpkeep {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();
  private readonly schedules: ScheduleCommands;
  private readonly events: EventCommands;
  private comparedAll = false;

  constructor(
    starter: RunStarter,
    private readonly logger: Logger,
  ) {
    this.schedules = new ScheduleCommands(starter, logger);
    this.events = new EventCommands(starter, logger);
  }

  start(): void {
    const began = Date.now();
    this.timer = setInterval(() => {
      this.round = this.round
        .then(() => this.once(Date.now(), this.comparedAll ? undefined : began))
        .catch((err: unknown) => this.logger.warn({ err }, 'looking after schedules and deliveries failed'));
    }, ROUND_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.round;
  }

  /** Compares with Temporal what nobody has compared since `compared`. */
  async once(now = Date.now(), compared = now - COMPARE_MS): Promise<void> {
    await this.events.startWaiting(new Date(now - GRACE_MS), BATCH);
    const before = { changed: new Date(now - GRACE_MS), compared: new Date(compared), now: new Date(now) };
    while ((await this.schedules.reconcile(before, BATCH)) === BATCH);
    this.comparedAll = true;
  }
}
