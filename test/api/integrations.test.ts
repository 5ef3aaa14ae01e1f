import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, type Call, startApi } from './running-api.ts';

interface Person {
  token: string;
  user_id: string;
}

let api: Api;
let workspace: string;
let [admin, ana, reader]: Person[] = [];
beforeAll(async () => {
  api = await startApi();
  workspace = await api.workspace();
  admin = await api.member(workspace, 'admin');
  ana = await api.member(workspace, 'write');
  reader = await api.member(workspace, 'read');
});
afterAll(() => api.stop());

const as = (person: Person | undefined, more: Call = {}): Call => ({ ...more, token: person?.token ?? null });
let count = 0;
const tickets = (more = {}) => ({
  workspace_id: workspace,
  name: `tickets_${++count}`,
  base_url: 'https://tickets.example.org/v2',
  credential: { key: 'token' },
  endpoints: [
    {
      name: 'get_ticket',
      path: '/tickets/{id}',
      input_schema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    },
    { name: 'close_ticket', method: 'POST', path: '/tickets/{id}/close', idempotent: true },
  ],
  ...more,
});
const make = (by: Person | undefined, more = {}) => api.call('POST', '/integrations', as(by, { body: tickets(more) }));

it('[7] an integration is registered by an admin, seen by members, and has limits and defaults', async () => {
  expect((await make(ana)).status).toBe(403);
  const { status, body } = await make(admin);
  expect(status).toBe(201);
  expect(body).toMatchObject({
    base_url: 'https://tickets.example.org/v2',
    credential: { key: 'token', in: 'header', name: 'Authorization', prefix: 'Bearer ' },
    limits: { max_request_bytes: 262_144, max_response_bytes: 1_048_576, timeout_ms: 30_000 },
    allow_private: false,
    endpoints: [
      { name: 'get_ticket', method: 'GET', idempotent: false, output_schema: null },
      { name: 'close_ticket', method: 'POST', idempotent: true },
    ],
    version: 1,
  });
  expect((await api.call('GET', `/integrations/${body.id}`, as(reader))).body).toEqual(body);
  const listed = await api.call('GET', `/integrations?workspace_id=${workspace}`, as(ana));
  expect(listed.body.items.map(({ id }: { id: string }) => id)).toContain(body.id);
  const change = { body: { limits: { timeout_ms: 1_000 } } };
  expect((await api.call('PUT', `/integrations/${body.id}`, as(ana, change))).status).toBe(403);
  const changed = await api.call('PUT', `/integrations/${body.id}`, as(admin, change));
  expect([changed.status, changed.body.version, changed.body.limits.timeout_ms]).toEqual([200, 2, 1_000]);
  expect((await api.call('DELETE', `/integrations/${body.id}`, as(ana))).status).toBe(403);
  expect((await api.call('DELETE', `/integrations/${body.id}`, as(admin))).status).toBe(204);
  const versions = await api.call('GET', `/agents/definitions/${body.id}/versions`, as(admin));
  expect(versions.status).toBe(404);
});

it.each([
  ['base_url', { base_url: 'ftp://example.org' }],
  ['base_url', { base_url: 'https://user:secret@example.org' }],
  ['base_url', { base_url: 'http://127.0.0.1:8080' }],
  ['base_url', { base_url: 'http://0x7f.1/' }],
  ['base_url', { base_url: 'http://metadata.google.internal' }],
  ['headers.Authorization', { headers: { Authorization: 'Bearer abc' } }],
  ['headers.Host', { headers: { Host: 'other.example.org' } }],
  ['headers.X-A', { headers: { 'X-A': 'a\r\nB: c' } }],
  ['endpoints', { endpoints: [] }],
  ['endpoints.0.path', { endpoints: [{ name: 'x', path: '/../admin' }] }],
  ['endpoints.0.path', { endpoints: [{ name: 'x', path: 'https://other.example.org' }] }],
  ['endpoints.0.input_schema', { endpoints: [{ name: 'x', input_schema: { type: 'nonsense' } }] }],
  ['endpoints.0.body', { endpoints: [{ name: 'x', method: 'POST', body: { a: '{{ secrets.x }}' } }] }],
  ['endpoints.1.name', { endpoints: [{ name: 'x' }, { name: 'x' }] }],
  ['limits.timeout_ms', { limits: { timeout_ms: 10_000_000 } }],
])('[7] what is wrong with %s is refused when it is saved', async (field, more) => {
  const refused = await make(admin, more);
  expect([refused.status, Object.keys(refused.body.details.fields)]).toEqual([400, [field]]);
});

