import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Api, startApi } from './running-api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const meAs = (token: string) => api.call('GET', '/me', { token });
const list = async (token?: string) => (await api.call('GET', '/api-keys', token ? { token } : {})).body.items;

it('a key is shown once, works, and stops when it is revoked', async () => {
  const created = await api.call('POST', '/api-keys', { body: { name: 'CI' } });
  expect(created.status).toBe(201);
  const { key, id, prefix } = created.body;
  expect(key).toMatch(/^lh_[0-9a-z]{26}_[\w-]{43}$/);
  expect(key.startsWith(prefix)).toBe(true);
  expect((await meAs(key)).status).toBe(200);

  const listed = (await list()).find((item: { id: string }) => item.id === id);
  expect(listed).toMatchObject({ name: 'CI', revoked_at: null, expires_at: null });
  expect(JSON.stringify(await list())).not.toContain(key);

  expect((await api.call('DELETE', `/api-keys/${id}`)).status).toBe(204);
  expect((await meAs(key)).status).toBe(401);
  expect((await api.call('DELETE', `/api-keys/${id}`)).status).toBe(204);
  expect((await list()).find((item: { id: string }) => item.id === id).revoked_at).toEqual(expect.any(String));
});

it('a key says when it was last used', async () => {
  const { key, id } = (await api.call('POST', '/api-keys', { body: { name: 'Used' } })).body;
  const lastUsed = async () => (await list()).find((item: { id: string }) => item.id === id).last_used_at;
  expect(await lastUsed()).toBeNull();
  await meAs(key);
  expect(Date.now() - new Date(await lastUsed()).getTime()).toBeLessThan(10_000);
});

it('a key with an expiry works until then, and cannot be made for the past', async () => {
  const past = await api.call('POST', '/api-keys', { body: { name: 'Old', expires_at: '2020-01-01T00:00:00Z' } });
  expect([past.status, Object.keys(past.body.details.fields)]).toEqual([400, ['expires_at']]);
  const expires_at = new Date(Date.now() + 4_000).toISOString();
  const { key } = (await api.call('POST', '/api-keys', { body: { name: 'Soon', expires_at } })).body;
  expect((await meAs(key)).status).toBe(200);
  await vi.waitFor(async () => expect((await meAs(key)).status).toBe(401), { timeout: 15_000, interval: 100 });
});

it('a key is its user’s alone: others neither see nor revoke it, but the owner can revoke it', async () => {
  const workspace = await api.workspace();
  const [one, two] = await Promise.all([api.member(workspace, 'admin'), api.member(workspace, 'admin')]);
  const { key, id } = (await api.call('POST', '/api-keys', { token: one.token, body: { name: 'Mine' } })).body;
  expect((await list(two.token)).length).toBe(0);
  expect((await api.call('DELETE', `/api-keys/${id}`, { token: two.token })).status).toBe(404);
  expect((await api.call('DELETE', `/api-keys/${id}`, { token: await api.foreignOwner() })).status).toBe(404);
  expect((await meAs(key)).body.user.id).toBe(one.user_id);
  expect((await api.call('DELETE', `/api-keys/${id}`)).status).toBe(204);
  expect((await meAs(key)).status).toBe(401);
});

it('whose key it is is remembered for a moment, so that requests in a row do not ask the store again', async () => {
  const { key } = (await api.call('POST', '/api-keys', { body: { name: 'Busy' } })).body;
  const [first, second] = [await api.identity.identify(key), await api.identity.identify(key)];
  expect(second).toBe(first);
  api.identity.forget();
  expect(await api.identity.identify(key)).not.toBe(first);
});
