import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from './running-api.ts';

const VALUE = 'sk-a-value-nobody-shall-see';
let api: Api;
let workspace: string;
let agent: string;

const newAgent = async (token?: string, more: Record<string, unknown> = {}): Promise<string> => {
  const body = { workspace_id: workspace, name: 'Keeper', model: 'gpt-4o', ...more };
  return (await api.call('POST', '/agents', { body, ...(token ? { token } : {}) })).body.id;
};
const at = (id: string, rest = '') => `/agents/${id}/credentials${rest}`;
const set = (id: string, body: Record<string, unknown>, token?: string) =>
  api.call('POST', at(id), { body, ...(token ? { token } : {}) });

beforeAll(async () => {
  api = await startApi();
  workspace = await api.workspace();
  agent = await newAgent();
});
afterAll(() => api.stop());

describe('[2] a credential', () => {
  it('is set, listed by its name, replaced and removed; its value is never told', async () => {
    const first = await set(agent, { key: 'api_key', value: VALUE });
    expect(first).toMatchObject({ status: 201, body: { key: 'api_key' } });
    expect(Object.keys(first.body).sort()).toEqual(['created_at', 'key', 'key_name', 'updated_at']);
    const second = await set(agent, { key: 'api_key', value: `${VALUE}-2` });
    expect(second.body.created_at).toBe(first.body.created_at);
    expect(second.body.updated_at >= first.body.updated_at).toBe(true);
    await set(agent, { key: 'account', value: 'an account name' });
    const listed = await api.call('GET', at(agent));
    expect(listed).toMatchObject({ status: 200, body: { items: [{ key: 'account' }, { key: 'api_key' }] } });
    expect(listed.body.next_cursor).toBeNull();
    expect(JSON.stringify([first.body, second.body, listed.body])).not.toContain('nobody-shall-see');
    expect(await api.call('DELETE', at(agent, '/account'))).toMatchObject({ status: 204 });
    expect(await api.call('DELETE', at(agent, '/account'))).toMatchObject({ status: 404 });
    expect((await api.call('GET', at(agent))).body.items).toHaveLength(1);
  });

  it.each([
    ['a name with capitals', { key: 'API_KEY', value: VALUE }, 'key'],
    ['a name that begins with a digit', { key: '1key', value: VALUE }, 'key'],
    ['a value that could be an ordinary word', { key: 'api_key', value: 'sesame' }, 'value'],
    ['a value over 16 KB', { key: 'api_key', value: 'é'.repeat(8_193) }, 'value'],
    ['a value with a line end after it', { key: 'api_key', value: `${VALUE}\n` }, 'value'],
    ['an unknown field', { key: 'api_key', value: VALUE, note: 'x' }, 'note'],
    ['an address that is none', { key: 'api_base', value: 'gpu-server-7' }, 'value'],
    ['an address of another kind', { key: 'api_base', value: 'file:///etc/passwd' }, 'value'],
    ['an address with a password', { key: 'api_base', value: 'https://me:pass@models.example' }, 'value'],
  ])('is refused with %s, and the value is not repeated', async (_what, body, field) => {
    const refused = await set(agent, body);
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(Object.keys(refused.body.details.fields)).toEqual([field]);
    expect(JSON.stringify(refused.body)).not.toContain(body.value);
  });

  it('is named by key_name as well, and by one word at a time', async () => {
    const other = await newAgent();
    expect(await set(other, { key_name: 'organization_id', value: VALUE })).toMatchObject({
      status: 201,
      body: { key: 'organization_id', key_name: 'organization_id' },
    });
    for (const body of [{ value: VALUE }, { key: 'a', key_name: 'b', value: VALUE }]) {
      expect(await set(other, body)).toMatchObject({
        status: 400,
        body: { details: { fields: { key: expect.any(String) } } },
      });
    }
    expect((await api.call('GET', at(other))).body.items).toMatchObject([{ key_name: 'organization_id' }]);
  });

  it('takes 16 KB', async () => {
    expect((await set(agent, { key: 'certificate', value: 'x'.repeat(16 * 1024) })).status).toBe(201);
    expect((await api.call('DELETE', at(agent, '/certificate'))).status).toBe(204);
  });

  it('is stored sealed, and its request leaves no trace of it under an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'set-once' };
    const body = { key: 'api_key', value: `${VALUE}-3` };
    const once = await api.call('POST', at(agent), { body, headers });
    const again = await api.call('POST', at(agent), { body, headers });
    expect(again.body).toEqual(once.body);
    expect(again.headers.get('idempotent-replay')).toBe('true');
    const other = { ...body, value: `${VALUE}-4` };
    expect((await api.call('POST', at(agent), { body: other, headers })).status).toBe(422);
    for (const name of ['credentials', 'idempotency']) {
      const stored = await mongoose.connection.collection(name).find().toArray();
      expect(stored.length).toBeGreaterThan(0);
      expect(JSON.stringify(stored)).not.toContain('nobody-shall-see');
    }
  });
});

describe('[1] who keeps credentials', () => {
  it('is the maker of the agent, and an admin for all; others are refused, strangers find nothing', async () => {
    const [reader, writer, admin] = await Promise.all(
      (['read', 'write', 'admin'] as const).map((role) => api.member(workspace, role)),
    );
    const shared = await newAgent(undefined, { visibility: 'workspace' });
    const own = await newAgent(writer?.token);
    const body = { key: 'api_key', value: VALUE };
    const statuses = async (id: string, token: string | undefined) => [
      (await set(id, body, token)).status,
      (await api.call('GET', at(id), token ? { token } : {})).status,
      (await api.call('DELETE', at(id, '/api_key'), token ? { token } : {})).status,
    ];
    expect(await statuses(shared, reader?.token)).toEqual([403, 403, 403]);
    expect(await statuses(shared, writer?.token)).toEqual([403, 403, 403]);
    expect(await statuses(shared, admin?.token)).toEqual([201, 200, 204]);
    expect(await statuses(own, writer?.token)).toEqual([201, 200, 204]);
    expect(await statuses(shared, await api.foreignOwner())).toEqual([404, 404, 404]);
    expect((await api.call('GET', at(shared), { token: null })).status).toBe(401);
  });

  it.each([
    'http://127.0.0.1:11434/v1',
    'http://localhost:11434',
    'http://[::1]:8000/v1',
    'http://[::ffff:10.0.0.1]/v1',
    'http://169.254.169.254/latest',
    'http://192.168.1.20:8000/v1',
    'http://2130706433/v1',
    'http://0x7f.1/v1',
    'http://vllm:8000/v1',
    'http://models.internal/v1',
  ])('%s lies in a private network: an admin may point an agent there, its maker alone may not', async (value) => {
    const { token } = await api.member(workspace, 'write');
    const own = await newAgent(token);
    expect(await set(own, { key: 'api_base', value }, token)).toMatchObject({ status: 403 });
    expect(await set(own, { key: 'api_base', value: 'https://models.example.org/v1' }, token)).toMatchObject({
      status: 201,
    });
    expect(await set(agent, { key: 'api_base', value })).toMatchObject({ status: 201 });
  });
});
