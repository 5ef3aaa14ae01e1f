/** What is shown: text that goes on where the last text ended, or lines that begin on their own. */
export type Piece = { inline: string } | { line: string };

export const line = (text = ''): Piece => ({ line: text });

interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

const ERASE_LINE = '\r\x1b[K';

/** Keeps whole lines whole, and a passing word about what is going on below them on a terminal. */
export class Screen {
  private atStart = true;
  private passing = '';
  private held: Piece[] | null = null;

  constructor(private readonly output: Output) {}

  show(pieces: Piece[]): void {
    if (this.held) {
      this.held.push(...pieces);
      return;
    }
    for (const piece of pieces) {
      if ('inline' in piece) this.write(piece.inline);
      else this.write(`${this.atStart ? '' : '\n'}${piece.line}\n`);
    }
  }

  private write(text: string): void {
    if (text === '') return;
    this.erase();
    this.output.write(text);
    this.atStart = text.endsWith('\n');
  }

  private erase(): void {
    if (this.passing !== '') this.output.write(ERASE_LINE);
    this.passing = '';
  }

  /** Overwritten by whatever comes next; nothing on what is no terminal, and nothing in the middle of a line. */
  pass(text: string): void {
    if (!this.output.isTTY || this.held || !this.atStart || text === this.passing) return;
    this.erase();
    this.passing = text.slice(0, Math.max(1, (this.output.columns ?? 80) - 1));
    this.output.write(`\x1b[2m${this.passing}\x1b[22m`);
  }

  /** While somebody else writes to the terminal (a prompt, an editor), what comes is kept back. */
  hold(): void {
    if (!this.atStart) this.write('\n');
    this.erase();
    this.held ??= [];
  }

  release(): void {
    const pieces = this.held ?? [];
    this.held = null;
    this.show(pieces);
  }
}
