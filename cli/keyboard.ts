const CTRL_C = '\x03';
const CTRL_Z = '\x1a';

/**
 * The keyboard while no prompt is up: what is typed is neither shown between the lines nor kept for the next prompt,
 * which would take it for an answer that nobody meant to give.
 */
export class Keyboard {
  private readonly input = process.stdin;
  private listening = false;

  constructor(private readonly onInterrupt: () => void) {}

  listen(): void {
    if (this.listening) return;
    this.listening = true;
    this.input.setRawMode(true);
    this.input.on('data', this.hear).resume();
    process.on('SIGCONT', this.comeBack);
  }

  mute(): void {
    if (!this.listening) return;
    this.listening = false;
    process.off('SIGCONT', this.comeBack);
    this.input.off('data', this.hear).pause();
    this.input.setRawMode(false);
  }

  private readonly comeBack = (): void => {
    this.input.setRawMode(true);
  };

  private readonly hear = (data: Buffer | string): void => {
    const keys = data.toString();
    if (keys.includes(CTRL_C)) this.onInterrupt();
    if (keys.includes(CTRL_Z)) {
      this.input.setRawMode(false);
      process.kill(process.pid, 'SIGTSTP');
    }
  };
}
