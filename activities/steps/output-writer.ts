import type { Logger } from 'pino';
import type { Scrubber } from '../../domain/scrubber.ts';
import { insertOutput } from '../../store/outputs.ts';

const BATCH_MS = 100;
/** Nobody reads faster; the whole is in the evidence. */
const BATCH_CHARS = 8_000;
/** Beyond this only the result tells. */
const MOST_CHARS = 1_000_000;

/** Passes on what a call says while it is under way, without secrets, in pieces that join on to each other. */
export class OutputWriter {
  private offset = 0;
  private waiting = '';
  private secretless: ReturnType<Scrubber['stream']> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private sending: Promise<void> | null = null;
  private ended = false;

  constructor(
    private readonly call: { run_id: string; turn: number; call_id: string },
    private readonly scrubbed: () => ReturnType<Scrubber['stream']>,
    private readonly logger: Logger,
  ) {}

  write(text: string): void {
    this.secretless ??= this.scrubbed();
    this.waiting += this.secretless.push(text);
    if (this.waiting.length > 2 * BATCH_CHARS) {
      const left = this.waiting.length - BATCH_CHARS;
      this.waiting = `[… ${left} characters …]\n${this.waiting.slice(left)}`;
    }
    this.schedule();
  }

  private schedule(): void {
    if (this.waiting === '' || this.ended || this.timer || this.sending || this.offset > MOST_CHARS) return;
    this.timer = setTimeout(() => this.send(), BATCH_MS);
  }

  /** One at a time: what was not taken is sent again with the next, so that no piece is missing in between. */
  private send(): void {
    this.timer = null;
    const text = this.waiting;
    this.waiting = '';
    this.sending = insertOutput({ ...this.call, offset: this.offset, text })
      .then(
        () => {
          this.offset += text.length;
        },
        (err: unknown) => {
          this.waiting = text + this.waiting;
          this.logger.warn({ err, run_id: this.call.run_id }, 'what a call said was not passed on');
        },
      )
      .then(() => {
        this.sending = null;
        this.schedule();
      });
  }

  /** What has not been sent by now comes with the result. */
  async end(): Promise<void> {
    this.ended = true;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    await this.sending;
  }
}
