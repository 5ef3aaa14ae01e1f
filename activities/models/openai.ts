import { APIConnectionError, APIConnectionTimeoutError, APIError, AzureOpenAI, OpenAI } from 'openai';
import type { ModelCapabilities, StepRequest, StepResult } from '../../domain/model.ts';
import { Answer } from './answer.ts';
import type { ModelProvider, OwnClient, StepOptions } from './contract.ts';
import { fetchPublicOnly, watchedFetch } from './http-fetch.ts';
import { holdCall, SDK_TIMEOUT_MS } from './one-call.ts';
import { addChunk } from './openai-answer.ts';
import { type TokenLimitField, wireRequest } from './openai-request.ts';
import { retryAfterMs, type Told } from './provider-failures.ts';
import { refuseWhatItLacks } from './refused-capabilities.ts';
import { readEnvelope, throughStructuredOutput } from './structured-tools.ts';

export interface OpenAiSettings {
  name: string;
  apiKey: string;
  baseURL: string;
  capabilities: ModelCapabilities;
  tokenLimitField: TokenLimitField;
  /** What an agent brought: nothing of the installation's account goes with it. */
  own?: OwnClient | null;
  /** Set for Azure, where the model is a deployment and part of the address. */
  azureApiVersion?: string;
}

export function tellOpenAi(error: unknown): Told | null {
  if (error instanceof APIConnectionTimeoutError) return { is: 'timed_out' };
  if (error instanceof APIConnectionError) return { is: 'unreachable', error };
  if (!(error instanceof APIError)) return null;
  return {
    is: 'refused',
    status: error.status,
    reason: `${error.code ?? ''} ${error.type ?? ''}`,
    message: error.message,
    retry_after_ms: retryAfterMs(error.headers, Date.now()),
  };
}

export type OpenAiAccess = Pick<OpenAiSettings, 'name' | 'apiKey' | 'baseURL' | 'azureApiVersion' | 'own'>;

export function openAiClient({ name, apiKey, baseURL, azureApiVersion, own = null }: OpenAiAccess): OpenAI {
  const options = {
    apiKey,
    // What the environment says about OpenAI's account is nothing for other servers to see.
    ...(name === 'openai' && !own ? {} : { organization: null, project: null }),
    // Retrying is the workflow's: a retry in here would be paid for without a trace in the log.
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    // The SDK would print pieces of answers when it cannot parse them.
    logLevel: 'off' as const,
    fetch: own?.publicOnly ? fetchPublicOnly(watchedFetch) : watchedFetch,
  };
  if (azureApiVersion === undefined) return new OpenAI({ ...options, baseURL });
  // Else the SDK takes OPENAI_BASE_URL of the environment, which is of another server, and refuses to have two.
  return new AzureOpenAI({ ...options, baseURL: null, endpoint: baseURL, apiVersion: azureApiVersion });
}

/** OpenAI, Azure, and every server that speaks the same API. */
export function createOpenAiProvider(settings: OpenAiSettings): ModelProvider {
  const { name, apiKey, capabilities, tokenLimitField } = settings;
  const client = openAiClient(settings);

  async function streamStep(request: StepRequest, options: StepOptions): Promise<StepResult> {
    refuseWhatItLacks(request, name, capabilities);
    // Such a server has no tools to call: what it is sent has none, and its answer says what it would call.
    const isEnveloped = !capabilities.native_tools && request.tools.length > 0;
    const answer = new Answer(name, isEnveloped ? undefined : options.onDelta);
    const wire = wireRequest(isEnveloped ? throughStructuredOutput(request) : request, tokenLimitField);
    await holdCall({
      answer,
      secrets: [apiKey],
      options,
      tell: tellOpenAi,
      hold: async ({ signal, fetchOptions }) => {
        const stream = await client.chat.completions.create(wire, { signal, fetchOptions });
        for await (const chunk of stream) addChunk(answer, chunk);
      },
    });
    if (isEnveloped && answer.finish === 'stop') readEnvelope(answer, options.onDelta);
    return answer.result(request);
  }

  return { name, capabilities, streamStep };
}
