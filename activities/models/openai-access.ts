import type { ModelSettings } from '../../domain/model-settings.ts';
import type { OpenAiAccess } from './openai.ts';

const OPENAI_URL = 'https://api.openai.com/v1';
/** The oldest that is no preview and knows tools, structured output and usage of streams. */
const AZURE_API_VERSION = '2024-10-21';
/** The SDK insists on a key; servers without keys ignore it. */
export const NO_KEY = 'none';

/** Where servers that speak OpenAI's API are, and with which key. */
export function openAiAccess(
  name: 'openai' | 'azure' | 'openai-compatible' | 'ollama' | 'demo',
  settings: ModelSettings,
): OpenAiAccess {
  switch (name) {
    case 'openai':
      return {
        name,
        apiKey: settings.openai_api_key ?? NO_KEY,
        baseURL: settings.openai_base_url ?? OPENAI_URL,
      };
    case 'azure':
      return {
        name,
        apiKey: settings.azure_api_key ?? NO_KEY,
        baseURL: settings.azure_endpoint ?? '',
        azureApiVersion: settings.azure_api_version ?? AZURE_API_VERSION,
      };
    case 'openai-compatible':
      return { name, apiKey: settings.openai_api_key ?? NO_KEY, baseURL: settings.openai_base_url ?? '' };
    case 'ollama':
      return { name, apiKey: settings.ollama_api_key ?? NO_KEY, baseURL: settings.ollama_base_url ?? '' };
    case 'demo':
      return { name, apiKey: NO_KEY, baseURL: settings.demo_url ?? '' };
  }
}
