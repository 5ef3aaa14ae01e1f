import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { workflowIdOf } from '../../domain/run-id.ts';
import { WORKER_GONE } from '../../domain/segment.ts';
import { newId } from '../../store/ids.ts';
import { identityText, isDeadNeighbour, ownIdentity, readIdentity } from '../../workers/identity.ts';
import { takeOver } from '../../workers/takeover.ts';
import { quiet, type System, startSystem } from '../running-system.ts';

const self = ownIdentity();

/** The identity of a worker that lived on this host and is gone. */
async function departed() {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return { ...self, pid: child.pid ?? 0 };
}

describe('the identity of a worker', () => {
  it.each([
    self,
    { host: 'a-host.example', boot: 'ab12cd34', pid: 1, started: '99' },
    { host: 'odd@host', boot: 'unknown', pid: 7, started: 'unknown' },
  ])('is read as it was written: %j', (identity) => expect(readIdentity(identityText(identity))).toEqual(identity));

  it.each(['', '12@host', 'worker-1', '12:34@host', ':1@b@h', 'x:1@b@h', '1:2@b@'])(
    'of somebody else is not mistaken for ours: %j',
    (text) => expect(readIdentity(text)).toBeNull(),
  );
});

describe('a neighbour counts as dead', () => {
  it('when its process is gone', async () => expect(isDeadNeighbour(await departed(), self)).toBe(true));
  it('when its process id belongs to another process by now', () =>
    expect(isDeadNeighbour({ ...self, started: '1' }, self)).toBe(true));
  it('not while it lives', () => expect(isDeadNeighbour(self, self)).toBe(false));
  it('never on another host, after another boot, or where boots cannot be told apart', async () => {
    const gone = await departed();
    for (const other of [
      { ...gone, host: 'elsewhere' },
      { ...gone, boot: 'another1' },
    ]) {
      expect(isDeadNeighbour(other, self)).toBe(false);
    }
    expect(isDeadNeighbour({ ...gone, boot: 'unknown' }, { ...self, boot: 'unknown' })).toBe(false);
  });
});

describe('[13] a worker that starts', () => {
  let system: System;
  let native: NativeConnection;
  beforeAll(async () => {
    system = await startSystem();
    native = await NativeConnection.connect({ address: inject('TEMPORAL_ADDRESS') });
  });
  afterAll(async () => {
    await native.close();
    await system.stop();
  });

  /** A run whose segment was taken by a worker of this identity, which never says a word about it. */
  async function heldBy(script: string, identity: string) {
    system.model.script(script, [{ text: 'Done.' }]);
    const taskQueue = newId('queue');
    // No activities: they are taken below, by hand.
    const decider = await Worker.create({
      connection: native,
      taskQueue,
      workflowBundle: { codePath: fileURLToPath(new URL('../../dist/workflows.js', import.meta.url)) },
    });
    // Nobody would notice by its heartbeat that the holder is gone.
    const id = await system.start(script, {}, { taskQueue, heartbeatMs: 600_000 });
    const pending = async () =>
      (await system.client.workflow.getHandle(workflowIdOf(id)).describe()).raw.pendingActivities;
    await decider.runUntil(async () => {
      const polling = { namespace: 'default', taskQueue: { name: taskQueue }, identity };
      const task = await system.client.connection.withDeadline(Date.now() + 20_000, () =>
        system.client.workflowService.pollActivityTaskQueue(polling),
      );
      expect(task.activityId).not.toBe('');
    });
    return pending;
  }

  it('gives back what its dead predecessor on this host still held, at once', async () => {
    const pending = await heldBy('bequeathed', identityText(await departed()));
    expect(await pending()).toMatchObject([{ attempt: 1 }]);
    expect(await takeOver(system.client, self, quiet)).toBe(1);
    await expect.poll(async () => (await pending())?.[0]?.attempt).toBeGreaterThan(1);
    // By this the workflow knows that what an executor had is to be looked for elsewhere.
    const lost = (await pending())?.[0]?.lastFailure?.applicationFailureInfo;
    expect(lost?.type).toBe(WORKER_GONE);
    expect(await takeOver(system.client, self, quiet)).toBe(0);
  });

  it('leaves alone what the living hold, and what strangers do', async () => {
    const [living, stranger] = await Promise.all([
      heldBy('living', identityText(self)),
      heldBy('stranger', '1@elsewhere'),
    ]);
    expect(await takeOver(system.client, self, quiet)).toBe(0);
    expect([await living(), await stranger()]).toMatchObject([[{ attempt: 1 }], [{ attempt: 1 }]]);
  });
});
