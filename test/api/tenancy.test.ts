import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Role } from '../../domain/identity.ts';
import { type Api, startApi } from './running-api.ts';

let api: Api;
let root: string;
let workspace: string;
let folder: string;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-roots-')));
  folder = await mkdtemp(join(root, 'notes-'));
  api = await startApi({ notebookRoots: [root] });
  workspace = await api.workspace();
});
afterAll(async () => {
  await api.stop();
  await rm(root, { recursive: true });
});

const agent = (more = {}) => ({ workspace_id: workspace, name: 'Helper', model: 'demo/longhaul-demo', ...more });
const notebook = (more = {}) => ({ workspace_id: workspace, name: 'Notes', kind: 'folder', path: folder, ...more });

describe('another organization', () => {
  it('finds nothing of this one, whatever ids it knows', async () => {
    const token = await api.foreignOwner();
    const agentId = (await api.call('POST', '/agents', { body: agent({ visibility: 'workspace' }) })).body.id;
    const notebookId = (await api.call('POST', '/notebooks', { body: notebook() })).body.id;
    const { user_id } = await api.member(workspace, 'read');
    const gets = [
      `/workspaces/${workspace}`,
      `/workspaces/${workspace}/members`,
      `/agents/${agentId}`,
      `/agents?workspace_id=${workspace}`,
      `/notebooks/${notebookId}`,
      `/notebooks?workspace_id=${workspace}`,
    ];
    for (const path of gets) {
      expect([path, (await api.call('GET', path, { token })).status]).toEqual([path, 404]);
      expect([path, (await api.call('GET', path)).status]).toEqual([path, 200]);
    }
    for (const path of ['/workspaces', '/agents', '/notebooks', '/api-keys']) {
      const items = (await api.call('GET', path, { token })).body.items;
      expect([path, items.filter(({ name }: { name: string }) => name !== 'Key')]).toEqual([path, []]);
    }
    const write = async (method: string, path: string, body?: unknown) =>
      (await api.call(method, path, body === undefined ? { token } : { token, body })).status;
    expect(await write('POST', '/agents', agent())).toBe(404);
    expect(await write('POST', '/notebooks', notebook())).toBe(404);
    expect(await write('POST', `/workspaces/${workspace}/members`, { email: 'a@b.example', role: 'read' })).toBe(404);
    expect(await write('DELETE', `/workspaces/${workspace}/members/${user_id}`)).toBe(404);
  });

  it('cannot take over an address of this one by inviting it', async () => {
    const token = await api.foreignOwner();
    const theirs = (await api.call('POST', '/workspaces', { token, body: { name: 'Theirs' } })).body.id;
    const answer = await api.call('POST', `/workspaces/${theirs}/members`, {
      token,
      body: { email: 'owner@example.org', role: 'admin' },
    });
    expect([answer.status, answer.body.error]).toEqual([409, 'conflict']);
  });
});

describe('roles', () => {
  const may: Record<Role, Record<string, number>> = {
    read: { agent: 403, shared: 403, notebook: 403, member: 403, workspace: 403, look: 200 },
    write: { agent: 201, shared: 403, notebook: 403, member: 403, workspace: 403, look: 200 },
    admin: { agent: 201, shared: 201, notebook: 201, member: 201, workspace: 403, look: 200 },
  };
  it.each(Object.entries(may) as [Role, Record<string, number>][])(
    '%s may do what the table says',
    async (role, expected) => {
      const { token } = await api.member(workspace, role);
      const post = async (path: string, body: unknown) => (await api.call('POST', path, { token, body })).status;
      const email = `invited-by-${role}@example.org`;
      expect({
        agent: await post('/agents', agent()),
        shared: await post('/agents', agent({ visibility: 'workspace' })),
        notebook: await post('/notebooks', notebook()),
        member: await post(`/workspaces/${workspace}/members`, { email, role: 'read' }),
        workspace: await post('/workspaces', { name: 'New' }),
        look: (await api.call('GET', `/agents?workspace_id=${workspace}`, { token })).status,
      }).toEqual(expected);
    },
  );

  it('hold in their own workspace only', async () => {
    const { token } = await api.member(workspace, 'admin');
    const other = await api.workspace('Other');
    expect((await api.call('GET', `/workspaces/${other}`, { token })).status).toBe(404);
    expect((await api.call('POST', '/agents', { token, body: agent({ workspace_id: other }) })).status).toBe(404);
    const { items } = (await api.call('GET', '/workspaces', { token })).body;
    expect(items.map(({ id, role }: { id: string; role: string }) => [id, role])).toEqual([[workspace, 'admin']]);
  });

  it('change at once where they are changed here, and end with the membership', async () => {
    const { token, user_id, email } = await api.member(workspace, 'read');
    const make = async () => (await api.call('POST', '/agents', { token, body: agent() })).status;
    expect(await make()).toBe(403);
    const raised = await api.call('POST', `/workspaces/${workspace}/members`, { body: { email, role: 'write' } });
    expect([raised.status, raised.body.user_id, raised.body.sign_in_link]).toEqual([201, user_id, null]);
    expect(await make()).toBe(201);
    expect((await api.call('DELETE', `/workspaces/${workspace}/members/${user_id}`)).status).toBe(204);
    expect(await make()).toBe(404);
    expect((await api.call('DELETE', `/workspaces/${workspace}/members/${user_id}`)).status).toBe(404);
  });

  it('changed by another process are seen within the time a caller is remembered', async () => {
    const { token, user_id } = await api.member(workspace, 'admin');
    const look = async () => (await api.call('GET', `/workspaces/${workspace}`, { token })).status;
    expect(await look()).toBe(200);
    const { removeMember } = await import('../../store/memberships.ts');
    await removeMember(await api.identity.identify(api.ownerKey), workspace, user_id);
    await vi.waitFor(async () => expect(await look()).toBe(404), { timeout: 15_000, interval: 100 });
  });
});

