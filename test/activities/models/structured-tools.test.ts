import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createProviders } from '../../../activities/models/index.ts';
import { parseModel, type StepRequest } from '../../../domain/model.ts';
import type { Lack } from '../../../domain/model-settings.ts';
import { type Script, ScriptedModel } from '../../doubles/scripted-model.ts';
import { OUTPUT_SCHEMA, READ_FILE, request } from './provider-contract.ts';

let model: ScriptedModel;
beforeAll(async () => {
  model = await ScriptedModel.start();
});
afterEach(() => expect(model.unexpected).toEqual([]));
afterAll(() => model.close());

let scripts = 0;
function ask(lacks: Lack[], script: Script, more: Partial<StepRequest>, onDelta = (_: string) => {}) {
  const name = `envelope-${++scripts}`;
  model.script(name, script);
  const provider = createProviders({ openai_base_url: model.url, compatible_lacks: lacks })(
    parseModel('openai-compatible/small'),
  );
  const { messages = [], ...rest } = more;
  const wanted = request(`[script:${name}]`, rest);
  const answer = provider.streamStep(
    { ...wanted, messages: [...wanted.messages, ...messages] },
    { signal: new AbortController().signal, idleMs: 5_000, onDelta },
  );
  return { name, answer };
}
const said = (content: object) => [{ text: JSON.stringify(content) }];
const call = (path: string) => ({ name: 'read_file', arguments: { path } });

describe('[4] a server without tool calls of its own', () => {
  it('is told of the tools in words, and asked for calls in a schema', async () => {
    const { name, answer } = ask(
      ['tools'],
      [[], ...said({ say: 'I look.', tool_calls: [call('/a.md'), call('/b.md')] })],
      {
        tools: [READ_FILE],
        messages: [
          {
            role: 'assistant',
            content: '',
            tool_calls: [{ tool_call_id: 'call_1_1', name: 'read_file', arguments: { path: '/c' } }],
          },
          { role: 'tool', tool_call_id: 'call_1_1', name: 'read_file', content: 'text of c' },
          { role: 'user', content: 'Be quick.' },
        ],
      },
    );
    expect(await answer).toMatchObject({
      assistant_message: 'I look.',
      stop_reason: 'needs_tools',
      tool_calls: [
        { tool_call_id: 'call_2_1', name: 'read_file', arguments: { path: '/a.md' } },
        { tool_call_id: 'call_2_2', name: 'read_file', arguments: { path: '/b.md' } },
      ],
    });
    const sent = model.callsOf(name)[0]?.request;
    expect(sent?.tools).toEqual([]);
    expect(sent?.messages.map((message) => message.role)).toEqual(['system', 'system', 'user', 'assistant', 'user']);
    expect(sent?.messages[1]?.content).toContain('read_file: Read a file.');
    expect(sent?.messages[3]?.content).toBe('{"say":"","tool_calls":[{"name":"read_file","arguments":{"path":"/c"}}]}');
    expect(sent?.messages[4]?.content).toBe('Result of read_file (call_1_1):\ntext of c\n\nBe quick.');
    expect(sent).toMatchObject({
      response_format: {
        type: 'json_schema',
        json_schema: {
          schema: {
            required: ['say', 'tool_calls'],
            properties: { tool_calls: { items: { anyOf: [{ properties: { name: { const: 'read_file' } } }] } } },
          },
        },
      },
    });
  });

  it('is heard without its envelope', async () => {
    const pieces: string[] = [];
    const { answer } = ask(['tools'], said({ say: 'All done.', tool_calls: [] }), { tools: [READ_FILE] }, (text) =>
      pieces.push(text),
    );
    expect(await answer).toMatchObject({ assistant_message: 'All done.', tool_calls: [], stop_reason: 'done' });
    expect(pieces.join('')).toBe('All done.');
  });

  it('gives its result in the schema asked for, beside the tools', async () => {
    const output = { answer: 'yes', files: 3 };
    const { answer } = ask(['tools'], said({ say: '', tool_calls: [], output }), {
      tools: [READ_FILE],
      output_schema: OUTPUT_SCHEMA,
    });
    expect(JSON.parse((await answer).assistant_message)).toEqual(output);
  });

  it.each(['I cannot.', '{"tool_calls": "no"}', '[]'])(
    'that answers outside of the envelope is malformed: %s',
    async (text) => {
      const { answer } = ask(['tools'], [{ text }], { tools: [READ_FILE] });
      await expect(answer).rejects.toMatchObject({ code: 'malformed_answer', details: { retryable: true } });
    },
  );

  it('is asked as any other where there are no tools to call', async () => {
    const { name, answer } = ask(['tools'], [{ text: 'Hello.' }], {});
    expect(await answer).toMatchObject({ assistant_message: 'Hello.' });
    expect(model.callsOf(name)[0]?.request).not.toHaveProperty('response_format');
  });
});

describe('[4] what a server cannot do at all', () => {
  it.each<[string, Lack[], Partial<StepRequest>]>([
    ['tools', ['tools', 'structured_output'], { tools: [READ_FILE] }],
    ['structured_output', ['structured_output'], { output_schema: OUTPUT_SCHEMA }],
  ])('%s: is refused by name, and nothing leaves', async (capability, lacks, more) => {
    const { name, answer } = ask(lacks, [], more);
    await expect(answer).rejects.toMatchObject({
      code: 'unsupported_capability',
      details: { retryable: false, provider: 'openai-compatible', capability },
    });
    expect(model.callsOf(name)).toEqual([]);
  });
});
