import type { ModelMessage, ToolSchema } from './model.ts';
import type { CallState, RunState } from './run-state.ts';

/** What of a tool's result is put before the model at once; the rest is kept, and read on from where it was cut. */
export const RESULT_CHARS = 20_000;

export function resultText(call: CallState): string {
  const done = call.finished;
  if (!done) return '';
  if (!done.ok && done.error) {
    return JSON.stringify({ error: done.error.message, code: done.error.code, ...done.error.details });
  }
  return typeof done.result === 'string' ? done.result : JSON.stringify(done.result);
}

/** Tokens that so many bytes count at most: no text in use is denser than two bytes a token. */
export const boundOf = (bytes: number): number => Math.ceil(bytes / 2);

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

export const requestBytes = (messages: ModelMessage[], tools: ToolSchema[]): number =>
  bytesOf(messages) + bytesOf(tools);

/** What a request counts at most: what the provider counted for the last one, and the worst case of what is new. */
export function inputBound(state: RunState, bytes: number): number {
  const last = state.turns.findLast((turn) => turn.usage !== null && turn.bytes > 0);
  // After a summary the request is another one: nothing that was counted for the last is in it.
  if (!last?.usage || last.sums_up !== null || last.bytes > bytes) return boundOf(bytes);
  return Math.min(boundOf(bytes), last.usage.input + boundOf(bytes - last.bytes));
}
