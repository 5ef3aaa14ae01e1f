import { z } from 'zod';
import { CAPABILITIES, PROVIDERS, type ProviderName } from '../../domain/model.ts';
import type { AppDeps } from '../app.ts';
import { type Route, route } from '../route.ts';

const providerSchema = z.object({
  provider: z.string(),
  /** How a model of this provider is written. */
  example: z.string(),
  /** Whether this installation has what the provider needs. */
  configured: z.boolean(),
  note: z.string(),
  streaming: z.boolean(),
  tools: z.boolean(),
  parallel_tools: z.boolean(),
  structured_output: z.boolean(),
  usage: z.boolean(),
  is_llm: z.boolean(),
});

const TOLD: Record<ProviderName, { example: string; note: string }> = {
  openai: { example: 'gpt-4o', note: 'Needs OPENAI_API_KEY.' },
  demo: { example: 'demo/longhaul-demo', note: 'Rule-based and deterministic, for trying things out. Not an LLM.' },
  'openai-compatible': {
    example: 'openai-compatible/my-model',
    note: 'Any server that speaks the OpenAI API, at OPENAI_BASE_URL.',
  },
  ollama: { example: 'ollama/llama3', note: 'A local Ollama, at OLLAMA_BASE_URL.' },
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
          configured: providers[provider],
          ...CAPABILITIES[provider],
        })),
        next_cursor: null,
      },
    }),
  }),
];
