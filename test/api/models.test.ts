import { afterAll, beforeAll, expect, it } from 'vitest';
import { CAPABILITIES, PROVIDERS, parseModel } from '../../domain/model.ts';
import { configuredProviders } from '../../domain/model-settings.ts';
import { type Api, startApi } from './running-api.ts';

interface Shown {
  provider: string;
  example: string;
  configured: boolean;
}

let api: Api;
beforeAll(async () => {
  const address = 'http://127.0.0.1:9/v1';
  api = await startApi({
    providers: configuredProviders({ anthropic_api_key: 'k', openai_base_url: address, compatible_lacks: ['tools'] }),
  });
});
afterAll(() => api.stop());

const shown = async (): Promise<Shown[]> => (await api.call('GET', '/models')).body.items;

it('[4] the models show every provider, with a model string that is understood', async () => {
  const items = await shown();
  expect(items.map((item) => item.provider)).toEqual([...PROVIDERS]);
  for (const { provider, example } of items) expect(parseModel(example).provider).toBe(provider);
});

it('[4] the models show which providers can be called here', async () => {
  const configured = (await shown()).filter((item) => item.configured).map((item) => item.provider);
  expect(configured).toEqual(['anthropic', 'openai-compatible']);
});

it('[4] the models show what each can do, less what the server here lacks', async () => {
  const items = await shown();
  const of = (name: string) => items.find((item) => item.provider === name);
  expect(of('gemini')).toMatchObject(CAPABILITIES.gemini);
  expect(of('openai-compatible')).toMatchObject({ tools: true, native_tools: false, structured_output: true });
});
