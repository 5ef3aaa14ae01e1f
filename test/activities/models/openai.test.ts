import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOpenAiProvider } from '../../../activities/models/openai.ts';
import type { FailureCode } from '../../../domain/failures.ts';
import { CAPABILITIES, type StepRequest, type StepResult } from '../../../domain/model.ts';
import { type Script, ScriptedModel, type Turn } from '../../doubles/scripted-model.ts';
import { describeProvider, OUTPUT_SCHEMA, READ_FILE, request } from './provider-contract.ts';

let model: ScriptedModel;
const provider = (baseURL = model.url, apiKey = 'a-key-of-some-length') =>
  createOpenAiProvider({
    name: 'openai',
    apiKey,
    baseURL,
    capabilities: CAPABILITIES.openai,
    tokenLimitField: 'max_completion_tokens',
  });

beforeAll(async () => {
  model = await ScriptedModel.start();
});
afterEach(() => {
  expect(model.unexpected).toEqual([]);
});
afterAll(() => model.close());

let scripts = 0;
/** One call to a script of its own. */
function ask(
  script: Script,
  more: Partial<StepRequest> = {},
  idleMs = 5_000,
): { name: string; answer: Promise<StepResult> } {
  const name = `case-${++scripts}`;
  model.script(name, script);
  const answer = provider().streamStep(request(`[script:${name}]`, more), {
    signal: new AbortController().signal,
    idleMs,
  });
  return { name, answer };
}

const scripted = (name: string, script: Script): string => {
  beforeAll(() => model.script(name, script));
  return `[script:${name}] go`;
};

describeProvider('The OpenAI adapter', {
  provider,
  model: 'gpt-4o',
  text: scripted('text', [{ text: 'Three short words.' }]),
  tool: scripted('tool', [{ tool_calls: [{ name: 'list_files', arguments: { path: '/' } }] }]),
  parallel: [
    {
      role: 'user',
      content: scripted('parallel', [
        { tool_calls: ['/a.md', '/b.md'].map((path) => ({ name: 'read_file', arguments: { path } })) },
      ]),
    },
  ],
  structured: scripted('structured', [{ text: JSON.stringify({ answer: 'yes', files: 3 }) }]),
  slow: scripted('slow', [{ fault: 'slow', delay_ms: 20, text: 'word '.repeat(500) }]),
});

describe('what the OpenAI adapter sends', () => {
  it('sends conversation, tools, limit and schema in the wire format, and asks for usage', async () => {
    const { name, answer } = ask([{ text: 'x' }, { text: 'x' }], {
      messages: [
        { role: 'user', content: `[script:case-${scripts + 1}]` },
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            { tool_call_id: 'c1', name: 'read_file', arguments: { path: '/a' } },
            { tool_call_id: 'c2', name: 'read_file', arguments: {}, malformed: '{"path' },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', name: 'read_file', content: 'text of a' },
        { role: 'tool', tool_call_id: 'c2', name: 'read_file', content: '{"error": "no JSON"}' },
      ],
      tools: [READ_FILE],
      max_tokens: 77,
      output_schema: OUTPUT_SCHEMA,
    });
    await answer;
    expect(model.callsOf(name)[0]?.request).toEqual({
      model: 'some-model',
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 77,
      messages: [
        { role: 'user', content: `[script:${name}]` },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"/a"}' } },
            { id: 'c2', type: 'function', function: { name: 'read_file', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'text of a' },
        { role: 'tool', tool_call_id: 'c2', content: '{"error": "no JSON"}' },
      ],
      tools: [{ type: 'function', function: READ_FILE }],
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema: OUTPUT_SCHEMA, strict: true } },
    });
  });

  it.each([
    ['an optional property', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }],
    [
      'a keyword strict mode does not know',
      {
        type: 'object',
        properties: { a: { type: 'string', pattern: '^x' } },
        required: ['a'],
        additionalProperties: false,
      },
    ],
    ['an open object', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
    ['no object at its root', { type: 'array', items: { type: 'string' } }],
  ])('does not demand strictness of a schema with %s, which would be answered with 400', async (_, output_schema) => {
    const { name, answer } = ask([{ text: '{}' }], { output_schema });
    await answer;
    expect(model.callsOf(name)[0]?.request).toMatchObject({ response_format: { json_schema: { strict: false } } });
  });
});

