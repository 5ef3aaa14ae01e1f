import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createProviders } from '../../../activities/models/index.ts';
import { modelSettings, readConfig } from '../../../config.ts';
import { CAPABILITIES, PROVIDERS, parseModel } from '../../../domain/model.ts';
import { capabilitiesOf, configuredProviders, type ModelSettings } from '../../../domain/model-settings.ts';

const ADDRESS = 'http://127.0.0.1:9/v1';
const KEY = 'a-key-of-some-length';
const ALL: ModelSettings = {
  openai_api_key: KEY,
  openai_base_url: ADDRESS,
  anthropic_api_key: KEY,
  gemini_api_key: KEY,
  azure_endpoint: ADDRESS,
  azure_api_key: KEY,
  aws_region: 'us-test-1',
  demo_url: ADDRESS,
  ollama_base_url: ADDRESS,
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
    ['claude-opus-5', 'bad_model_key', 'ANTHROPIC_API_KEY'],
    ['gemini-2.5-pro', 'bad_model_key', 'GEMINI_API_KEY'],
    ['azure/mine', 'unsupported_model', 'AZURE_OPENAI_ENDPOINT'],
    ['bedrock/anthropic.claude', 'unsupported_model', 'AWS_REGION'],
    ['openai-compatible/llama', 'unsupported_model', 'OPENAI_BASE_URL'],
    ['ollama/llama3', 'unsupported_model', 'OLLAMA_BASE_URL'],
    ['demo/longhaul-demo', 'unsupported_model', 'LONGHAUL_DEMO_URL'],
  ])('%s without its setting fails at once and names what to set', (model, code, variable) => {
    const choose = () => createProviders({})(parseModel(model));
    expect(choose).toThrow(expect.objectContaining({ code, details: { retryable: false } }));
    expect(choose).toThrow(variable);
  });

  it('an Azure resource without a key fails at once and names what to set', () => {
    const choose = () => createProviders({ azure_endpoint: ADDRESS })(parseModel('azure/mine'));
    expect(choose).toThrow('AZURE_OPENAI_API_KEY');
  });

  it('an Azure resource is used also where the environment names another server beside it', () => {
    vi.stubEnv('OPENAI_BASE_URL', 'https://gateway.example.org/v1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const providerFor = createProviders({ azure_endpoint: ADDRESS, azure_api_key: KEY });
    expect(providerFor(parseModel('azure/mine')).name).toBe('azure');
  });

  it('OpenAI with a key needs no address', () => {
    expect(createProviders({ openai_api_key: 'a-key' })(parseModel('gpt-4o')).name).toBe('openai');
  });
});

describe('what the environment says about providers', () => {
  it('reaches the adapters', () => {
    const settings = modelSettings(
      readConfig({
        GEMINI_API_KEY: KEY,
        AWS_DEFAULT_REGION: 'us-test-1',
        LONGHAUL_OLLAMA_LACKS: 'tools, structured_output',
      }),
    );
    expect(settings).toMatchObject({ gemini_api_key: KEY, aws_region: 'us-test-1' });
    expect(Object.keys(configuredProviders(settings))).toEqual(['gemini', 'bedrock', 'ollama']);
    expect(configuredProviders(settings).ollama).toMatchObject({ tools: false });
  });

  it('is refused where a server is said to lack what nobody has', () => {
    expect(() => readConfig({ LONGHAUL_COMPATIBLE_LACKS: 'tools,charm' })).toThrow('LONGHAUL_COMPATIBLE_LACKS');
  });
});

describe('what is shown of the providers', () => {
  it('is configured where it has what it needs', () => {
    expect(Object.keys(configuredProviders(ALL))).toEqual([...PROVIDERS]);
    expect(Object.keys(configuredProviders({ openai_base_url: ADDRESS }))).toEqual(['openai-compatible']);
  });

  it.each([
    [[], { tools: true, native_tools: true, structured_output: true }],
    [['tools'], { tools: true, native_tools: false, structured_output: true, parallel_tools: true }],
    [['structured_output'], { tools: true, native_tools: true, structured_output: false }],
    [['tools', 'structured_output'], { tools: false, native_tools: false, structured_output: false }],
  ] as const)('a server that lacks %j can do %j', (lacks, capabilities) => {
    expect(capabilitiesOf('openai-compatible', { compatible_lacks: lacks })).toMatchObject(capabilities);
    expect(capabilitiesOf('ollama', { ollama_lacks: lacks })).toMatchObject(capabilities);
    expect(capabilitiesOf('openai', { compatible_lacks: lacks })).toEqual(CAPABILITIES.openai);
  });
});
