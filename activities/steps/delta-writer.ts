import type { Logger } from 'pino';
import type { Scrubber } from '../../domain/scrubber.ts';
import { insertDelta } from '../../store/deltas.ts';

const BATCH_MS = 40;
/** Somebody waits for the first word; but an answer that is whole at once need not be told in pieces. */
const FIRST_MS = 8;

/** Text as it comes, without the secrets in it. */
type Scrubbed = ReturnType<Scrubber['stream']>;

/** Gathers what a model says and passes it on a few times a second. A lost delta costs a moment of display, no more. */
export class DeltaWriter {
  private offset = 0;
  private waiting = '';
  private secretless: Scrubbed | null = null;
  private timer: NodeJS.Timeout | null = null;
  private sending: Promise<void> = Promise.resolve();

  constructor(
    private readonly run: string,
    private readonly turn: number,
    private readonly attempt: number,
    private readonly scrubbed: () => Scrubbed,
    private readonly logger: Logger,
  ) {}

  write(text: string): void {
    this.secretless ??= this.scrubbed();
    this.waiting += this.secretless.push(text);
    if (this.waiting === '') return;
    this.timer ??= setTimeout(() => this.send(), this.offset === 0 ? FIRST_MS : BATCH_MS);
  }

  private send(): void {
    this.timer = null;
    const delta = { run_id: this.run, turn: this.turn, try: this.attempt, offset: this.offset, text: this.waiting };
    this.offset += this.waiting.length;
    this.waiting = '';
    this.sending = this.sending
      .then(() => insertDelta(delta))
      .catch((error: unknown) => this.logger.warn({ error, run_id: this.run }, 'a delta was not passed on'));
  }

  /** What has not been sent by now comes with the whole answer. */
  async end(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    await this.sending;
  }
}
