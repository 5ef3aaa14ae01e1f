import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownAccess } from '../../../activities/agent-secrets.ts';
import { createProviders } from '../../../activities/models/index.ts';
import { lookUpPublic } from '../../../activities/public-lookup.ts';
import { parseModel } from '../../../domain/model.ts';
import { ScriptedModel } from '../../doubles/scripted-model.ts';

const KEY = 'a-key-of-some-length';
const request = { messages: [{ role: 'user', content: '[script:hello] Hello.' } as const], tools: [], max_tokens: 10 };
const options = () => ({ signal: new AbortController().signal, idleMs: 5_000 });

let model: ScriptedModel;
beforeAll(async () => {
  model = await ScriptedModel.start({ hello: [{ text: 'Hello.' }] });
});
afterAll(() => model.close());

describe('a key or an address of an agent', () => {
  it('has a client of its own, kept for as long as it stays the same', () => {
    const providerOf = createProviders({ openai_api_key: KEY });
    const gpt = parseModel('gpt-4o');
    const own = { api_key: 'another-key-of-some-length' };
    expect(providerOf(gpt, own)).toBe(providerOf(gpt, { ...own }));
    expect(providerOf(gpt, own)).not.toBe(providerOf(gpt));
    expect(providerOf(gpt, own)).not.toBe(providerOf(gpt, { api_key: 'a-third-key-of-some-length' }));
    expect(providerOf(gpt, null)).toBe(providerOf(gpt));
  });

  it('makes a provider usable that the installation has nothing for', async () => {
    const provider = createProviders({})(parseModel('gpt-4o'), {
      api_key: KEY,
      api_base: model.url,
      may_be_private: true,
    });
    expect((await provider.streamStep({ model: 'gpt-4o', ...request }, options())).assistant_message).toBe('Hello.');
    expect(model.callsOf('hello').at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('an address without a key gets none of the installation', async () => {
    const provider = createProviders({ openai_api_key: KEY })(parseModel('openai-compatible/m'), {
      api_base: model.url,
      may_be_private: true,
    });
    await provider.streamStep({ model: 'm', ...request }, options());
    expect(model.callsOf('hello').at(-1)?.headers.authorization).not.toContain(KEY);
  });

  it.each(['gpt-4o', 'claude-opus-5', 'gemini-2.5-pro', 'openai-compatible/m'])(
    '%s: an address in a private network that no admin has allowed is not called',
    async (name) => {
      const before = model.calls.length + model.unexpected.length;
      const provider = createProviders({})(parseModel(name), { api_key: KEY, api_base: model.url });
      const call = provider.streamStep({ model: parseModel(name).model, ...request }, options());
      await expect(call).rejects.toMatchObject({ code: 'provider_unavailable' });
      await expect(call).rejects.toThrow('private network');
      expect(model.calls.length + model.unexpected.length).toBe(before);
    },
  );

  it('a name that leads into a private network is refused when it is looked up', async () => {
    const looked = await new Promise((done) => lookUpPublic('localhost', { all: true }, done));
    expect(looked).toMatchObject({ code: 'EPRIVATE' });
  });
});

describe('the credentials of an agent', () => {
  const credential = {
    key: 'api_key',
    provider: 'openai',
    part: 'api_key',
    may_be_private: false,
    value: KEY,
  } as const;

  it('are for the provider they were set for, and for no other', () => {
    expect(ownAccess([credential], 'openai')).toEqual({ api_key: KEY });
    expect(ownAccess([credential], 'anthropic')).toBeNull();
  });

  it('that do not open fail the call instead of going on with the key of the installation', () => {
    const act = () => ownAccess([{ ...credential, value: null }], 'openai');
    expect(act).toThrow(expect.objectContaining({ code: 'credential_unreadable', details: expect.anything() }));
    expect(ownAccess([{ ...credential, value: null }], 'gemini')).toBeNull();
  });

  it('with the name of the provider go before those without', () => {
    const named = { ...credential, key: 'openai_api_key', value: 'the-more-exact-one' };
    expect(ownAccess([credential, named], 'openai')).toEqual({ api_key: 'the-more-exact-one' });
  });
});
