import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadGithubAccess } from '../../store/github-integration.ts';
import { type Api, SECRET_KEY, startApi } from './running-api.ts';

const TOKEN = 'github_pat_nobody-shall-see';
let api: Api;
let workspace_id: string;
let org_id: string;
beforeAll(async () => {
  api = await startApi();
  workspace_id = await api.workspace();
  org_id = (await api.call('GET', '/me')).body.organization.id;
});
afterAll(() => api.stop());

const PATH = '/integrations/github';
const get = () => api.call('GET', `${PATH}?workspace_id=${workspace_id}`);
const put = (body: object) => api.call('PUT', PATH, { body: { workspace_id, ...body } });
const access = () => loadGithubAccess([SECRET_KEY], org_id, workspace_id);

it('[6] is off until a token is set, shows it to nobody, and is turned off and on without it', async () => {
  expect((await get()).body).toEqual({
    workspace_id,
    kind: 'github',
    enabled: false,
    api_url: 'https://api.github.com',
    has_token: false,
    updated_at: null,
  });
  expect(await access()).toBeNull();
  expect(await put({ enabled: true })).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  const set = await put({ token: TOKEN });
  expect(set).toMatchObject({ status: 200, body: { enabled: true, has_token: true } });
  expect(JSON.stringify([set.body, (await get()).body])).not.toContain(TOKEN);
  expect(await access()).toEqual({ api_url: 'https://api.github.com', token: TOKEN });
  await put({ enabled: false });
  expect(await access()).toBeNull();
  await put({ enabled: true });
  expect(await access()).toMatchObject({ token: TOKEN });
});

it('[6] a token is not sent to an address that it was not given for', async () => {
  await put({ token: TOKEN });
  const moved = await put({ api_url: 'https://evil.example.org' });
  expect(moved).toMatchObject({ status: 400, body: { details: { fields: { token: expect.any(String) } } } });
  expect(await access()).toMatchObject({ api_url: 'https://api.github.com' });
  expect(await put({ api_url: 'https://git.example.org/api/v3', token: `${TOKEN}2` })).toMatchObject({ status: 200 });
});

it.each([{ api_url: 'ftp://x.org' }, { api_url: 'https://me:secret@x.org' }, { token: 'short' }, { more: 1 }])(
  '[13] %j is refused',
  async (body) => {
    expect(await put(body)).toMatchObject({ status: 400 });
  },
);

it('[1] is for admins, and goes with its token', async () => {
  const writer = await api.member(workspace_id, 'write');
  for (const [method, path] of [
    ['GET', `${PATH}?workspace_id=${workspace_id}`],
    ['DELETE', `${PATH}?workspace_id=${workspace_id}`],
  ] as const) {
    expect((await api.call(method, path, { token: writer.token })).status).toBe(403);
  }
  await put({ token: TOKEN });
  expect((await api.call('DELETE', `${PATH}?workspace_id=${workspace_id}`)).status).toBe(204);
  expect(await access()).toBeNull();
  expect((await get()).body).toMatchObject({ enabled: false, has_token: false });
  expect((await api.call('DELETE', `${PATH}?workspace_id=${workspace_id}`)).status).toBe(404);
});
