import { describe, expect, it } from 'vitest';
import { createProviders } from '../../../activities/models/index.ts';
import { CAPABILITIES, PROVIDERS, parseModel } from '../../../domain/model.ts';

const ALL = {
  openai_api_key: 'a-key-of-some-length',
  openai_base_url: 'http://127.0.0.1:9/v1',
  demo_url: 'http://127.0.0.1:9/v1',
  ollama_base_url: 'http://127.0.0.1:9/v1',
};

describe('choosing a provider', () => {
  it.each(PROVIDERS)('%s has an adapter, whose capabilities are those shown to clients', (name) => {
    const provider = createProviders(ALL)({ provider: name, model: 'm' });
    expect(provider.name).toBe(name);
    expect(provider.capabilities).toEqual(CAPABILITIES[name]);
  });

  it('keeps one client per provider', () => {
    const providerOf = createProviders(ALL);
    expect(providerOf(parseModel('gpt-4o'))).toBe(providerOf(parseModel('openai:gpt-4.1')));
    expect(providerOf(parseModel('gpt-4o'))).not.toBe(providerOf(parseModel('ollama/llama3')));
  });

  it.each([
    ['gpt-4o', 'bad_model_key', 'OPENAI_API_KEY'],
    ['openai-compatible/llama', 'unsupported_model', 'OPENAI_BASE_URL'],
    ['ollama/llama3', 'unsupported_model', 'OLLAMA_BASE_URL'],
    ['demo/longhaul-demo', 'unsupported_model', 'LONGHAUL_DEMO_URL'],
  ])('%s without its setting fails at once and names what to set', (model, code, variable) => {
    const choose = () => createProviders({})(parseModel(model));
    expect(choose).toThrow(expect.objectContaining({ code, details: { retryable: false } }));
    expect(choose).toThrow(variable);
  });

  it('OpenAI with a key needs no address', () => {
    expect(createProviders({ openai_api_key: 'a-key' })(parseModel('gpt-4o')).name).toBe('openai');
  });
});
