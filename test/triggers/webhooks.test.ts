import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventCommands } from '../../api/event-commands.ts';
import { hookSignature } from '../../api/hooks.ts';
import { TriggerUpkeep } from '../../api/trigger-upkeep.ts';
import { deliveryDocId, partOf, recordDelivery } from '../../store/event-deliveries.ts';
import { loadSource } from '../../store/event-sources.ts';
import { loadSubscription } from '../../store/event-subscriptions.ts';
import { newId } from '../../store/ids.ts';
import { loadRun } from '../../store/run-upkeep.ts';
import { quiet } from '../running-system.ts';
import { startWithPeople, type WithPeople } from './people-served.ts';

let served: WithPeople['served'];
let call: WithPeople['call'];
let [admin, ana, ben, reader, stranger, shared] = ['', '', '', '', '', ''];
beforeAll(async () => {
  ({ served, call, admin, ana, ben, reader, stranger, shared } = await startWithPeople({ proxyHops: 1 }));
});
afterAll(() => served.stop());

interface Source {
  id: string;
  url: string;
  secret: string;
}
const source = async (): Promise<Source> => {
  const body = { workspace_id: served.workspace.id, name: 'Tickets' };
  const made = await call('POST', '/events/sources', ana, { body });
  expect(made.status).toBe(201);
  return made.body;
};
const subscribe = async ({ id }: Source, more: object = {}) => {
  const body = { source_id: id, target_type: 'agent', agent_id: shared, ...more };
  const made = await call('POST', '/events/subscriptions', ana, { body });
  expect(made).toMatchObject({ status: 201 });
  return made.body;
};

interface Sending {
  body?: string;
  at?: number;
  secret?: string;
  headers?: Record<string, string>;
}
const now = () => Math.floor(Date.now() / 1000);
async function send(
  to: Source,
  payload: unknown,
  { at = now(), secret = to.secret, headers = {}, body }: Sending = {},
) {
  const text = body ?? JSON.stringify(payload);
  const response = await fetch(to.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-longhaul-timestamp': String(at),
      'x-longhaul-signature': `v1=${hookSignature(secret, String(at), Buffer.from(text))}`,
      ...headers,
    },
    body: text,
  });
  return { status: response.status, body: await response.json() };
}
const deliveryOf = async (id: string, token = ana) => (await call('GET', `/events/deliveries/${id}`, token)).body;
const started = async (id: string, status = 'started') => {
  await expect.poll(async () => (await deliveryOf(id)).status).toBe(status);
  return deliveryOf(id);
};

