import type { EndStatus } from '../domain/run.ts';
import type { Delta, RunEvent, ToolOutput } from '../domain/run-events.ts';

/** What a run tells while it goes on: lines of its log, text of an answer that is still being written, and what a tool call says while it is under way. */
export type RunItem =
  | { kind: 'event'; event: RunEvent }
  | { kind: 'delta'; delta: Delta }
  | { kind: 'output'; output: ToolOutput };

const ENDS: Record<`run.${EndStatus}`, EndStatus> = {
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
  'run.budget_exceeded': 'budget_exceeded',
};

/** How the run ended, where this event says that it did. */
export const endOf = (event: RunEvent): EndStatus | null => (ENDS as Record<string, EndStatus>)[event.type] ?? null;

export const isEndStatus = (status: string): boolean => Object.values<string>(ENDS).includes(status);

interface Answer {
  turn: number;
  try: number;
}

const isLater = (a: Answer, b: Answer): boolean => a.turn > b.turn || (a.turn === b.turn && a.try > b.try);

/**
 * Lets everything through once and in order, however often connections are lost and whatever is sent again. Text of an
 * answer is cut to what is new; text with a gap before it is left out, since the complete answer follows.
 */
export class TranscriptFilter {
  private closed: Answer = { turn: 0, try: 0 };
  private open: Answer & { length: number } = { turn: 0, try: 0, length: 0 };
  /** What each call under way has said, in characters; null once its result is there. */
  private readonly said = new Map<string, number | null>();

  constructor(public next: number) {}

  /** null: had already. 'gap': something before it is missing. */
  event(event: RunEvent): RunEvent | null | 'gap' {
    if (event.cursor < this.next) return null;
    if (event.cursor > this.next) return 'gap';
    this.next += 1;
    if (event.type === 'model.completed') {
      this.closed = { turn: Number(event.data.turn), try: Number(event.data.try) };
    }
    if (event.type === 'tool.completed') this.said.set(`${event.data.turn} ${event.data.call_id}`, null);
    return event;
  }

  delta(delta: Delta): Delta | null {
    if (!isLater(delta, this.closed) || isLater(this.open, delta)) return null;
    if (isLater(delta, this.open)) this.open = { turn: delta.turn, try: delta.try, length: 0 };
    const { length } = this.open;
    if (delta.offset > length) return null;
    const text = delta.text.slice(length - delta.offset);
    if (text === '') return null;
    this.open.length += text.length;
    return { ...delta, offset: length, text };
  }

  /** Of what a call says, like the text of an answer: what is new of it. */
  output(output: ToolOutput): ToolOutput | null {
    const call = `${output.turn} ${output.call_id}`;
    const length = this.said.get(call) ?? 0;
    if (this.said.get(call) === null || output.offset > length) return null;
    const text = output.text.slice(length - output.offset);
    if (text === '') return null;
    this.said.set(call, length + text.length);
    return { ...output, offset: length, text };
  }
}
