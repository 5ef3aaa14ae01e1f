import { Failure } from '../../domain/failures.ts';
import type { ModelRef, ProviderName } from '../../domain/model.ts';
import { capabilitiesOf, type ModelSettings, missingFor } from '../../domain/model-settings.ts';
import { createAnthropicProvider, createBedrockProvider } from './anthropic.ts';
import type { ModelProvider } from './contract.ts';
import { createGeminiProvider } from './gemini.ts';
import { createOpenAiProvider } from './openai.ts';

const OPENAI_URL = 'https://api.openai.com/v1';
const ANTHROPIC_URL = 'https://api.anthropic.com';
/** The oldest that is no preview and knows tools, structured output and usage of streams. */
const AZURE_API_VERSION = '2024-10-21';
/** The SDK insists on a key; servers without keys ignore it. */
const NO_KEY = 'none';

function create(name: ProviderName, settings: ModelSettings): ModelProvider {
  const capabilities = capabilitiesOf(name, settings);
  switch (name) {
    case 'openai':
      return createOpenAiProvider({
        name,
        apiKey: settings.openai_api_key ?? NO_KEY,
        baseURL: settings.openai_base_url ?? OPENAI_URL,
        capabilities,
        tokenLimitField: 'max_completion_tokens',
      });
    case 'azure':
      return createOpenAiProvider({
        name,
        apiKey: settings.azure_api_key ?? NO_KEY,
        baseURL: settings.azure_endpoint ?? '',
        azureApiVersion: settings.azure_api_version ?? AZURE_API_VERSION,
        capabilities,
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
      return createOpenAiProvider({
        name,
        apiKey: (name === 'openai-compatible' ? settings.openai_api_key : undefined) ?? NO_KEY,
        baseURL: addresses[name] ?? '',
        capabilities,
        tokenLimitField: 'max_tokens',
      });
    }
    case 'anthropic':
      return createAnthropicProvider({
        apiKey: settings.anthropic_api_key ?? NO_KEY,
        baseURL: settings.anthropic_base_url ?? ANTHROPIC_URL,
        capabilities,
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
      });
    case 'gemini':
      return createGeminiProvider({
        apiKey: settings.gemini_api_key ?? NO_KEY,
        baseURL: settings.gemini_base_url,
        capabilities,
      });
  }
}

/** One client per provider and process, made when it is first asked for. */
export function createProviders(settings: ModelSettings): (ref: ModelRef) => ModelProvider {
  const made = new Map<ProviderName, ModelProvider>();
  return ({ provider }) => {
    const known = made.get(provider);
    if (known) return known;
    const missing = missingFor(provider, settings);
    if (missing) throw new Failure(missing.code, missing.message, { retryable: false });
    const fresh = create(provider, settings);
    made.set(provider, fresh);
    return fresh;
  };
}
