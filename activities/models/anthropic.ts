import type { MessageCreateParamsStreaming, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { Failure } from '../../domain/failures.ts';
import type { ModelCapabilities, StepRequest, StepResult } from '../../domain/model.ts';
import { Answer } from './answer.ts';
import { eventReader } from './anthropic-answer.ts';
import { wireRequest } from './anthropic-request.ts';
import type { ModelProvider, OwnClient, StepOptions } from './contract.ts';
import { type Fetch, fetchPublicOnly } from './http-fetch.ts';
import { holdCall, SDK_TIMEOUT_MS } from './one-call.ts';
import { retryAfterMs, type Told } from './provider-failures.ts';

interface AnthropicSettings {
  apiKey: string;
  baseURL: string;
  capabilities: ModelCapabilities;
  own?: OwnClient | null;
}

export interface BedrockSettings {
  region: string;
  baseURL?: string | undefined;
  /** A Bedrock API key; without it calls are signed with the access key, or with what the AWS chain finds. */
  apiKey?: string | undefined;
  accessKeyId?: string | undefined;
  secretAccessKey?: string | undefined;
  sessionToken?: string | undefined;
  own?: OwnClient | null;
  capabilities: ModelCapabilities;
}

interface Client {
  messages: {
    create(
      body: MessageCreateParamsStreaming,
      options: { signal: AbortSignal },
    ): PromiseLike<AsyncIterable<RawMessageStreamEvent>>;
  };
}

/** The SDKs are large, and most workers never call Claude: they are read when the first call is made. */
const loadSdk = () => import('@anthropic-ai/sdk');

const COMMON = {
  // Retrying is the workflow's: a retry in here would be paid for without a trace in the log.
  maxRetries: 0,
  timeout: SDK_TIMEOUT_MS,
  // The SDK would print pieces of answers when it cannot parse them.
  logLevel: 'off',
} as const;

async function teller(): Promise<(error: unknown) => Told | null> {
  const { APIConnectionError, APIConnectionTimeoutError, APIError } = await loadSdk();
  return (error) => {
    if (error instanceof APIConnectionTimeoutError) return { is: 'timed_out' };
    if (error instanceof APIConnectionError) {
      const isUnsigned = error.cause instanceof Error && error.cause.name === 'CredentialsProviderError';
      if (isUnsigned) return { is: 'unsigned', message: 'no AWS credentials were found.' };
      return { is: 'unreachable', error };
    }
    if (!(error instanceof Error)) return null;
    // Bedrock's frames are read by the AWS library, whose errors have no class of their own.
    if (error.message.startsWith('Truncated event message')) return { is: 'broken_off', error };
    if (/^Could not parse a Bedrock chunk|checksum/.test(error.message)) return { is: 'garbled', error };
    if (!(error instanceof APIError)) return null;
    const headers: Headers | undefined = error.headers;
    const status: number | undefined = error.status;
    const said = error.apiMessage ? [status, error.apiMessage].filter(Boolean).join(' ') : error.message;
    return {
      is: 'refused',
      status,
      reason: `${error.type ?? ''} ${headers?.get('x-amzn-errortype') ?? ''}`,
      message: said,
      retry_after_ms: retryAfterMs(headers, Date.now()),
    };
  };
}

/** The part of a schema that the API can guarantee; the rest goes into descriptions, and the run validates all of it. */
async function wireSchema(schema: Record<string, unknown>, provider: string): Promise<Record<string, unknown>> {
  const { transformJSONSchema } = await import('@anthropic-ai/sdk/lib/transform-json-schema');
  try {
    return transformJSONSchema(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `${provider} cannot be held to this output schema: ${why}.`;
    throw new Failure('unsupported_capability', message, {
      retryable: false,
      provider,
      capability: 'structured_output',
    });
  }
}

function createClaudeProvider(
  name: string,
  capabilities: ModelCapabilities,
  secrets: string[],
  own: OwnClient | null,
  clientOf: (fetch: Fetch) => Promise<Client>,
): ModelProvider {
  async function streamStep(request: StepRequest, options: StepOptions): Promise<StepResult> {
    const answer = new Answer(name, options.onDelta);
    const [tell, schema] = await Promise.all([
      teller(),
      request.output_schema ? wireSchema(request.output_schema, name) : null,
    ]);
    await holdCall({
      answer,
      secrets,
      options,
      tell,
      hold: async ({ signal, fetch }) => {
        const client = await clientOf(own?.publicOnly ? fetchPublicOnly(fetch) : fetch);
        const stream = await client.messages.create(wireRequest(request, schema), { signal });
        const read = eventReader(answer, request.model);
        for await (const event of stream) read(event);
      },
    });
    return answer.result(request);
  }
  return { name, capabilities, streamStep };
}

export const createAnthropicProvider = ({ apiKey, baseURL, capabilities, own }: AnthropicSettings): ModelProvider =>
  createClaudeProvider('anthropic', capabilities, [apiKey], own ?? null, async (fetch) => {
    const { Anthropic } = await loadSdk();
    // Else the SDK would send a token of the environment along, to whatever address.
    return new Anthropic({ ...COMMON, apiKey, authToken: null, baseURL, fetch });
  });

export const createBedrockProvider = ({ capabilities, own, ...settings }: BedrockSettings): ModelProvider => {
  const { region, baseURL, apiKey, accessKeyId, secretAccessKey, sessionToken } = settings;
  const secrets = [apiKey, accessKeyId, secretAccessKey, sessionToken].filter((secret) => secret !== undefined);
  return createClaudeProvider('bedrock', capabilities, secrets, own ?? null, async (fetch) => {
    const { AnthropicBedrock } = await import('@anthropic-ai/bedrock-sdk');
    const options = {
      ...COMMON,
      apiKey: apiKey ?? null,
      awsRegion: region,
      fetch,
      // The SDK would send the version of Anthropic's own API; Bedrock documents this one and no other.
      defaultHeaders: { 'anthropic-version': 'bedrock-2023-05-31' },
      ...(baseURL === undefined ? {} : { baseURL }),
    };
    if (!accessKeyId || !secretAccessKey) return new AnthropicBedrock(options);
    return new AnthropicBedrock({
      ...options,
      awsAccessKey: accessKeyId,
      awsSecretKey: secretAccessKey,
      awsSessionToken: sessionToken ?? null,
    });
  });
};
