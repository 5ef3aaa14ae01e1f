import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { route } from '../../api/route.ts';
import { Failure } from '../../domain/failures.ts';
import { createWorkspace } from '../../store/workspaces.ts';
import { type Api, startApi } from './running-api.ts';

let api: Api;
let executed = 0;
/** What the next execution does before it answers; the test holds it open or lets it fail. */
let act: () => Promise<void> = async () => undefined;

const slow = route({
  method: 'post',
  path: '/slow',
  tag: 'Test',
  summary: 'Makes a workspace, and then whatever the test wants',
  body: z.strictObject({ name: z.string() }),
  replies: { 201: z.object({ id: z.string(), other_id: z.string() }) },
  handler: async ({ caller, newId, body }) => {
    executed += 1;
    const { id } = await createWorkspace(caller, { id: newId('ws'), name: body.name });
    await act();
    return { status: 201, body: { id, other_id: newId('ws') } };
  },
});

beforeAll(async () => {
  api = await startApi({ extraRoutes: [slow] });
});
beforeEach(() => {
  executed = 0;
  act = async () => undefined;
});
afterAll(() => api.stop());

const send = (key: string, name = 'Mine', token = api.ownerKey) =>
  api.call('POST', '/slow', { token, body: { name }, headers: { 'idempotency-key': key } });
const workspaces = async () => (await api.call('GET', '/workspaces?limit=100')).body.items.length;

describe('a write with an Idempotency-Key', () => {
  it('is executed once, and answered the same again', async () => {
    const before = await workspaces();
    const first = await send('once');
    const second = await send('once');
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect([first.headers.get('idempotent-replay'), second.headers.get('idempotent-replay')]).toEqual([null, 'true']);
    expect([executed, await workspaces()]).toEqual([1, before + 1]);
    expect(first.body.id).not.toBe(first.body.other_id);
  });

  it('refuses another request under the same key', async () => {
    await send('twice');
    const other = await send('twice', 'Another');
    expect([other.status, other.body.error, executed]).toEqual([422, 'idempotency_mismatch', 1]);
  });

  it('belongs to its caller: another may use the same key', async () => {
    await send('shared');
    expect((await send('shared', 'Theirs', await api.foreignOwner())).status).toBe(201);
    expect(executed).toBe(2);
  });

  it('is executed by one of many who come at once; the others are told to wait', async () => {
    const before = await workspaces();
    let finish = () => {};
    const held = new Promise<void>((done) => {
      finish = done;
    });
    act = () => held;
    const answers = Array.from({ length: 8 }, () => send('at-once'));
    const seen = await Promise.race(answers);
    expect([seen.status, seen.body.error]).toEqual([409, 'idempotency_in_progress']);
    finish();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(1);
    expect(statuses.every((status) => status === 201 || status === 409)).toBe(true);
    expect([executed, await workspaces()]).toEqual([1, before + 1]);
  });

  it('that failed on our side is taken up again at once, and meets what the first try wrote', async () => {
    const before = await workspaces();
    act = async () => {
      throw new Error('died halfway');
    };
    expect((await send('halfway')).status).toBe(500);
    act = async () => undefined;
    expect((await send('halfway')).status).toBe(201);
    expect([executed, await workspaces()]).toEqual([2, before + 1]);
  });

  it('whose process died is taken up again once its lock is a minute old, and meets what was written', async () => {
    const before = await workspaces();
    const first = await send('crashed');
    const records = mongoose.connection.collection('idempotency');
    const [record] = await records.find().sort({ expires_at: -1 }).limit(1).toArray();
    const leaveLock = (age: number) =>
      records.updateOne({ _id: record?._id }, { $set: { reply: null, locked_at: new Date(Date.now() - age) } });
    await leaveLock(30_000);
    expect((await send('crashed')).status).toBe(409);
    await leaveLock(61_000);
    const again = await send('crashed');
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect([executed, await workspaces()]).toEqual([2, before + 1]);
  });

  it('that was refused with nothing written can be corrected under the same key', async () => {
    act = async () => {
      throw new Failure('conflict', 'Not now.');
    };
    expect((await send('refused')).status).toBe(409);
    act = async () => undefined;
    expect((await send('refused', 'Corrected')).status).toBe(201);
  });

  it('gives an API key again to who asks with the same Idempotency-Key, and keeps neither in the clear', async () => {
    const make = () =>
      api.call('POST', '/api-keys', { body: { name: 'CI' }, headers: { 'idempotency-key': 'my-retry-key' } });
    const first = await make();
    const second = await make();
    expect(second.body.key).toBe(first.body.key);
    expect((await api.call('GET', '/me', { token: second.body.key })).status).toBe(200);
    const stored = JSON.stringify(await mongoose.connection.collection('idempotency').find().toArray());
    expect(stored).not.toContain(first.body.key);
    expect(stored).not.toContain('my-retry-key');
  });
});

it('a write without a key is executed as often as it is sent', async () => {
  const before = await workspaces();
  await api.call('POST', '/slow', { body: { name: 'Mine' } });
  await api.call('POST', '/slow', { body: { name: 'Mine' } });
  expect(await workspaces()).toBe(before + 2);
});
