import { createHash } from 'node:crypto';
import type { OwnAccess } from '../../domain/credential.ts';
import { Failure } from '../../domain/failures.ts';
import type { ModelRef, ProviderName } from '../../domain/model.ts';
import { capabilitiesOf, type ModelSettings, missingFor, withOwnAccess } from '../../domain/model-settings.ts';
import { createAnthropicProvider, createBedrockProvider } from './anthropic.ts';
import type { ModelProvider, OwnClient } from './contract.ts';
import { createGeminiProvider } from './gemini.ts';
import { createOpenAiProvider } from './openai.ts';
import { NO_KEY, openAiAccess } from './openai-access.ts';

const ANTHROPIC_URL = 'https://api.anthropic.com';
function create(name: ProviderName, settings: ModelSettings, own: OwnClient | null): ModelProvider {
  const capabilities = capabilitiesOf(name, settings);
  switch (name) {
    case 'openai':
    case 'azure':
      return createOpenAiProvider({
        ...openAiAccess(name, settings),
        capabilities,
        own,
        tokenLimitField: 'max_completion_tokens',
      });
    case 'openai-compatible':
    case 'ollama':
    case 'demo':
      return createOpenAiProvider({
        ...openAiAccess(name, settings),
        capabilities,
        own,
        tokenLimitField: 'max_tokens',
      });
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
