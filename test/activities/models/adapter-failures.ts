import { describe, expect, it } from 'vitest';
import type { ModelProvider } from '../../../activities/models/contract.ts';
import type { FailureCode } from '../../../domain/failures.ts';
import type { StepRequest, StepResult } from '../../../domain/model.ts';
import { type Script, ScriptedModel, type Turn } from '../../doubles/scripted-model.ts';
import type { Adapter } from './adapter-contract.ts';
import { request } from './provider-contract.ts';

export interface Talk<Request> {
  model: () => ScriptedModel<Request>;
  provider: (url?: string, key?: string) => ModelProvider;
  /** One call to a script of its own. */
  ask: (
    script: Script,
    more?: Partial<StepRequest>,
    idleMs?: number,
  ) => { script: string; answer: Promise<StepResult> };
}

/** What goes wrong at a provider, and what the run is told about it. */
export function describeFailures<Request>(adapter: Adapter<Request>, { model, provider, ask }: Talk<Request>): void {
  const { name, wire } = adapter;
  describe(`what the ${name} adapter makes of failures`, () => {
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
      ['a conversation that is too long', adapter.overflow, 'context_overflow', { retryable: false, status: 400 }],
      [
        'a model without tools',
        { fault: '400', message: 'This model does not support tools.' },
        'unsupported_capability',
        { retryable: false },
      ],
      ['a connection cut after the headers', { fault: 'cut', after_chunks: 0 }, 'stream_cut', { retryable: true }],
      ['a connection cut in mid-answer', { fault: 'cut', after_chunks: 3 }, 'stream_cut', { retryable: true }],
      [
        'a stream that ends too early',
        { fault: 'cut', after_chunks: 3, clean: true },
        'stream_cut',
        { retryable: true },
      ],
      ['a chunk that is not JSON', { fault: 'wrong-json' }, 'malformed_answer', { retryable: true }],
      [
        'a chunk that is JSON and no answer',
        { fault: 'wrong-json', body: '{"hello": 1}' },
        adapter.stray,
        { retryable: true },
      ],
      ['a web page instead of an answer', { fault: 'not-a-stream' }, 'malformed_answer', { retryable: true }],
      [
        'an empty answer',
        { fault: 'empty' },
        'malformed_answer',
        { retryable: true, usage: { input: 10, output: 10 } },
      ],
      ['a tool call without a name', { tool_calls: [{ name: '' }] }, 'malformed_answer', { retryable: true }],
      ['nothing but thoughts until the limit', { finish_reason: 'length' }, 'bad_model_request', { retryable: false }],
      ['an answer that was withheld', { finish_reason: 'content_filter' }, 'bad_model_request', { retryable: false }],
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
      const { script, answer } = ask([turn]);
      const failure = await answer.catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: 'Failure', code, details: { provider: name, ...details } });
      expect(model().count(script)).toMatchObject({ calls: 1 });
    });

    it('understands a date in Retry-After', async () => {
      const failure = await ask([{ fault: '429', retry_after: inTenSeconds() }]).answer.catch(
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({ code: 'rate_limited' });
      const wait = (failure as { details: { retry_after_ms: number } }).details.retry_after_ms;
      expect(wait).toBeGreaterThan(5_000);
      expect(wait).toBeLessThanOrEqual(10_000);
    });

    it('a server that is not there can be tried again', async () => {
      const gone = await ScriptedModel.speaking(wire);
      const { url } = gone;
      await gone.close();
      const call = provider(url).streamStep(request('hello', { model: adapter.model }), {
        signal: new AbortController().signal,
        idleMs: 5_000,
      });
      await expect(call).rejects.toMatchObject({ code: 'provider_unavailable', details: { retryable: true } });
    });

    it('gives up on a server that takes the request and stays silent', async () => {
      const { script, answer } = ask([{ fault: 'hang' }], {}, 60);
      await expect(answer).rejects.toMatchObject({ code: 'model_timeout', details: { retryable: true } });
      await model().settled(script);
      expect(model().count(script)).toMatchObject({ aborted: 1 });
    });

    it('gives up on a server that goes silent in mid-answer, however much it has said', async () => {
      model().script('held', [{ text: 'some words and no more' }]);
      const release = model().hold('held', 0, 5);
      const said: string[] = [];
      const answer = provider().streamStep(request('[script:held]', { model: adapter.model }), {
        signal: new AbortController().signal,
        idleMs: 600,
        onDelta: (text) => said.push(text),
      });
      await expect(answer).rejects.toMatchObject({ code: 'model_timeout' });
      expect(said.join('')).toMatch(/^some words /);
      release();
    });

    it('waits as long as words keep coming, also past the idle time-out', async () => {
      const { answer } = ask([{ fault: 'slow', delay_ms: 200, text: 'a b c d e f g h' }], {}, 1_500);
      expect(await answer).toMatchObject({ assistant_message: 'a b c d e f g h' });
    });

    it('aborts a call that has not been answered at all within 200 ms', async () => {
      model().script('hanging', [{ fault: 'hang' }]);
      const controller = new AbortController();
      const call = provider().streamStep(request('[script:hanging]', { model: adapter.model }), {
        signal: controller.signal,
        idleMs: 60_000,
      });
      await model().reached('hanging', 0);
      const at = performance.now();
      controller.abort(new Error('enough'));
      await expect(call).rejects.toThrow('enough');
      expect(performance.now() - at).toBeLessThan(200);
      await model().settled('hanging');
      expect(model().count('hanging')).toMatchObject({ calls: 1, aborted: 1 });
    });

    it('never repeats the key, even if the server does', async () => {
      model().script('echo', [{ fault: '401', message: 'Bad key sk-very-secret-key given' }]);
      const call = provider(model().url, 'sk-very-secret-key').streamStep(
        request('[script:echo]', { model: adapter.model }),
        { signal: new AbortController().signal, idleMs: 1_000 },
      );
      const failure = await call.catch((error: unknown) => error);
      expect(String(failure)).toContain('[secret]');
      expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('sk-very-secret-key');
    });
  });
}
