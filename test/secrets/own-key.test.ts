import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FRESH_MS } from '../../activities/agent-secrets.ts';
import { credentialCollection } from '../../store/credential-upkeep.ts';
import { removeCredential, setCredential } from '../../store/credentials.ts';
import { newId } from '../../store/ids.ts';
import { SECRET_KEY, type System, startSystem } from '../running-system.ts';

let system: System;
beforeAll(async () => {
  // The installation has no key of its own.
  system = await startSystem({ modelKey: '' });
});
afterAll(() => system.stop());

const set = (value: string, key = 'api_key') =>
  setCredential(system.caller, [SECRET_KEY], { agent_id: system.agent.id, key, value });
const sent = (script: string) => system.model.callsOf(script).map(({ headers }) => headers.authorization);
const aSecondLater = async () => {
  const then = Date.now() + FRESH_MS;
  await expect.poll(() => Date.now()).toBeGreaterThan(then);
};
const list = { tool_calls: [{ name: 'list_files' }] };

describe('[16] a key that an agent has of its own', () => {
  it('is wanted where the installation has none', async () => {
    system.model.script('none', [{ text: 'Never said.' }]);
    expect(await system.ended(await system.start('none'))).toMatchObject({
      status: 'failed',
      error: { code: 'bad_model_key', message: expect.stringContaining('credential api_key of the agent') },
    });
    expect(sent('none')).toEqual([]);
  });

  it('is used, and when it is changed or removed, that counts from the next model call a second later on', async () => {
    await set('the-first-key-of-the-agent');
    system.model.script('changes', [list, list, { text: 'Never said.' }]);
    const release = system.model.hold('changes', 0, 0);
    const releaseNext = system.model.hold('changes', 1, 0);
    const id = await system.start('changes');
    await system.model.reached('changes', 0);
    await set('the-second-key-of-the-agent');
    await aSecondLater();
    release();
    await system.model.reached('changes', 1);
    await removeCredential(system.caller, system.agent.id, 'api_key');
    await aSecondLater();
    releaseNext();
    expect(await system.ended(id)).toMatchObject({ status: 'failed', error: { code: 'bad_model_key' } });
    expect(sent('changes')).toEqual(['Bearer the-first-key-of-the-agent', 'Bearer the-second-key-of-the-agent']);
  });

  it('goes to no other provider, though a fork may ask for one', async () => {
    await set('the-key-for-openai-alone');
    system.model.script('forked', [{ text: 'Done.' }]);
    const id = await system.start('forked');
    await system.ended(id);
    const body = { step: 0, model: 'openai-compatible/other', input: '[script:elsewhere] Do it.' };
    system.model.script('elsewhere', [{ text: 'Elsewhere.' }]);
    const fork = await system.commands.fork(system.caller, id, body, newId);
    expect(await system.ended(fork._id)).toMatchObject({ status: 'completed', output: 'Elsewhere.' });
    expect(sent('elsewhere')).toEqual(['Bearer none']);
  });

  it('that does not open fails the call, which is tried again, and no other key is used', async () => {
    await set('the-key-that-will-not-open');
    await credentialCollection().updateMany({}, { $set: { key_id: 'of a key nobody has' } });
    system.model.script('unreadable', [{ text: 'At last.' }]);
    const id = await system.start('unreadable');
    const failing = await system.until(id, (run) => run.retry_at !== null);
    expect(failing.status).toBe('running');
    await set('the-key-that-opens-again');
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'At last.' });
    expect(sent('unreadable')).toEqual(['Bearer the-key-that-opens-again']);
  });
});
