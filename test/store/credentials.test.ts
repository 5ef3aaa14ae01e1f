import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, createAgentBody } from '../../domain/agent.ts';
import type { Caller } from '../../domain/identity.ts';
import { createAgent } from '../../store/agents.ts';
import { disconnectStore } from '../../store/connection.ts';
import { credentialCollection, loadCredentials, renewCredentials } from '../../store/credential-upkeep.ts';
import { setCredential } from '../../store/credentials.ts';
import { newId } from '../../store/ids.ts';
import { keyIdOf } from '../../store/secrets.ts';
import { createWorkspace } from '../../store/workspaces.ts';
import { ownStore } from '../own-store.ts';
import { newOwner } from '../people.ts';

const OLD = 'the key that was before';
const NEW = 'the key that is now used';
let caller: Caller;
let agent: Agent;
let other: Agent;

const agentOf = async (workspace_id: string, model: string) =>
  createAgent(caller, { ...createAgentBody.parse({ workspace_id, name: 'A', model }), id: newId('agt') });
const set = (key: string, value: string, secretKey = OLD, of = agent) =>
  setCredential(caller, [secretKey], { agent_id: of.id, key, value });
const valuesOf = async (keys: Parameters<typeof loadCredentials>[0], of = agent) =>
  Object.fromEntries((await loadCredentials(keys, caller.org_id, of.id)).map(({ key, value }) => [key, value]));

beforeAll(async () => {
  await ownStore();
  caller = await newOwner();
  const { id } = await createWorkspace(caller, { id: newId('ws'), name: 'W' });
  [agent, other] = await Promise.all([agentOf(id, 'gpt-4o'), agentOf(id, 'claude-opus-5')]);
});
beforeEach(() => credentialCollection().deleteMany({}));
afterAll(disconnectStore);

describe('a credential', () => {
  it('opens for its agent and under its key alone', async () => {
    await set('api_key', 'value of the agent');
    expect(await valuesOf([OLD])).toEqual({ api_key: 'value of the agent' });
    expect(await valuesOf([NEW])).toEqual({ api_key: null });
    expect(await valuesOf([OLD], other)).toEqual({});
    expect(await loadCredentials([OLD], newId('org'), agent.id)).toEqual([]);
  });

  it.each([
    ['another agent', () => ({ agent_id: other.id })],
    ['another name', () => ({ key: 'pass_word' })],
    ['another provider', () => ({ provider: 'anthropic' as const })],
    ['private addresses', () => ({ may_be_private: true })],
  ])('does not open when its ciphertext is moved to %s', async (_to, changed) => {
    await set('api_key', 'value of the agent');
    const doc = await credentialCollection().findOne({});
    await credentialCollection().deleteMany({});
    if (doc) await credentialCollection().insertOne({ ...doc, ...changed() });
    const found = await loadCredentials(
      [OLD],
      caller.org_id,
      (changed() as { agent_id?: string }).agent_id ?? agent.id,
    );
    expect(found.map(({ value }) => value)).toEqual([null]);
  });

  it('is for the provider of the model that the agent had when it was set', async () => {
    await set('api_key', 'for the own model');
    await set('openai_compatible_api_base', 'https://models.example.org/v1');
    await set('github_token', 'for somebody else');
    const found = await loadCredentials([OLD], caller.org_id, agent.id);
    expect(Object.fromEntries(found.map(({ key, provider, part }) => [key, [provider, part]]))).toEqual({
      api_key: ['openai', 'api_key'],
      openai_compatible_api_base: ['openai-compatible', 'api_base'],
      github_token: [null, null],
    });
  });
});

describe('changing SECRET_KEY', () => {
  const some = Array.from({ length: 12 }, (_, n) => `credential_${n}`);

  it('seals everything under the new one, after which the old one is not needed', async () => {
    for (const key of some) await set(key, `value of ${key}`);
    expect(await valuesOf([NEW, OLD])).toMatchObject({ credential_3: 'value of credential_3' });
    expect(await renewCredentials([NEW, OLD])).toEqual({ renewed: 12, unreadable: 0 });
    expect(await renewCredentials([NEW, OLD])).toEqual({ renewed: 0, unreadable: 0 });
    expect(await valuesOf([NEW])).toEqual(Object.fromEntries(some.map((key) => [key, `value of ${key}`])));
  });

  it('that was cut off halfway is gone on with by the next start', async () => {
    // Each is renewed by itself, so this is what a process leaves that died after five of them.
    for (const [n, key] of some.entries()) await set(key, `value of ${key}`, n < 5 ? NEW : OLD);
    expect(await valuesOf([NEW, OLD])).toEqual(Object.fromEntries(some.map((key) => [key, `value of ${key}`])));
    expect(await renewCredentials([NEW, OLD])).toEqual({ renewed: 7, unreadable: 0 });
    expect(await valuesOf([NEW])).toEqual(Object.fromEntries(some.map((key) => [key, `value of ${key}`])));
  });

  it('by several processes at once comes to the same, and loses nothing that is set meanwhile', async () => {
    for (const key of some) await set(key, `value of ${key}`);
    const [told] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, () => renewCredentials([NEW, OLD]))),
      set('credential_7', 'set meanwhile', NEW),
    ]);
    expect(told.reduce((sum, { renewed }) => sum + renewed, 0)).toBeLessThanOrEqual(12);
    expect(await valuesOf([NEW])).toMatchObject({
      credential_7: 'set meanwhile',
      credential_8: 'value of credential_8',
    });
    expect(await credentialCollection().countDocuments({ key_id: { $ne: keyIdOf(NEW) } })).toBe(0);
  });

  it('leaves alone what is sealed under a key that is not given, and says so', async () => {
    await set('api_key', 'under an unknown key', 'a key that is lost for good');
    expect(await renewCredentials([NEW, OLD])).toEqual({ renewed: 0, unreadable: 1 });
    expect(await valuesOf(['a key that is lost for good'])).toEqual({ api_key: 'under an unknown key' });
  });
});
