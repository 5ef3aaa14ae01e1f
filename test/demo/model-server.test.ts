import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProviders } from '../../activities/models/index.ts';
import { createDemoModel, DEMO_MODEL } from '../../demo/chat-completions.ts';
import { structuredAnswer } from '../../demo/structured-answer.ts';
import { describeProvider } from '../activities/models/provider-contract.ts';

const server = createDemoModel({ delayMs: 5 });
let url: string;
let client: OpenAI;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  client = new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 });
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

describeProvider('The OpenAI adapter with the demo model', {
  provider: () => createProviders({ demo_url: url })({ provider: 'demo', model: DEMO_MODEL }),
  model: DEMO_MODEL,
  text: 'hello',
  tool: 'list the files',
  parallel: [
    { role: 'user', content: 'summarize the notebook' },
    { role: 'assistant', content: '', tool_calls: [{ tool_call_id: 'c', name: 'list_files', arguments: {} }] },
    { role: 'tool', tool_call_id: 'c', name: 'list_files', content: '{"files":["/a.md","/b.md"]}' },
  ],
  structured: 'hello',
  slow: 'hello',
});

const hello = { model: DEMO_MODEL, messages: [{ role: 'user' as const, content: 'hello' }] };

describe('the demo model as a server', () => {
  it('says wherever it shows that it is not an LLM', async () => {
    const models = await client.models.list();
    expect(models.data.map(({ id, owned_by }) => [id, owned_by])).toEqual([
      ['longhaul-demo', 'longhaul (rule-based, not an LLM)'],
    ]);
    const answer = await client.chat.completions.create(hello);
    expect(answer.model).toBe('longhaul-demo');
    expect(answer.choices[0]?.message.content).toContain('not an LLM');
  });

  it('gives the same answer whole and streamed', async () => {
    const whole = await client.chat.completions.create(hello);
    let streamed = '';
    const stream = await client.chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    });
    let usage: unknown;
    for await (const chunk of stream) {
      streamed += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(streamed).toBe(whole.choices[0]?.message.content);
    expect(usage).toEqual(whole.usage);
  });

  it('stops at the token limit and says so', async () => {
    const { choices, usage } = await client.chat.completions.create({ ...hello, max_tokens: 5 });
    expect(choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: "I am Longhaul's rule-based demo " },
    });
    expect(usage?.completion_tokens).toBe(5);
  });

  it.each([
    ['another model', { ...hello, model: 'gpt-4o' }, 404, 'model_not_found'],
    ['no messages', { ...hello, messages: [] }, 400, null],
    ['a message without a role', { ...hello, messages: [{ content: 'x' }] }, 400, null],
  ])('refuses %s in the format of OpenAI', async (_, body, status, code) => {
    const response = await fetch(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { message: expect.any(String), type: 'invalid_request_error', code },
    });
  });

  it.each([
    ['what is not JSON', '/chat/completions', { method: 'POST', body: '{' }, 400],
    ['what it does not have', '/embeddings', { method: 'POST', body: '{}' }, 404],
  ])('refuses %s', async (_, path, init, status) => {
    const response = await fetch(url + path, init);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });
});

describe('structured answers', () => {
  it.each([
    [{ type: 'string', maxLength: 3 }, 'fou'],
    [{ type: 'integer', minimum: 3 }, 4],
    [{ type: 'number', maximum: 1 }, 0],
    [{ enum: ['no', 'found'] }, 'found'],
    [{ type: ['null', 'string'] }, null],
    [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
    [{ $ref: '#/$defs/x', $defs: { x: { properties: { a: { const: 1 } } } } }, { a: 1 }],
  ])('fit %j', (schema, value) => {
    expect(structuredAnswer(schema, 'found 2 and 4')).toEqual(value);
  });
});

describe('the demo model as a program', () => {
  const program = fileURLToPath(new URL('../../dist/demo/model-server.js', import.meta.url));
  const started: ChildProcess[] = [];
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
  });

  async function start(...args: string[]) {
    const child = fork(program, args, { silent: true });
    started.push(child);
    const exit = once(child, 'exit');
    if (!child.stdout) throw new Error('no output');
    const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), exit.then(() => [''])]);
    return { child, exit, line: String(line) };
  }

  it('prints where it listens, answers there, and leaves on SIGTERM', async () => {
    const { child, exit, line } = await start('--delay-ms', '0');
    const { url: at } = JSON.parse(line) as { url: string };
    const models = await new OpenAI({ apiKey: 'none', baseURL: at, maxRetries: 0 }).models.list();
    expect(models.data).toHaveLength(1);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('leaves when the process that started it is gone', async () => {
    const { child, exit } = await start();
    child.disconnect();
    expect(await exit).toEqual([0, null]);
  });

  it('says what is wrong with its options', async () => {
    const { exit } = await start('--port', 'many');
    expect((await exit)[0]).toBe(2);
  });
});
