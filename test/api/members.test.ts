import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Member } from '../../domain/identity.ts';
import { type Api, startApi } from './running-api.ts';

let api: Api;
let workspace: string;
beforeAll(async () => {
  api = await startApi();
  workspace = await api.workspace('Lab');
});
afterAll(() => api.stop());

const role = (user_id: string, wanted: unknown, token?: string) =>
  api.call('PUT', `/workspaces/${workspace}/members/${user_id}`, {
    body: { role: wanted },
    ...(token ? { token } : {}),
  });

it('[1] a role is changed by admins, for members only, and holds at once', async () => {
  const [one, admin] = [await api.member(workspace, 'read'), await api.member(workspace, 'admin')];
  expect((await role(one.user_id, 'write', one.token)).status).toBe(403);
  expect((await role(one.user_id, 'emperor')).status).toBe(400);
  const changed = await role(one.user_id, 'admin', admin.token);
  expect([changed.status, changed.body]).toEqual([
    200,
    expect.objectContaining({ user_id: one.user_id, email: one.email, role: 'admin' }),
  ]);
  expect((await role(admin.user_id, 'write', one.token)).status).toBe(200);

  const elsewhere = await api.workspace('Elsewhere');
  const stranger = await api.member(elsewhere, 'admin');
  expect((await role(stranger.user_id, 'read')).status).toBe(404);
  expect((await role(one.user_id, 'read', stranger.token)).status).toBe(404);
  expect((await role(one.user_id, 'read', await api.foreignOwner())).status).toBe(404);
});

it('[1] a workspace without any admin is still administered by the owner', async () => {
  const last = await api.member(workspace, 'admin');
  const { items } = (await api.call('GET', `/workspaces/${workspace}/members`)).body;
  for (const { user_id } of items as Member[]) {
    expect((await api.call('DELETE', `/workspaces/${workspace}/members/${user_id}`)).status).toBe(204);
  }
  expect((await role(last.user_id, 'read')).status).toBe(404);
  const renamed = await api.call('PUT', `/workspaces/${workspace}`, { body: { name: 'Laboratory' } });
  expect([renamed.status, renamed.body.name]).toEqual([200, 'Laboratory']);
  const back = await api.call('POST', `/workspaces/${workspace}/members`, {
    body: { email: last.email, role: 'admin' },
  });
  expect(back.body).toMatchObject({ user_id: last.user_id, role: 'admin', sign_in_link: null });
});

it('[1] a workspace is renamed by its admins', async () => {
  const [writer, admin] = [await api.member(workspace, 'write'), await api.member(workspace, 'admin')];
  const rename = (token: string) =>
    api.call('PUT', `/workspaces/${workspace}`, { token, body: { name: 'Greenhouse' } });
  expect((await rename(writer.token)).status).toBe(403);
  expect((await rename(await api.foreignOwner())).status).toBe(404);
  expect((await rename(admin.token)).body).toMatchObject({ id: workspace, name: 'Greenhouse', role: 'admin' });
});
