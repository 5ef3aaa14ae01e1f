import type { ToolOutput } from '../domain/run-events.ts';

/** Of a line that was written over again and again, as progress is shown, what stands there at last. */
const lastOverwrite = (text: string): string => text.replace(/\r$/, '').split('\r').at(-1) ?? '';

/** What calls under way say: whole lines, each once; the result tells the rest. */
export class CallOutput {
  /** How much of each, and the line that is not whole yet. */
  private readonly said = new Map<string, { length: number; line: string }>();

  linesOf({ turn, call_id, offset, text: piece }: ToolOutput): string[] {
    const key = `${turn} ${call_id}`;
    const said = this.said.get(key) ?? { length: 0, line: '' };
    if (offset > said.length) return [];
    const fresh = piece.slice(said.length - offset);
    const lines = (said.line + fresh).split('\n');
    this.said.set(key, { length: said.length + fresh.length, line: lines.pop() ?? '' });
    return lines.map(lastOverwrite);
  }
}