describe('agents', () => {
  it('that are personal are seen by their maker alone, shared ones by all members', async () => {
    const [one, two] = [await api.member(workspace, 'admin'), await api.member(workspace, 'admin')];
    const make = async (more: object) =>
      (await api.call('POST', '/agents', { token: one.token, body: agent(more) })).body.id as string;
    const [personal, shared] = [await make({}), await make({ visibility: 'workspace' })];
    const see = async (id: string, token: string) => (await api.call('GET', `/agents/${id}`, { token })).status;
    expect([await see(personal, one.token), await see(personal, two.token), await see(personal, api.ownerKey)]).toEqual(
      [200, 404, 404],
    );
    expect([await see(shared, one.token), await see(shared, two.token)]).toEqual([200, 200]);
    const listed = (await api.call('GET', `/agents?workspace_id=${workspace}&limit=100`, { token: two.token })).body
      .items;
    const ids = listed.map(({ id }: { id: string }) => id);
    expect([ids.includes(personal), ids.includes(shared)]).toEqual([false, true]);
  });

  it('get a slug from their name that no other has; a slug that is asked for is given or refused', async () => {
    const make = (more: object) => api.call('POST', '/agents', { body: agent(more) });
    const slugs = [await make({ name: 'Ärger & Söhne' }), await make({ name: 'Ärger & Söhne' })].map(
      ({ body }) => body.slug,
    );
    expect(slugs).toEqual(['a-rger-so-hne', 'a-rger-so-hne-2']);
    expect((await make({ slug: 'mine' })).status).toBe(201);
    const taken = await make({ slug: 'mine' });
    expect([taken.status, taken.body.error]).toEqual([409, 'conflict']);
  });

  it('of a model nobody knows are refused', async () => {
    const answer = await api.call('POST', '/agents', { body: agent({ model: 'made-up' }) });
    expect([answer.status, answer.body.error]).toEqual([400, 'unsupported_model']);
  });

  it('keep every field as it was given, odd keys too', async () => {
    const given = {
      scope: { notebooks: ['*'], folders: ['/a/*'] },
      confirmation: { $where: 'always', 'a.b': 'never' },
      can_write: true,
    };
    const made = await api.call('POST', '/agents', { body: agent(given) });
    expect(made.status).toBe(201);
    expect((await api.call('GET', `/agents/${made.body.id}`)).body).toEqual(made.body);
    expect(made.body).toMatchObject(given);
  });
});

it('lists are read in pages, each item once and in order', async () => {
  const own = await api.workspace('Paged');
  for (let n = 0; n < 7; n++)
    await api.call('POST', '/agents', { body: agent({ workspace_id: own, name: `Agent ${n}` }) });
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `/agents?workspace_id=${own}&limit=3${cursor ? `&cursor=${cursor}` : ''}`;
    const { body } = await api.call('GET', path);
    expect(body.items.length).toBeLessThanOrEqual(3);
    names.push(...body.items.map(({ name }: { name: string }) => name));
    cursor = body.next_cursor;
  } while (cursor !== null);
  expect(names).toEqual(Array.from({ length: 7 }, (_, n) => `Agent ${n}`));
});
