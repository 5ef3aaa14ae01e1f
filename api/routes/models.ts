import { z } from 'zod';
import { CAPABILITIES, PROVIDERS, type ProviderName } from '../../domain/model.ts';
import type { AppDeps } from '../app.ts';
import { type Route, route } from '../route.ts';

const providerSchema = z.object({
  provider: z.string(),
  /** How a model of this provider is written. */
  example: z.string(),
  /** Whether this installation has what the provider needs; an agent may bring it itself. */
  configured: z.boolean(),
  note: z.string(),
  streaming: z.boolean(),
  tools: z.boolean(),
  /** Where not, tools go through structured output. */
  native_tools: z.boolean(),
  parallel_tools: z.boolean(),
  structured_output: z.boolean(),
  usage: z.boolean(),
  is_llm: z.boolean(),
});

const TOLD: Record<ProviderName, { example: string; note: string }> = {
  openai: { example: 'gpt-4o', note: 'Needs OPENAI_API_KEY, or the credential api_key of an agent.' },
  anthropic: { example: 'claude-opus-5', note: 'Needs ANTHROPIC_API_KEY, or the credential api_key of an agent.' },
  gemini: { example: 'gemini-2.5-pro', note: 'Needs GEMINI_API_KEY, or the credential api_key of an agent.' },
  azure: {
    example: 'azure/my-deployment',
    note: 'The name of a deployment; needs AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_KEY, or api_base and api_key of an agent.',
  },
  bedrock: {
    example: 'bedrock/us.anthropic.claude-opus-5',
    note: 'Claude on Amazon Bedrock; needs AWS_REGION and credentials as for any AWS client.',
  },
  demo: { example: 'demo/longhaul-demo', note: 'Rule-based and deterministic, for trying things out. Not an LLM.' },
  'openai-compatible': {
    example: 'openai-compatible/my-model',
    note: 'Any server that speaks the OpenAI API, at OPENAI_BASE_URL or the credential api_base of an agent.',
  },
  ollama: {
    example: 'ollama/llama3',
    note: 'A local Ollama, at OLLAMA_BASE_URL or the credential api_base of an agent.',
  },
};

export const modelRoutes = ({ providers }: AppDeps): Route[] => [
  route({
    method: 'get',
    path: '/models',
    tag: 'Agents',
    summary: 'The model providers, how their models are written and what they can do',
    replies: { 200: z.object({ items: z.array(providerSchema), next_cursor: z.null() }) },
    handler: async () => ({
      status: 200,
      body: {
        items: PROVIDERS.map((provider) => ({
          provider,
          ...TOLD[provider],
          configured: providers[provider] !== undefined,
          ...(providers[provider] ?? CAPABILITIES[provider]),
        })),
        next_cursor: null,
      },
    }),
  }),
];
