import { describe, expect, it } from 'vitest';
import type { ModelProvider } from '../../../activities/models/contract.ts';
import type { ModelMessage, StepRequest, ToolSchema } from '../../../domain/model.ts';

export const READ_FILE: ToolSchema = {
  name: 'read_file',
  description: 'Read a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};
const LIST_FILES: ToolSchema = {
  name: 'list_files',
  description: 'List files.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
};

export const OUTPUT_SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' }, files: { type: 'integer' } },
  required: ['answer', 'files'],
  additionalProperties: false,
};

export const request = (text: string, more: Partial<StepRequest> = {}): StepRequest => ({
  model: 'some-model',
  messages: [
    { role: 'system', content: 'You are an agent.' },
    { role: 'user', content: text },
  ],
  tools: [],
  max_tokens: 1000,
  ...more,
});

/** What a model server must be brought to say, in the words it takes to bring it there. */
export interface World {
  provider: () => ModelProvider;
  model: string;
  /** Answered in text, in more than one piece. */
  text: string;
  /** Answered with one call of list_files. */
  tool: string;
  /** Answered with several calls of read_file in one answer. */
  parallel: ModelMessage[];
  /** Answered in the form of OUTPUT_SCHEMA. */
  structured: string;
  /** Answered so slowly that there is time to abort it. */
  slow: string;
}

/** What every adapter owes the run, whoever is behind it. */
export function describeProvider(name: string, world: World): void {
  const ask = (text: string, more: Partial<StepRequest> = {}, onDelta?: (text: string) => void) =>
    world.provider().streamStep(request(text, { model: world.model, ...more }), {
      signal: new AbortController().signal,
      idleMs: 5_000,
      ...(onDelta ? { onDelta } : {}),
    });

  describe(`${name} keeps the provider contract`, () => {
    it('gives the text whole and in pieces that add up to it', async () => {
      const pieces: string[] = [];
      const result = await ask(world.text, {}, (piece) => pieces.push(piece));
      expect(result.assistant_message).not.toBe('');
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join('')).toBe(result.assistant_message);
      expect(result).toMatchObject({ tool_calls: [], proposed_edits: [], stop_reason: 'done' });
    });

    it('gives a tool call with its id and its arguments as an object', async () => {
      const result = await ask(world.tool, { tools: [LIST_FILES, READ_FILE] });
      expect(result.stop_reason).toBe('needs_tools');
      expect(result.tool_calls).toEqual([
        { tool_call_id: expect.stringMatching(/.+/), name: 'list_files', arguments: { path: '/' } },
      ]);
    });

    it('gives parallel tool calls in order, each with its own id', async () => {
      const { tool_calls } = await ask('', { messages: world.parallel, tools: [LIST_FILES, READ_FILE] });
      expect(tool_calls.map((call) => call.name)).toEqual(['read_file', 'read_file']);
      expect(tool_calls.map((call) => call.arguments.path)).toEqual(['/a.md', '/b.md']);
      expect(new Set(tool_calls.map((call) => call.tool_call_id)).size).toBe(2);
    });

    it('tells what the provider counted', async () => {
      const { raw_usage } = await ask(world.text);
      expect(raw_usage).toMatchObject({ model: world.model, estimated: false });
      expect(raw_usage.input).toBeGreaterThan(0);
      expect(raw_usage.output).toBeGreaterThan(0);
      expect(raw_usage.cached).toBeGreaterThanOrEqual(0);
    });

    it('asks for structured output where a schema is given', async () => {
      const { assistant_message } = await ask(world.structured, { output_schema: OUTPUT_SCHEMA });
      expect(JSON.parse(assistant_message)).toEqual({ answer: expect.any(String), files: expect.any(Number) });
    });

    it('aborts within 200 ms in the middle of an answer, with the reason of the signal', async () => {
      const controller = new AbortController();
      const reason = new Error('cancelled by a person');
      let abortedAt = 0;
      const call = world.provider().streamStep(request(world.slow, { model: world.model }), {
        signal: controller.signal,
        idleMs: 60_000,
        onDelta: () => {
          abortedAt ||= performance.now();
          controller.abort(reason);
        },
      });
      await expect(call).rejects.toBe(reason);
      expect(performance.now() - abortedAt).toBeLessThan(200);
    });

    it('makes no call at all once the signal is aborted', async () => {
      const call = world.provider().streamStep(request(world.text, { model: world.model }), {
        signal: AbortSignal.abort(new Error('too late')),
        idleMs: 1_000,
      });
      await expect(call).rejects.toThrow('too late');
    });
  });
}
