import type { OwnAccess } from './credential.ts';
import type { FailureCode } from './failures.ts';
import { CAPABILITIES, type ModelCapabilities, PROVIDERS, type ProviderName } from './model.ts';

/** What a server that speaks somebody else's API may lack of it. */
export const LACKS = ['tools', 'structured_output'] as const;
export type Lack = (typeof LACKS)[number];

/** Addresses and keys of the model providers, as an installation has them. */
export interface ModelSettings {
  openai_api_key?: string | undefined;
  openai_base_url?: string | undefined;
  anthropic_api_key?: string | undefined;
  anthropic_base_url?: string | undefined;
  gemini_api_key?: string | undefined;
  gemini_base_url?: string | undefined;
  azure_endpoint?: string | undefined;
  azure_api_key?: string | undefined;
  azure_api_version?: string | undefined;
  aws_region?: string | undefined;
  aws_access_key_id?: string | undefined;
  aws_secret_access_key?: string | undefined;
  aws_session_token?: string | undefined;
  /** A Bedrock API key, which goes before the other credentials. */
  aws_bearer_token?: string | undefined;
  bedrock_base_url?: string | undefined;
  ollama_base_url?: string | undefined;
  /** For a server behind a gate; Ollama itself has no keys. */
  ollama_api_key?: string | undefined;
  demo_url?: string | undefined;
  compatible_lacks?: readonly Lack[];
  ollama_lacks?: readonly Lack[];
}

/**
 * The installation's settings with what an agent brings for one provider in their place. An address of the agent's own
 * never gets a key of the installation: whoever sets it would be sent it.
 */
export function withOwnAccess(provider: ProviderName, settings: ModelSettings, own: OwnAccess): ModelSettings {
  const { api_key, api_base } = own;
  const keyOr = (shared: string | undefined) => api_key ?? (api_base === undefined ? shared : undefined);
  switch (provider) {
    case 'openai':
    case 'openai-compatible':
      return {
        ...settings,
        openai_api_key: keyOr(settings.openai_api_key),
        openai_base_url: api_base ?? settings.openai_base_url,
      };
    case 'anthropic':
      return {
        ...settings,
        anthropic_api_key: keyOr(settings.anthropic_api_key),
        anthropic_base_url: api_base ?? settings.anthropic_base_url,
      };
    case 'gemini':
      return {
        ...settings,
        gemini_api_key: keyOr(settings.gemini_api_key),
        gemini_base_url: api_base ?? settings.gemini_base_url,
      };
    case 'azure':
      return {
        ...settings,
        azure_api_key: keyOr(settings.azure_api_key),
        azure_endpoint: api_base ?? settings.azure_endpoint,
      };
    case 'ollama':
      return {
        ...settings,
        ollama_api_key: api_key,
        ollama_base_url: ollamaAddress(api_base) ?? settings.ollama_base_url,
      };
    case 'bedrock':
      // A key of its own goes before all that AWS knows of; without one, nothing is signed for an address of its own.
      return api_key === undefined
        ? settings
        : { ...settings, aws_bearer_token: api_key, bedrock_base_url: api_base ?? settings.bedrock_base_url };
    case 'demo':
      return settings;
  }
}

/** Ollama's own address is usually given without the part of it that speaks OpenAI's API. */
const ollamaAddress = (address: string | undefined): string | undefined =>
  address?.replace(/^(https?:\/\/[^/]+)\/?$/, '$1/v1');

interface Missing {
  code: FailureCode;
  message: string;
}
const key = (message: string): Missing => ({ code: 'bad_model_key', message });
const address = (message: string): Missing => ({ code: 'unsupported_model', message });

/** What a provider needs that is not there; null where it can be called. */
export function missingFor(provider: ProviderName, settings: ModelSettings): Missing | null {
  switch (provider) {
    case 'openai':
      return settings.openai_api_key ? null : key('OpenAI models need a key: set OPENAI_API_KEY.');
    case 'anthropic':
      return settings.anthropic_api_key ? null : key('Claude models need a key: set ANTHROPIC_API_KEY.');
    case 'gemini':
      return settings.gemini_api_key ? null : key('Gemini models need a key: set GEMINI_API_KEY.');
    case 'azure':
      if (!settings.azure_endpoint) return address('There is no Azure resource: set AZURE_OPENAI_ENDPOINT.');
      return settings.azure_api_key ? null : key('Azure deployments need a key: set AZURE_OPENAI_API_KEY.');
    case 'bedrock':
      return settings.aws_region
        ? null
        : address('There is no AWS region for Bedrock: set AWS_REGION, and credentials as for any AWS client.');
    case 'openai-compatible':
      return settings.openai_base_url
        ? null
        : address('There is no OpenAI-compatible server: set OPENAI_BASE_URL to its address (it usually ends in /v1).');
    case 'ollama':
      return settings.ollama_base_url ? null : address('There is no Ollama server: set OLLAMA_BASE_URL.');
    case 'demo':
      return settings.demo_url
        ? null
        : address('The demo model is not running: start Longhaul with `npm start`, or set LONGHAUL_DEMO_URL.');
  }
}

/** What a provider can do here: what its API can, less what the server behind it lacks. */
export function capabilitiesOf(provider: ProviderName, settings: ModelSettings): ModelCapabilities {
  const all = CAPABILITIES[provider];
  const lacking = { 'openai-compatible': settings.compatible_lacks, ollama: settings.ollama_lacks };
  const lacks = provider === 'openai-compatible' || provider === 'ollama' ? lacking[provider] : undefined;
  if (!lacks || lacks.length === 0) return all;
  const native_tools = !lacks.includes('tools');
  const structured_output = !lacks.includes('structured_output');
  const tools = native_tools || structured_output;
  return { ...all, native_tools, structured_output, tools, parallel_tools: tools };
}

/** The providers that can be called here, with what they can do. */
export const configuredProviders = (settings: ModelSettings): Partial<Record<ProviderName, ModelCapabilities>> =>
  Object.fromEntries(
    PROVIDERS.filter((provider) => !missingFor(provider, settings)).map((provider) => [
      provider,
      capabilitiesOf(provider, settings),
    ]),
  );
