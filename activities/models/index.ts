import { createHash } from 'node:crypto';
import type { OwnAccess } from '../../domain/credential.ts';
import { Failure } from '../../domain/failures.ts';
import type { ModelRef, ProviderName } from '../../domain/model.ts';
import { capabilitiesOf, type ModelSettings, missingFor, withOwnAccess } from '../../domain/model-settings.ts';
import { createAnthropicProvider, createBedrockProvider } from './anthropic.ts';
import type { ModelProvider, OwnClient } from './contract.ts';
import { createGeminiProvider } from './gemini.ts';
import { createOpenAiProvider } from './openai.ts';

const OPENAI_URL = 'https://api.openai.com/v1';
const ANTHROPIC_URL = 'https://api.anthropic.com';
/** The oldest that is no preview and knows tools, structured output and usage of streams. */
const AZURE_API_VERSION = '2024-10-21';
/** The SDK insists on a key; servers without keys ignore it. */
const NO_KEY = 'none';

function create(name: ProviderName, settings: ModelSettings, own: OwnClient | null): ModelProvider {
  const capabilities = capabilitiesOf(name, settings);
  switch (name) {
    case 'openai':
      return createOpenAiProvider({
        name,
        apiKey: settings.openai_api_key ?? NO_KEY,
        baseURL: settings.openai_base_url ?? OPENAI_URL,
        capabilities,
        own,
        tokenLimitField: 'max_completion_tokens',
      });
    case 'azure':
      return createOpenAiProvider({
        name,
        apiKey: settings.azure_api_key ?? NO_KEY,
        baseURL: settings.azure_endpoint ?? '',
        azureApiVersion: settings.azure_api_version ?? AZURE_API_VERSION,
        capabilities,
        own,
        tokenLimitField: 'max_completion_tokens',
      });
    case 'openai-compatible':
    case 'ollama':
    case 'demo': {
      const addresses = {
        'openai-compatible': settings.openai_base_url,
        ollama: settings.ollama_base_url,
        demo: settings.demo_url,
      };
      const keys = {
        'openai-compatible': settings.openai_api_key,
        ollama: settings.ollama_api_key,
        demo: undefined,
      };
      return createOpenAiProvider({
        name,
        apiKey: keys[name] ?? NO_KEY,
        baseURL: addresses[name] ?? '',
        capabilities,
        own,
        tokenLimitField: 'max_tokens',
      });
    }
    case 'anthropic':
      return createAnthropicProvider({
        apiKey: settings.anthropic_api_key ?? NO_KEY,
        baseURL: settings.anthropic_base_url ?? ANTHROPIC_URL,
        capabilities,
        own,
      });
    case 'bedrock':
      return createBedrockProvider({
        region: settings.aws_region ?? '',
        baseURL: settings.bedrock_base_url,
        apiKey: settings.aws_bearer_token,
        accessKeyId: settings.aws_access_key_id,
        secretAccessKey: settings.aws_secret_access_key,
        sessionToken: settings.aws_session_token,
        capabilities,
        own,
      });
    case 'gemini':
      return createGeminiProvider({
        apiKey: settings.gemini_api_key ?? NO_KEY,
        baseURL: settings.gemini_base_url,
        capabilities,
        own,
      });
  }
}

/** Far more agents than work at once in one process; a client that is asked for again is made again. */
const MOST_CLIENTS = 200;

export type Providers = (ref: ModelRef, own?: OwnAccess | null) => ModelProvider;

/**
 * One client per provider and process, and one for each agent that has a key or an address of its own, made when it is
 * first asked for. Who comes with another key comes to another client.
 */
export function createProviders(settings: ModelSettings): Providers {
  const made = new Map<string, ModelProvider>();
  return ({ provider }, own = null) => {
    const which = own ? `${provider} ${fingerprint(own)}` : provider;
    const known = made.get(which);
    if (known) return known;
    const mine = own ? withOwnAccess(provider, settings, own) : settings;
    const missing = missingFor(provider, mine);
    if (missing) throw new Failure(missing.code, missing.message, { retryable: false });
    const fresh = create(provider, mine, own && { publicOnly: own.api_base !== undefined && !own.may_be_private });
    const [oldest] = made.keys();
    if (made.size >= MOST_CLIENTS && oldest !== undefined) made.delete(oldest);
    made.set(which, fresh);
    return fresh;
  };
}

const fingerprint = (own: OwnAccess): string => createHash('sha256').update(JSON.stringify(own)).digest('base64url');
