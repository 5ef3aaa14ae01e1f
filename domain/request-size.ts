import type { ModelMessage, ToolSchema } from './model.ts';
import type { CallState, RunState } from './run-state.ts';

/** What of a tool's result is put before the model at once; the rest is kept, and read on from where it was cut. */
export const RESULT_CHARS = 20_000;

/** A result does not change, and is put before the model with every call after it. */
const resultTexts = new WeakMap<object, string>();

export function resultText({ finished }: CallState): string {
  if (!finished) return '';
  const text = resultTexts.get(finished) ?? written(finished);
  resultTexts.set(finished, text);
  return text;
}

function written(done: NonNullable<CallState['finished']>): string {
  if (!done.ok && done.error) {
    return JSON.stringify({ error: done.error.message, code: done.error.code, ...done.error.details });
  }
  return typeof done.result === 'string' ? done.result : JSON.stringify(done.result);
}

/** Tokens that so many bytes count at most: no text in use is denser than two bytes a token. */
export const boundOf = (bytes: number): number => Math.ceil(bytes / 2);

const encoder = new TextEncoder();
const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;

/** Schemas are made once and sent with every call. */
const schemaBytes = new WeakMap<ToolSchema, number>();

function bytesOfSchema(tool: ToolSchema): number {
  const bytes = schemaBytes.get(tool) ?? bytesOf(tool);
  schemaBytes.set(tool, bytes);
  return bytes;
}

/** As JSON: what stands between the schemas of a list counts too. */
export const requestBytes = (messages: ModelMessage[], tools: ToolSchema[]): number =>
  bytesOf(messages) + tools.reduce((sum, tool) => sum + bytesOfSchema(tool), Math.max(2, tools.length + 1));

/** What a request counts at most: what the provider counted for the last one, and the worst case of what is new. */
export function inputBound(state: RunState, bytes: number): number {
  const last = state.turns.findLast((turn) => turn.usage !== null && turn.bytes > 0);
  // After a summary the request is another one: nothing that was counted for the last is in it.
  if (!last?.usage || last.sums_up !== null || last.bytes > bytes) return boundOf(bytes);
  return Math.min(boundOf(bytes), last.usage.input + boundOf(bytes - last.bytes));
}