describe('[8] a webhook', () => {
  it('starts what is subscribed as the system user, with what the mapping makes of it; the delivery has its output', async () => {
    served.model.script('ticket', [{ text: 'seen to' }]);
    const from = await source();
    await subscribe(from, {
      name: 'New tickets',
      tier: 'simple',
      filter: 'payload.action == "opened"',
      input_mapping: {
        say: '[script:ticket] Ticket {{ payload.ticket.id }}',
        id: '{{ payload.ticket.id }}',
        ticket: '{{ payload.ticket }}',
        agent: '{{ headers["user-agent"] ?? "" }}',
        from: '{{ source.name }}',
      },
    });
    const ticket = { id: 42, tags: ['a'] };
    const headers = { 'x-longhaul-delivery': 'first', 'x-api-key': 'hidden', 'x-event': 'ticket' };
    const sent = await send(from, { action: 'opened', ticket }, { headers });
    expect(sent).toMatchObject({ status: 202, body: { duplicate: false } });
    const { run_id, runs, headers: kept, payload } = await started(sent.body.delivery_id);
    expect(runs).toMatchObject([{ subscription_name: 'New tickets', attempt: 1, run_id }]);
    expect([kept['x-event'], kept['x-api-key'], payload]).toEqual(['ticket', undefined, { action: 'opened', ticket }]);
    expect(await served.ended(run_id)).toMatchObject({
      status: 'completed',
      trigger_type: 'event',
      trigger_source: 'webhook: Tickets',
      event_delivery_id: sent.body.delivery_id,
      caller_name: 'System',
      budget_max_iterations: 10,
      input: { say: '[script:ticket] Ticket 42', id: 42, ticket, from: 'Tickets' },
    });
    expect(await deliveryOf(sent.body.delivery_id, reader)).toMatchObject({
      status: 'started',
      output: 'seen to',
      delivery_id: 'first',
      runs: [{ run_status: 'completed', output: 'seen to' }],
    });
  });

  it('that nobody wants is recorded, and starts nothing', async () => {
    const from = await source();
    await subscribe(from, { filter: '{{ payload.kind == "wanted" }}' });
    const { body } = await send(from, { kind: 'other' });
    expect(await deliveryOf(body.delivery_id)).toMatchObject({ status: 'unmatched', runs: [], run_id: null });
  });

  it('starts a workflow, and one run for each who is subscribed', async () => {
    served.model.script('both', [{ text: 'agent' }]);
    const from = await source();
    const body = {
      workspace_id: served.workspace.id,
      name: `flow-${newId('x')}`,
      steps: [{ id: 'a', type: 'wait', duration: 0, output_mapping: { n: '{{ input.n }}' } }],
    };
    const workflow = (await call('POST', '/agents/workflows', ana, { body })).body;
    await subscribe(from, {
      target_type: 'workflow',
      agent_id: undefined,
      workflow_id: workflow.id,
      input_mapping: { n: '{{ payload.n }}' },
    });
    await subscribe(from, { input_mapping: '[script:both] {{ payload.n }}' });
    const { runs } = await started((await send(from, { n: 7 })).body.delivery_id);
    const ended = await Promise.all(runs.map((run: { run_id: string }) => served.ended(run.run_id)));
    expect(ended.map(({ definition_id, status }) => [definition_id, status])).toEqual([
      [workflow.id, 'completed'],
      [null, 'completed'],
    ]);
  });

  it('is answered as soon as it is recorded, also while nothing can be started; its run begins later', async () => {
    served.model.script('later', [{ text: 'begun' }]);
    const from = await source();
    await subscribe(from, { input_mapping: '[script:later] Do it.' });
    const stored = await loadSource(from.id);
    if (!stored) throw new Error('not there');
    const never = new Promise<never>(() => undefined);
    const client = new Proxy(served.client, { get: () => new Proxy({}, { get: () => () => never }) });
    const stuck = new EventCommands({ ...served.starter, client }, quiet);
    const received = { delivery_id: 'stuck', fingerprint: 'stuck', payload: '{}', headers: {} };
    const { id, duplicate } = await stuck.receive(stored, received);
    expect(duplicate).toBe(false);
    expect(await deliveryOf(id)).toMatchObject({ status: 'pending' });
    await new EventCommands(served.starter, quiet).startWaiting(new Date(Date.now() + 60_000), 100);
    expect(await served.ended((await started(id)).run_id)).toMatchObject({ status: 'completed', output: 'begun' });
  });

  it('whose mapping leads nowhere, or whose agent is off, says so; and is delivered again once that is put right', async () => {
    served.model.script('again', [{ text: 'now' }]);
    const from = await source();
    const subscription = await subscribe(from, { input_mapping: '[script:again] {{ payload.ticket.id }}' });
    const sent = await send(from, { id: 1 });
    const refused = await started(sent.body.delivery_id, 'refused');
    expect(refused.runs).toMatchObject([
      { run_id: null, error: { code: 'bad_mapping', message: expect.stringContaining('payload.ticket') } },
    ]);
    const path = `/events/deliveries/${sent.body.delivery_id}/redeliver`;
    expect((await call('POST', path, reader)).status).toBe(403);
    expect((await call('POST', path, stranger)).status).toBe(404);
    await call('PUT', `/events/subscriptions/${subscription.id}`, ana, {
      body: { input_mapping: '[script:again] {{ payload.id }}' },
    });
    const again = await call('POST', path, ben);
    expect(again).toMatchObject({ status: 202, body: { status: 'started', attempts: 2 } });
    expect(await served.ended(again.body.run_id)).toMatchObject({ output: 'now' });
    expect((await deliveryOf(sent.body.delivery_id)).runs).toMatchObject([
      { attempt: 1 },
      { attempt: 2, output: 'now' },
    ]);
  });
});

