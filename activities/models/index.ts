import { Failure } from '../../domain/failures.ts';
import { CAPABILITIES, type ModelRef, type ProviderName } from '../../domain/model.ts';
import type { ModelProvider } from './contract.ts';
import { createOpenAiProvider } from './openai.ts';

export interface ProviderSettings {
  openai_api_key?: string | undefined;
  openai_base_url?: string | undefined;
  demo_url?: string | undefined;
  ollama_base_url?: string | undefined;
}

const OPENAI_URL = 'https://api.openai.com/v1';
/** The SDK insists on a key; servers without keys ignore it. */
const NO_KEY = 'none';

function needed(value: string | undefined, code: 'bad_model_key' | 'unsupported_model', what: string): string {
  if (value) return value;
  throw new Failure(code, what, { retryable: false });
}

const PROVIDERS: Record<ProviderName, (settings: ProviderSettings) => ModelProvider> = {
  openai: ({ openai_api_key, openai_base_url }) =>
    createOpenAiProvider({
      name: 'openai',
      apiKey: needed(openai_api_key, 'bad_model_key', 'OpenAI models need a key: set OPENAI_API_KEY.'),
      baseURL: openai_base_url ?? OPENAI_URL,
      capabilities: CAPABILITIES.openai,
      tokenLimitField: 'max_completion_tokens',
    }),
  'openai-compatible': ({ openai_api_key, openai_base_url }) =>
    createOpenAiProvider({
      name: 'openai-compatible',
      apiKey: openai_api_key ?? NO_KEY,
      baseURL: needed(
        openai_base_url,
        'unsupported_model',
        'There is no OpenAI-compatible server: set OPENAI_BASE_URL to its address (it usually ends in /v1).',
      ),
      capabilities: CAPABILITIES['openai-compatible'],
      tokenLimitField: 'max_tokens',
    }),
  ollama: ({ ollama_base_url }) =>
    createOpenAiProvider({
      name: 'ollama',
      apiKey: NO_KEY,
      baseURL: needed(ollama_base_url, 'unsupported_model', 'There is no Ollama server: set OLLAMA_BASE_URL.'),
      capabilities: CAPABILITIES.ollama,
      tokenLimitField: 'max_tokens',
    }),
  demo: ({ demo_url }) =>
    createOpenAiProvider({
      name: 'demo',
      apiKey: NO_KEY,
      baseURL: needed(
        demo_url,
        'unsupported_model',
        'The demo model is not running: start Longhaul with `npm start`, or set LONGHAUL_DEMO_URL.',
      ),
      capabilities: CAPABILITIES.demo,
      tokenLimitField: 'max_tokens',
    }),
};

/** One client per provider and process, made when it is first asked for. */
export function createProviders(settings: ProviderSettings): (ref: ModelRef) => ModelProvider {
  const made = new Map<ProviderName, ModelProvider>();
  return ({ provider }) => {
    const known = made.get(provider);
    if (known) return known;
    const fresh = PROVIDERS[provider](settings);
    made.set(provider, fresh);
    return fresh;
  };
}
