import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workflowIdOf } from '../../domain/run-id.ts';
import { type System, startSystem } from '../running-system.ts';

let system: System;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

/** What the store takes from now on. */
const takes = (validator: object) => mongoose.connection.db?.command({ collMod: 'log', validator });

describe('[15.2] an answer that the store does not take', () => {
  it('is kept until it does, however often the attempt is made again, and bought once', async () => {
    system.model.script('refused', [{ text: 'I look.', tool_calls: [{ name: 'list_files' }] }, { text: 'Done.' }]);
    await mongoose.connection.db?.createCollection('log').catch(() => undefined);
    await takes({ 'facts.kind': { $ne: 'answered' } });
    const id = await system.start('refused');
    const attempts = async () => {
      const { raw } = await system.client.workflow.getHandle(workflowIdOf(id)).describe();
      return raw.pendingActivities?.[0]?.attempt ?? 0;
    };
    await expect.poll(attempts).toBeGreaterThan(2);
    await takes({});
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'Done.', unconfirmed_calls: 0 });
    expect(system.model.count('refused').calls).toBe(2);
    system.model.assertDone('refused');
  });
});
