import type { Logger } from 'pino';
import { type DiskPlaces, tidyDisk } from '../files/disk-upkeep.ts';
import { notebooksKnown } from '../store/checkout-leases.ts';

const ROUND_MS = 600_000;

/** The API has mirrors of the git notebooks that people look into, also on a machine where no executor tidies up. */
export class DiskUpkeep {
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly places: DiskPlaces,
    private readonly logger: Logger,
  ) {}

  start(): void {
    const round = () =>
      void this.once().catch((err: unknown) => this.logger.warn({ err }, 'keeping the disk small failed'));
    round();
    this.timer = setInterval(round, ROUND_MS);
  }

  /** What is under way is not waited for: whoever comes next finds what it left. */
  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  once(): Promise<void> {
    return tidyDisk(this.places, notebooksKnown);
  }
}