it('[7] an address in a private network is for an admin to allow, by name', async () => {
  const made = await make(admin, { base_url: 'http://127.0.0.1:8080', allow_private: true });
  expect([made.status, made.body.allow_private]).toEqual([201, true]);
  const change = { body: { allow_private: false } };
  expect((await api.call('PUT', `/integrations/${made.body.id}`, as(admin, change))).status).toBe(400);
});

it('[2] credentials of an integration are set by admins and never shown', async () => {
  const { id } = (await make(admin)).body;
  const at = `/integrations/${id}/credentials`;
  const body = { key: 'token', value: 'a-very-secret-token' };
  expect((await api.call('POST', at, as(ana, { body }))).status).toBe(403);
  const set = await api.call('POST', at, as(admin, { body }));
  expect([set.status, set.body.key]).toEqual([201, 'token']);
  expect((await api.call('GET', at, as(ana))).status).toBe(403);
  const listed = await api.call('GET', at, as(admin));
  expect(listed.body.items.map(({ key }: { key: string }) => key)).toEqual(['token']);
  const shown = [
    set,
    listed,
    await api.call('GET', `/integrations/${id}`, as(admin)),
    await api.call('GET', '/audit', {}),
  ];
  for (const { body: told } of shown) expect(JSON.stringify(told)).not.toContain('a-very-secret-token');
  expect((await api.call('DELETE', `${at}/token`, as(admin))).status).toBe(204);
  expect((await api.call('DELETE', `${at}/token`, as(admin))).status).toBe(404);
});

it('[2] a credential is not taken along to another server', async () => {
  const { id, name } = (await make(admin)).body;
  const change = (base_url: string) => api.call('PUT', `/integrations/${id}`, as(admin, { body: { name, base_url } }));
  const at = `/integrations/${id}/credentials`;
  await api.call('POST', at, as(admin, { body: { key: 'token', value: 'a-very-secret-token' } }));
  expect((await change('https://tickets.example.org/v3')).status).toBe(200);
  for (const elsewhere of ['https://attacker.example/v3', 'http://tickets.example.org/v3']) {
    expect(await change(elsewhere)).toMatchObject({
      status: 409,
      body: { error: 'conflict', details: { credentials: ['token'] } },
    });
  }
  await api.call('DELETE', `${at}/token`, as(admin));
  expect((await change('https://other.example/v3')).status).toBe(200);
});

it('[7] a tool leads to an endpoint of an integration, which is in use from then on', async () => {
  const integration = (await make(admin)).body;
  const tool = { workspace_id: workspace, name: 'close_it', entrypoint: `integration:${integration.name}/nothing` };
  const refused = await api.call('POST', '/agents/tools', as(ana, { body: tool }));
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('get_ticket, close_ticket')]);
  const right = { ...tool, entrypoint: `integration:${integration.name}/close_ticket` };
  const made = await api.call('POST', '/agents/tools', as(ana, { body: right }));
  expect(made.status).toBe(201);
  const used = await api.call('DELETE', `/integrations/${integration.id}`, as(admin));
  expect([used.status, used.body.details.used_by]).toEqual([
    409,
    [{ kind: 'tool', id: made.body.id, name: 'close_it' }],
  ]);
  await api.call('DELETE', `/agents/tools/${made.body.id}`, as(ana));
  expect((await api.call('DELETE', `/integrations/${integration.id}`, as(admin))).status).toBe(204);
});
