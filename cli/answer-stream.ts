import type { Delta } from '../domain/run-events.ts';
import { line, type Piece } from './screen.ts';
import { harmless, type Style } from './style.ts';

/** The answer of the model as it is written, each part of it shown once. */
export class AnswerStream {
  private answer = { turn: 0, try: 0, text: '', shown: 0 };

  constructor(private readonly style: Style) {}

  /** A new try tells the whole answer again: what stands there of the last one is marked as left. */
  begin(turn: number, attempt: number): Piece[] {
    const { turn: lastTurn, try: lastTry, shown } = this.answer;
    if (turn === lastTurn && attempt === lastTry) return [];
    this.answer = { turn, try: attempt, text: '', shown: 0 };
    const broken = shown > 0 && turn === lastTurn;
    return broken ? [line(this.style('dim', '… broke off there; the answer begins again'))] : [];
  }

  goOn({ turn, try: attempt, offset, text: piece }: Delta): Piece[] {
    const begun = this.begin(turn, attempt);
    if (offset > this.answer.text.length) return begun;
    return [...begun, ...this.showUpTo(this.answer.text.slice(0, offset) + piece)];
  }

  /** As it was kept; where that is not what was shown, it is shown again. */
  end(turn: number, attempt: number, whole: string): Piece[] {
    const begun = this.begin(turn, attempt);
    const differs = !whole.startsWith(this.answer.text);
    if (differs) this.answer.shown = 0;
    const rest = [...(differs ? [line()] : []), ...this.showUpTo(whole)];
    this.drop();
    return whole === '' ? begun : [...begun, ...rest, { inline: whole.endsWith('\n') ? '' : '\n' }];
  }

  /** What stands there is over, whatever it was. */
  drop(): void {
    this.answer.shown = 0;
  }

  /** Half a character (the first of two surrogates) waits for its other half. */
  private showUpTo(whole: string): Piece[] {
    const { shown } = this.answer;
    const ready = /[\ud800-\udbff]$/.test(whole) ? whole.length - 1 : whole.length;
    this.answer.text = whole;
    if (ready <= shown) return [];
    this.answer.shown = ready;
    return [{ inline: harmless(whole.slice(shown, ready)) }];
  }
}