describe('what the OpenAI adapter makes of answers', () => {
  it('counts cached tokens', async () => {
    const { raw_usage } = await ask([{ text: 'x', usage: { input: 100, output: 5, cached: 64 } }]).answer;
    expect(raw_usage).toEqual({ input: 100, output: 5, cached: 64, estimated: false, model: 'some-model' });
  });

  it('estimates usage where the server counts none, and says so', async () => {
    const { raw_usage } = await ask([{ text: 'x'.repeat(400), usage: null }]).answer;
    expect(raw_usage).toMatchObject({ output: 100, cached: 0, estimated: true });
    expect(raw_usage.input).toBeGreaterThan(10);
  });

  it.each(['{"path": "a', '[1, 2]', '"text"', 'null', 'path=a'])(
    'marks tool arguments that are no JSON object as malformed: %s',
    async (text) => {
      const { tool_calls, stop_reason } = await ask([{ fault: 'malformed-arguments', text }]).answer;
      expect(tool_calls).toEqual([{ tool_call_id: 'call_0_0', name: 'read_file', arguments: {}, malformed: text }]);
      expect(stop_reason).toBe('needs_tools');
    },
  );

  it('takes no arguments at all for an empty object', async () => {
    const { tool_calls } = await ask([{ tool_calls: [{ name: 'list_files', arguments: '' }] }]).answer;
    expect(tool_calls).toEqual([{ tool_call_id: 'call_0_0', name: 'list_files', arguments: {} }]);
  });

  it('gives calls without an id the same ids every time', async () => {
    const script: Script = [
      {
        tool_calls: [
          { id: null, name: 'a' },
          { id: null, name: 'b' },
        ],
      },
    ];
    const first = await ask(script).answer;
    const second = await ask(script).answer;
    expect(first.tool_calls.map((call) => call.tool_call_id)).toEqual(['call_1_1', 'call_1_2']);
    expect(second.tool_calls).toEqual(first.tool_calls);
  });

  it('makes ids unique that come twice in one answer', async () => {
    const { tool_calls } = await ask([
      { tool_calls: ['a', 'b', 'c'].map((name) => ({ id: 'same', name, arguments: { name } })) },
    ]).answer;
    expect(tool_calls.map((call) => [call.tool_call_id, call.name, call.arguments.name])).toEqual([
      ['same', 'a', 'a'],
      ['same_2', 'b', 'b'],
      ['same_3', 'c', 'c'],
    ]);
  });

  it.each([
    ['clarify_user', { question: 'Which?' }, 'needs_clarification', []],
    ['propose_edits', { edits: [{ op: 'delete' }] }, 'proposed_edits', [{ op: 'delete' }]],
  ])('names the reason to stop after %s', async (name, args, stop_reason, proposed_edits) => {
    const result = await ask([{ tool_calls: [{ name, arguments: args }] }]).answer;
    expect(result).toMatchObject({ stop_reason, proposed_edits });
  });

  it('keeps the text of an answer that ran into the token limit, and says that it did not end by itself', async () => {
    const result = await ask([{ text: 'half a', finish_reason: 'length' }]).answer;
    expect(result).toMatchObject({ assistant_message: 'half a', stop_reason: 'error' });
  });

  it('keeps an answer that was whole when the connection broke: it is paid for', async () => {
    const { name, answer } = ask([{ fault: 'cut', text: 'all there', after_chunks: 4 }]);
    expect(await answer).toMatchObject({ assistant_message: 'all there', raw_usage: { estimated: true } });
    expect(model.count(name)).toMatchObject({ calls: 1 });
  });
});

