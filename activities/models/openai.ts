import OpenAI from 'openai';
import { Failure } from '../../domain/failures.ts';
import type { ModelCapabilities, StepRequest, StepResult } from '../../domain/model.ts';
import type { ModelProvider, StepOptions } from './contract.ts';
import { httpFetch } from './http-fetch.ts';
import { Answer } from './openai-answer.ts';
import { providerFailure } from './openai-failures.ts';
import { type TokenLimitField, wireRequest } from './openai-request.ts';

export interface OpenAiSettings {
  name: string;
  apiKey: string;
  baseURL: string;
  capabilities: ModelCapabilities;
  tokenLimitField: TokenLimitField;
}

/** The idle time-out ends a silent call; the SDK's own, which counts to the first byte only, must never come first. */
const SDK_TIMEOUT_MS = 24 * 60 * 60 * 1000;

/** Shorter ones are placeholders for servers without keys, and may be ordinary words. */
const SECRET_CHARS = 12;

function refuseOtherThanStream(response: Response, provider: string): void {
  const type = response.headers.get('content-type') ?? 'text/event-stream';
  if (type.includes('event-stream')) return;
  const message = `${provider} sent ${type} where a stream was asked for.`;
  throw new Failure('malformed_answer', message, { retryable: true, provider, status: response.status });
}

export function createOpenAiProvider({
  name,
  apiKey,
  baseURL,
  capabilities,
  tokenLimitField,
}: OpenAiSettings): ModelProvider {
  const client = new OpenAI({
    apiKey,
    baseURL,
    // What the environment says about OpenAI's account is nothing for other servers to see.
    ...(name === 'openai' ? {} : { organization: null, project: null }),
    // Retrying is the workflow's: a retry in here would be paid for without a trace in the log.
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    // The SDK would print pieces of answers when it cannot parse them.
    logLevel: 'off',
    fetch: httpFetch,
  });

  const withoutKey = (failure: Failure): Failure =>
    apiKey.length >= SECRET_CHARS && failure.message.includes(apiKey)
      ? new Failure(failure.code, failure.message.replaceAll(apiKey, '(the key)'), failure.details)
      : failure;

  async function streamStep(request: StepRequest, { signal, onDelta, idleMs }: StepOptions): Promise<StepResult> {
    signal.throwIfAborted();
    const call = new AbortController();
    const abort = () => call.abort();
    let wentSilent = false;
    const idle = setTimeout(() => {
      wentSilent = true;
      call.abort();
    }, idleMs);
    signal.addEventListener('abort', abort, { once: true });
    const answer = new Answer(name, onDelta);
    try {
      const { data: stream, response } = await client.chat.completions
        .create(wireRequest(request, tokenLimitField), { signal: call.signal })
        .withResponse();
      refuseOtherThanStream(response, name);
      for await (const chunk of stream) {
        idle.refresh();
        answer.add(chunk);
      }
    } catch (error) {
      // A whole answer is kept whatever happened to its last bytes: it is paid for.
      const isKnown = answer.isWhole || call.signal.aborted;
      call.abort();
      if (!isKnown) {
        const failure = providerFailure(error, name, Date.now());
        throw failure ? withoutKey(failure) : error;
      }
    } finally {
      clearTimeout(idle);
      signal.removeEventListener('abort', abort);
    }
    if (!answer.isWhole) {
      signal.throwIfAborted();
      if (wentSilent) {
        const message = `${name} was silent for ${idleMs} ms.`;
        throw new Failure('model_timeout', message, { retryable: true, provider: name });
      }
    }
    return answer.result(request);
  }

  return { name, capabilities, streamStep };
}