describe('[8] what is sent is believed by its signature', () => {
  let from: Source;
  beforeAll(async () => {
    from = await source();
  });
  const listed = async () =>
    (await call('GET', `/events/deliveries?source_id=${from.id}&limit=100`, ana)).body.items.length;

  it.each([
    ['another secret', { secret: 'whsec_other' }, 401, 'bad_signature'],
    ['no signature', { headers: { 'x-longhaul-signature': '' } }, 401, 'bad_signature'],
    [
      'a signature of another kind',
      { headers: { 'x-longhaul-signature': `v2=${'0'.repeat(64)}` } },
      401,
      'bad_signature',
    ],
    ['half a signature', { headers: { 'x-longhaul-signature': 'v1=abcdef' } }, 401, 'bad_signature'],
    ['no timestamp', { headers: { 'x-longhaul-timestamp': '' } }, 401, 'bad_signature'],
    ['a timestamp that was not signed', { headers: { 'x-longhaul-timestamp': '1700000000' } }, 401, 'bad_signature'],
    ['five minutes and more ago', { at: now() - 310 }, 401, 'bad_signature'],
    ['far ahead of our clock', { at: now() + 400 }, 401, 'bad_signature'],
    ['no JSON', { body: 'hello' }, 400, 'invalid_json'],
    ['nothing at all', { body: '' }, 400, 'invalid_json'],
    ['another type', { headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
    ['more than a megabyte', { body: JSON.stringify('x'.repeat(1_100_000)) }, 413, 'too_large'],
    ['nested without end', { body: '['.repeat(500) + ']'.repeat(500) }, 400, 'invalid_request'],
    ['a name that is none', { headers: { 'x-longhaul-delivery': 'a b' } }, 400, 'invalid_request'],
  ])('%s is refused, and nothing is recorded', async (_what, how, status, error) => {
    const before = await listed();
    expect(await send(from, { a: 1 }, how)).toMatchObject({ status, body: { error } });
    expect(await listed()).toBe(before);
  });

  it('and counts once, under its name and under any other', async () => {
    const headers = { 'x-longhaul-delivery': randomBytes(8).toString('hex') };
    const at = now();
    const first = await send(from, { n: 1 }, { headers, at });
    expect(await send(from, { n: 1 }, { headers, at })).toEqual({
      status: 202,
      body: { delivery_id: first.body.delivery_id, duplicate: true },
    });
    // Tried again later, and signed anew.
    expect((await send(from, { n: 1 }, { headers, at: at - 60 })).body).toEqual({
      delivery_id: first.body.delivery_id,
      duplicate: true,
    });
    // Caught on its way, and sent again as if it were another.
    expect((await send(from, { n: 1 }, { headers: { 'x-longhaul-delivery': 'other' }, at })).body).toEqual({
      delivery_id: first.body.delivery_id,
      duplicate: true,
    });
    const together = await Promise.all(Array.from({ length: 10 }, () => send(from, { n: 2 }, { at })));
    expect(together.filter(({ body }) => !body.duplicate)).toHaveLength(1);
    expect(new Set(together.map(({ body }) => body.delivery_id)).size).toBe(1);
  });

  it('by the secret it has now: a new one takes the place of the old, and neither is told again', async () => {
    const renewed = await call('POST', `/events/sources/${from.id}/secret`, ana);
    expect(renewed.status).toBe(200);
    expect(renewed.body.secret).not.toBe(from.secret);
    expect((await send(from, { n: 3 })).status).toBe(401);
    from = renewed.body;
    expect((await send(from, { n: 3 })).status).toBe(202);
    const shown = JSON.stringify((await call('GET', `/events/sources/${from.id}`, admin)).body);
    expect(shown).not.toContain(from.secret);
  });

  it('and nothing more is read from where too much came that was not signed, while others are heard', async () => {
    const from = await source();
    const forged = (address: string) =>
      send(from, { n: 1 }, { secret: 'whsec_other', headers: { 'x-forwarded-for': address } });
    const statuses: number[] = [];
    for (let n = 0; n < 61; n += 1) statuses.push((await forged('198.51.100.1')).status);
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 401), 429]);
    const right = { n: 2 };
    const headers = { 'x-forwarded-for': '198.51.100.1' };
    expect((await send(from, right, { headers })).body).toMatchObject({
      error: 'too_many_requests',
      details: { retry_after_s: expect.any(Number) },
    });
    expect((await send(from, right, { headers: { 'x-forwarded-for': '198.51.100.2' } })).status).toBe(202);
  });

  it('and only where something is received', async () => {
    expect((await send({ ...from, url: `${served.url}/hooks/${newId('src')}` }, {})).status).toBe(404);
    expect((await send({ ...from, url: `${served.url}/hooks/x` }, {})).status).toBe(404);
    await call('PUT', `/events/sources/${from.id}`, ana, { body: { is_active: false } });
    expect((await send(from, {})).status).toBe(404);
    expect((await fetch(from.url)).status).toBe(404);
  });
});