describe('what the OpenAI adapter makes of failures', () => {
  const inTenSeconds = () => new Date(Date.now() + 10_000).toUTCString();
  const cases: [string, Turn, FailureCode, Record<string, unknown>][] = [
    [
      '429 with seconds',
      { fault: '429', retry_after: 7 },
      'rate_limited',
      { retryable: true, retry_after_ms: 7000, status: 429 },
    ],
    [
      '429 with milliseconds',
      { fault: '429', retry_after: 7, retry_after_ms: 250 },
      'rate_limited',
      { retry_after_ms: 250 },
    ],
    ['429 without a word', { fault: '429' }, 'rate_limited', { retryable: true, status: 429 }],
    ['429 for an empty account', { fault: '429', code: 'insufficient_quota' }, 'rate_limited', { retryable: false }],
    ['424', { fault: '424' }, 'provider_unavailable', { retryable: true, status: 424 }],
    ['500', { fault: '500' }, 'provider_unavailable', { retryable: true, status: 500 }],
    [
      '503 with Retry-After',
      { fault: '503', retry_after: 2 },
      'provider_unavailable',
      { retryable: true, retry_after_ms: 2000 },
    ],
    ['408', { fault: '408' }, 'model_timeout', { retryable: true, status: 408 }],
    ['400', { fault: '400' }, 'bad_model_request', { retryable: false, status: 400 }],
    ['401', { fault: '401' }, 'bad_model_key', { retryable: false, status: 401 }],
    ['403', { fault: '403' }, 'bad_model_key', { retryable: false, status: 403 }],
    ['404', { fault: '404' }, 'model_not_found', { retryable: false, status: 404 }],
    ['a connection cut after the headers', { fault: 'cut', after_chunks: 0 }, 'stream_cut', { retryable: true }],
    ['a connection cut in mid-answer', { fault: 'cut', after_chunks: 3 }, 'stream_cut', { retryable: true }],
    ['a stream that ends too early', { fault: 'cut', after_chunks: 3, clean: true }, 'stream_cut', { retryable: true }],
    ['a chunk that is not JSON', { fault: 'wrong-json' }, 'malformed_answer', { retryable: true }],
    [
      'a chunk that is JSON and no answer',
      { fault: 'wrong-json', body: '{"hello": 1}' },
      'malformed_answer',
      { retryable: true },
    ],
    ['a web page instead of an answer', { fault: 'not-a-stream' }, 'malformed_answer', { retryable: true }],
    ['an empty answer', { fault: 'empty' }, 'malformed_answer', { retryable: true, usage: { input: 10, output: 10 } }],
    ['a tool call without a name', { tool_calls: [{ name: '' }] }, 'malformed_answer', { retryable: true }],
    ['nothing but thoughts until the limit', { finish_reason: 'length' }, 'bad_model_request', { retryable: false }],
    ['an error inside the stream', { fault: 'error-in-stream' }, 'provider_unavailable', { retryable: true }],
    [
      'a rate limit inside the stream',
      { fault: 'error-in-stream', code: 'rate_limit_exceeded' },
      'rate_limited',
      { retryable: true },
    ],
    [
      'a bad request inside the stream',
      { fault: 'error-in-stream', type: 'invalid_request_error' },
      'bad_model_request',
      { retryable: false },
    ],
  ];

  it.each(cases)('%s is told as what it is, after one call', async (_, turn, code, details) => {
    const { name, answer } = ask([turn]);
    const failure = await answer.catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'Failure', code, details: { provider: 'openai', ...details } });
    expect(model.count(name)).toMatchObject({ calls: 1 });
  });

  it('understands a date in Retry-After', async () => {
    const failure = await ask([{ fault: '429', retry_after: inTenSeconds() }]).answer.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'rate_limited' });
    const wait = (failure as { details: { retry_after_ms: number } }).details.retry_after_ms;
    expect(wait).toBeGreaterThan(5_000);
    expect(wait).toBeLessThanOrEqual(10_000);
  });

  it('a server that is not there can be tried again', async () => {
    const gone = await ScriptedModel.start();
    const { url } = gone;
    await gone.close();
    const call = provider(url).streamStep(request('hello'), { signal: new AbortController().signal, idleMs: 5_000 });
    await expect(call).rejects.toMatchObject({ code: 'provider_unavailable', details: { retryable: true } });
  });

  it('gives up on a server that takes the request and stays silent', async () => {
    const { name, answer } = ask([{ fault: 'hang' }], {}, 60);
    await expect(answer).rejects.toMatchObject({ code: 'model_timeout', details: { retryable: true } });
    await model.settled(name);
    expect(model.count(name)).toMatchObject({ aborted: 1 });
  });

  it('gives up on a server that goes silent in mid-answer, however much it has said', async () => {
    const name = 'held';
    model.script(name, [{ text: 'some words and no more' }]);
    const release = model.hold(name, 0, 3);
    const said: string[] = [];
    const answer = provider().streamStep(request(`[script:${name}]`), {
      signal: new AbortController().signal,
      idleMs: 600,
      onDelta: (text) => said.push(text),
    });
    await expect(answer).rejects.toMatchObject({ code: 'model_timeout' });
    expect(said.join('')).toBe('some words ');
    release();
  });

  it('waits as long as words keep coming, also past the idle time-out', async () => {
    const { answer } = ask([{ fault: 'slow', delay_ms: 120, text: 'a b c d e f g h' }], {}, 1_000);
    expect(await answer).toMatchObject({ assistant_message: 'a b c d e f g h' });
  });

  it('aborts a call that has not been answered at all within 200 ms', async () => {
    model.script('hanging', [{ fault: 'hang' }]);
    const controller = new AbortController();
    const call = provider().streamStep(request('[script:hanging]'), { signal: controller.signal, idleMs: 60_000 });
    await model.reached('hanging', 0);
    const at = performance.now();
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect(performance.now() - at).toBeLessThan(200);
    await model.settled('hanging');
    expect(model.count('hanging')).toMatchObject({ calls: 1, aborted: 1 });
  });

  it('never repeats the key, even if the server does', async () => {
    model.script('echo', [{ fault: '401', message: 'Bad key sk-very-secret-key given' }]);
    const call = provider(model.url, 'sk-very-secret-key').streamStep(request('[script:echo]'), {
      signal: new AbortController().signal,
      idleMs: 1_000,
    });
    const failure = await call.catch((error: unknown) => error);
    expect(String(failure)).toContain('(the key)');
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('sk-very-secret-key');
  });
});
