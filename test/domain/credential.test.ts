import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { providerCredential } from '../../domain/credential.ts';
import { PROVIDERS } from '../../domain/model.ts';
import { type ModelSettings, missingFor, withOwnAccess } from '../../domain/model-settings.ts';
import { isPrivateHost, isPrivateIp, readAddress } from '../../domain/private-address.ts';

const agent = { agent_mode: 'remote', model: 'claude-opus-5', local_model: null, remote_model: null } as const;
const SHARED = 'a-key-of-the-installation';
const INSTALLED: ModelSettings = {
  openai_api_key: SHARED,
  anthropic_api_key: SHARED,
  gemini_api_key: SHARED,
  azure_api_key: SHARED,
  azure_endpoint: 'https://azure.example',
  aws_region: 'us-test-1',
  aws_access_key_id: SHARED,
  aws_secret_access_key: SHARED,
  aws_session_token: SHARED,
  aws_bearer_token: SHARED,
  ollama_base_url: 'http://127.0.0.1:11434/v1',
  demo_url: 'http://127.0.0.1:1/v1',
};

describe('[16] what a credential is for', () => {
  it.each([
    ['api_key', { part: 'api_key', provider: 'anthropic' }],
    ['api_base', { part: 'api_base', provider: 'anthropic' }],
    ['openai_api_key', { part: 'api_key', provider: 'openai' }],
    ['openai_compatible_api_base', { part: 'api_base', provider: 'openai-compatible' }],
    ['github_api_key', null],
    ['organization_id', null],
  ])('%s', (key, expected) => {
    expect(providerCredential(key, agent)).toEqual(expected);
  });

  it('the provider of the model that the agent works with', () => {
    const hybrid = {
      ...agent,
      agent_mode: 'hybrid_auto',
      local_model: 'ollama/llama3',
      remote_model: 'gpt-4o',
    } as const;
    expect(providerCredential('api_key', hybrid)?.provider).toBe('openai');
    expect(providerCredential('api_key', { ...hybrid, agent_mode: 'local' })?.provider).toBe('ollama');
  });
});

describe('an agent that brings', () => {
  it.each(['openai', 'anthropic', 'gemini'] as const)('a key for %s needs none of the installation', (provider) => {
    expect(missingFor(provider, {})).not.toBeNull();
    expect(missingFor(provider, withOwnAccess(provider, {}, { api_key: 'its-own-key' }))).toBeNull();
  });

  it('an address needs none of the installation', () => {
    const api_base = 'https://models.example.org/v1';
    expect(missingFor('openai-compatible', withOwnAccess('openai-compatible', {}, { api_base }))).toBeNull();
    expect(withOwnAccess('ollama', {}, { api_base: 'http://gpu.example:11434' }).ollama_base_url).toBe(
      'http://gpu.example:11434/v1',
    );
  });

  it.each(PROVIDERS)('an address for %s alone is never sent a key of the installation', (provider) => {
    const own = withOwnAccess(provider, INSTALLED, { api_base: 'https://elsewhere.example/v1' });
    const goesElsewhere = JSON.stringify(own).includes('elsewhere');
    const sent: Record<string, (keyof ModelSettings)[]> = {
      openai: ['openai_api_key'],
      'openai-compatible': ['openai_api_key'],
      anthropic: ['anthropic_api_key'],
      gemini: ['gemini_api_key'],
      azure: ['azure_api_key'],
      bedrock: ['aws_bearer_token', 'aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'],
      ollama: ['ollama_api_key'],
    };
    if (goesElsewhere) for (const field of sent[provider] ?? []) expect(own[field]).toBeUndefined();
  });
});

describe('an address', () => {
  it.each([
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.0.1', '169.254.169.254', '0.0.0.0'],
    ...['100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'fd00::1', 'ff02::1'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::a00:1', '2002:7f00:1::'],
  ])('%s lies in a private network', (ip) => {
    expect(isPrivateIp(ip)).toBe(true);
  });

  it.each(['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.63.0.1', '169.253.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    '%s does not',
    (ip) => {
      expect(isPrivateIp(ip)).toBe(false);
    },
  );

  it('in numbers is judged as it is meant, however it is written', () => {
    const octet = fc.nat({ max: 255 });
    const property = fc.property(octet, octet, octet, fc.constantFrom('dec', 'hex', 'oct'), (b, c, d, how) => {
      const whole = ((127 * 256 + b) * 256 + c) * 256 + d;
      const written = { dec: String(whole), hex: `0x${whole.toString(16)}`, oct: `0${whole.toString(8)}` }[how];
      const url = readAddress(`http://${written}/v1`);
      expect(typeof url === 'string' ? url : isPrivateHost(url.hostname)).toBe(true);
    });
    fc.assert(property);
  });

  it('by a name that leads elsewhere is looked at when it is looked up', () => {
    expect(isPrivateHost('models.example.org')).toBe(false);
    for (const name of ['localhost', 'a.localhost', 'printer.local', 'vllm']) expect(isPrivateHost(name)).toBe(true);
  });
});