describe('[1] sources and subscriptions are changed by who made them and by admins', () => {
  it('and seen by members alone', async () => {
    const from = await source();
    const { id } = await subscribe(from);
    for (const [path, change] of [
      [`/events/sources/${from.id}`, { name: 'Renamed' }],
      [`/events/subscriptions/${id}`, { filter: 'payload.a' }],
    ] as const) {
      expect((await call('GET', path, reader)).status).toBe(200);
      expect((await call('GET', path, stranger)).status).toBe(404);
      for (const [token, status] of [
        [stranger, 404],
        [reader, 403],
        [ben, 403],
        [ana, 200],
        [admin, 200],
      ] as const) {
        expect((await call('PUT', path, token, { body: change })).status).toBe(status);
      }
      for (const token of [stranger, reader, ben])
        expect([403, 404]).toContain((await call('DELETE', path, token)).status);
      const stale = { body: change, headers: { 'if-match': '"1"' } };
      expect((await call('PUT', path, ana, stale)).status).toBe(412);
    }
    const foreign = { source_id: from.id, target_type: 'agent', agent_id: shared };
    expect((await call('POST', '/events/subscriptions', stranger, { body: foreign })).status).toBe(404);
    expect((await call('POST', '/events/subscriptions', reader, { body: foreign })).status).toBe(403);
    expect((await call('DELETE', `/events/subscriptions/${id}`, ana)).status).toBe(204);
    expect((await call('DELETE', `/events/sources/${from.id}`, admin)).status).toBe(204);
    expect((await call('GET', `/events/sources/${from.id}`, ana)).status).toBe(404);
  });

  it.each([
    ['no target', { agent_id: undefined }, 'agent_id'],
    ['a target of the other kind', { target_type: 'workflow' }, 'workflow_id'],
    ['a mapping of what is not there', { input_mapping: '{{ input.x }}' }, 'input_mapping'],
    ['a filter that cannot be read', { filter: 'payload. ==' }, 'filter'],
    ['a filter of what is not there', { filter: 'steps.x' }, 'filter'],
  ])('a bad subscription is refused at its field: %s', async (_what, more, field) => {
    const from = await source();
    const body = { source_id: from.id, target_type: 'agent', agent_id: shared, ...more };
    expect(await call('POST', '/events/subscriptions', ana, { body })).toMatchObject({
      status: 400,
      body: { details: { fields: { [field]: expect.any(String) } } },
    });
  });
});

it('[13] a delivery whose process died between record and start is started once, by whoever finds it', async () => {
  served.model.script('found', [{ text: 'found' }]);
  const from = await source();
  const { id: subscriptionId } = await subscribe(from, { input_mapping: '[script:found] {{ payload.n }}' });
  const [stored, subscription] = await Promise.all([loadSource(from.id), loadSubscription(subscriptionId)]);
  if (!stored || !subscription) throw new Error('not there');
  const _id = deliveryDocId(from.id, 'lost');
  const at = new Date(Date.now() - 60_000);
  const part = partOf(_id, subscription, 1);
  await recordDelivery({
    _id,
    org_id: stored.org_id,
    workspace_id: stored.workspace_id,
    source_id: from.id,
    source_name: stored.name,
    delivery_id: 'lost',
    fingerprint: 'lost',
    status: 'pending',
    attempts: 1,
    payload: '{"n":1}',
    headers: {},
    parts: [part],
    checked_at: at,
    created_at: at,
  });
  expect(await loadRun(part.run_id)).toBeNull();
  const finders = Array.from({ length: 3 }, () => new TriggerUpkeep(served.starter, quiet));
  await Promise.all(finders.map((finder) => finder.once()));
  // Somebody who had found it before, and comes late.
  await new EventCommands(served.starter, quiet).startWaiting(new Date(Date.now() + 60_000), 10);
  expect(await started(_id)).toMatchObject({ run_id: part.run_id, attempts: 1 });
  expect(await served.ended(part.run_id)).toMatchObject({ status: 'completed', output: 'found' });
  expect(served.model.count('found').calls).toBe(1);
});
