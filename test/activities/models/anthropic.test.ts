import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createAnthropicProvider } from '../../../activities/models/anthropic.ts';
import { CAPABILITIES, type StepRequest } from '../../../domain/model.ts';
import { anthropicWire } from '../../doubles/anthropic-wire.ts';
import { describeAdapter } from './adapter-contract.ts';
import { OUTPUT_SCHEMA, READ_FILE, request } from './provider-contract.ts';

const { ask, sent } = describeAdapter({
  name: 'anthropic',
  wire: anthropicWire,
  model: 'claude-opus-5',
  create: (baseURL, apiKey) => createAnthropicProvider({ apiKey, baseURL, capabilities: CAPABILITIES.anthropic }),
  argumentsAreText: true,
  wholeAfter: 7,
  stray: 'malformed_answer',
  overflow: { fault: '400', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
});

const CACHED = { cache_control: { type: 'ephemeral' } };

describe('what the anthropic adapter sends', () => {
  it('sends system prompt, turns, tools, limit and schema in the wire format, and marks what may be cached', async () => {
    const { script, answer } = ask([[], { text: '{}' }], {
      messages: [
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ tool_call_id: 'c1', name: 'read_file', arguments: { path: '/a' } }],
        },
        { role: 'tool', tool_call_id: 'c1', name: 'read_file', content: 'text of a' },
      ],
      tools: [READ_FILE],
      max_tokens: 77,
      output_schema: OUTPUT_SCHEMA,
    });
    await answer;
    expect(sent(script)).toEqual({
      anthropic_version: expect.any(String),
      max_tokens: 77,
      system: [{ type: 'text', text: 'You are an agent.', ...CACHED }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: `[script:${script}]` }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read_file', input: { path: '/a' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'text of a', ...CACHED }] },
      ],
      tools: [{ name: 'read_file', description: READ_FILE.description, input_schema: READ_FILE.parameters }],
      output_config: { format: { type: 'json_schema', schema: OUTPUT_SCHEMA } },
    });
  });

  it('asks for as much of a schema as the API can guarantee, and keeps the rest in words', async () => {
    const output_schema = { type: 'object', properties: { n: { type: 'integer', minimum: 3 } }, required: ['n'] };
    const { script, answer } = ask([{ text: '{"n": 4}' }], { output_schema });
    await answer;
    expect(sent(script)?.output_config?.format.schema).toEqual({
      type: 'object',
      properties: { n: { type: 'integer', description: '{minimum: 3}' } },
      required: ['n'],
      additionalProperties: false,
    });
  });

  it('refuses a schema that cannot be asked for before anything leaves', async () => {
    const { answer } = ask([], { output_schema: { properties: { n: {} } } });
    await expect(answer).rejects.toMatchObject({ code: 'unsupported_capability', details: { retryable: false } });
  });
});

describe('what the anthropic adapter makes of answers', () => {
  it('counts what was written to the cache, and what was read from it, within the input', async () => {
    const usage = { input: 100, output: 5, cached: 60, cache_write: 30 };
    const { raw_usage } = await ask([{ text: 'x', usage }]).answer;
    expect(raw_usage).toEqual({ ...usage, estimated: false, model: 'claude-opus-5' });
  });

  it('an answer that ran out of the context window is an overflow', async () => {
    const { answer } = ask([{ text: 'half', finish_reason: 'model_context_window_exceeded' }]);
    await expect(answer).rejects.toMatchObject({ code: 'context_overflow', details: { retryable: false } });
  });

  it('an empty account is told as final', async () => {
    const { answer } = ask([{ fault: '400', message: 'Your credit balance is too low to access the Anthropic API.' }]);
    await expect(answer).rejects.toMatchObject({ code: 'rate_limited', details: { retryable: false } });
  });
});

describe('the thoughts of Claude', () => {
  const thinking = { type: 'thinking', thinking: 'I should call it.', signature: 'sig-1' };
  const think = async () => {
    const call = { name: 'read_file', arguments: { path: '/a' }, signature: 'sig-1' };
    const { answer } = ask([{ text: 'I look.', tool_calls: [call] }]);
    const { assistant_message: content, tool_calls } = await answer;
    const [tool_call_id = ''] = tool_calls.map((made) => made.tool_call_id);
    const messages: StepRequest['messages'] = [
      { role: 'assistant', content, tool_calls },
      { role: 'tool', tool_call_id, name: 'read_file', content: 'text' },
    ];
    return messages;
  };

  it('go back to the model that had them with the call they led to', async () => {
    const { script, answer } = ask([[], { text: 'x' }], { messages: await think() });
    await answer;
    expect(sent(script)?.messages[1]?.content).toEqual([
      thinking,
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'call_0_0', name: 'read_file', input: { path: '/a' } },
    ]);
  });

  it('go to no other model', async () => {
    const { script, answer } = ask([[], { text: 'x' }], { messages: await think(), model: 'claude-haiku-4-5' });
    await answer;
    expect(JSON.stringify(sent(script))).not.toContain('sig-1');
  });
});

it('a model that thinks for long is not silent: the pings of the server, which the SDK keeps to itself, count', async () => {
  const said = { model: 'claude-opus-5', position: 0, pieces: ['Done.'], tool_calls: [], finish_reason: 'stop' };
  const server = createServer(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let beat = 0; beat < 10; beat++) {
      response.write('event: ping\ndata: {"type": "ping"}\n\n');
      await sleep(200);
    }
    for (const frame of anthropicWire.frames({ ...said, usage: null })) response.write(frame);
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = createAnthropicProvider({ apiKey: 'key', baseURL, capabilities: CAPABILITIES.anthropic });
  const options = { signal: new AbortController().signal, idleMs: 1_500 };
  const answer = await provider.streamStep(request('think', { model: said.model }), options);
  expect(answer.assistant_message).toBe('Done.');
  server.close();
});
