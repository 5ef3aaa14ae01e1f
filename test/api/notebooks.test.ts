import { execFileSync } from 'node:child_process';
import { access, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileEntry, FileHit } from '../../domain/file.ts';
import type { OfferedFolder } from '../../domain/workspace.ts';
import { findAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { insertRun } from '../../store/runs.ts';
import { draft } from '../recorded-run.ts';
import { type Api, startApi } from './running-api.ts';

let api: Api;
let base: string;
let workspace: string;
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-notebooks-')));
  await mkdir(join(base, 'root', 'notes'), { recursive: true });
  await mkdir(join(base, 'root-of-another'));
  await mkdir(join(base, 'outside'));
  await writeFile(join(base, 'root', 'file.md'), '');
  await symlink(join(base, 'outside'), join(base, 'root', 'way-out'));
  await symlink(join(base, 'root', 'notes'), join(base, 'root', 'way-in'));
  await symlink(join(base, 'root'), join(base, 'linked-root'));
  api = await startApi({ notebookRoots: [join(base, 'linked-root')], mirrorsDir: join(base, 'mirrors') });
  workspace = await api.workspace();
});
afterAll(async () => {
  await api.stop();
  await rm(base, { recursive: true });
});

const make = (path: string) =>
  api.call('POST', '/notebooks', { body: { workspace_id: workspace, name: 'Notes', kind: 'folder', path } });

it.each([
  ['a folder under a root', 'root/notes'],
  ['the root itself', 'root'],
  ['a folder by the way the root was given', 'linked-root/notes'],
  ['a link that stays inside', 'root/way-in'],
  ['a way with dots that ends inside', 'root/notes/../notes'],
])('%s becomes a notebook, kept by its real path', async (_what, path) => {
  const made = await make(join(base, '/') + path);
  expect(made.status).toBe(201);
  expect(made.body.path).toBe(await realpath(join(base, path)));
  expect((await api.call('GET', `/notebooks/${made.body.id}`)).body).toEqual(made.body);
});

it.each([
  ['a folder outside', () => join(base, 'outside'), 'must lie under'],
  ['a folder whose name begins like a root', () => join(base, 'root-of-another'), 'must lie under'],
  ['a way with dots that ends outside', () => `${base}/root/../outside`, 'must lie under'],
  ['a link that leads out', () => join(base, 'root', 'way-out'), 'must lie under'],
  ['a folder outside that does not exist', () => join(base, 'nowhere'), 'must lie under'],
  ['a folder inside that does not exist', () => join(base, 'root', 'nowhere'), 'no such folder'],
  ['a file', () => join(base, 'root', 'file.md'), 'not a folder'],
  ['a relative path', () => 'root/notes', 'absolute'],
  ['a path with a NUL', () => `${base}/root/notes\0`, 'absolute'],
])('%s is refused', async (_what, path, why) => {
  const refused = await make(path());
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request']);
  expect(refused.body.details.fields.path).toContain(why);
});

it('is renamed and removed by admins alone; its files stay', async () => {
  const { id } = (await make(join(base, 'root', 'notes'))).body;
  const rename = (token: string) => api.call('PUT', `/notebooks/${id}`, { token, body: { name: 'Diary' } });
  const { token: writer } = await api.member(workspace, 'write');
  expect((await rename(writer)).status).toBe(403);
  expect((await rename(await api.foreignOwner())).status).toBe(404);
  expect((await rename(api.ownerKey)).body).toMatchObject({ id, name: 'Diary' });

  expect((await api.call('DELETE', `/notebooks/${id}`, { token: writer })).status).toBe(403);
  expect((await api.call('DELETE', `/notebooks/${id}`)).status).toBe(204);
  expect((await api.call('GET', `/notebooks/${id}`)).status).toBe(404);
  expect((await api.call('GET', `/notebooks/${id}/files`)).status).toBe(404);
  const { items } = (await api.call('GET', `/notebooks?workspace_id=${workspace}&limit=100`)).body;
  expect(items.map((each: { id: string }) => each.id)).not.toContain(id);
  await access(join(base, 'root', 'notes'));
});

it('is not removed while a run on it has not ended, and the run is named', async () => {
  const { id } = (await make(join(base, 'root', 'notes'))).body;
  const agent = { workspace_id: workspace, name: 'Helper', model: 'demo/x', scope: { notebooks: ['*'] } };
  const agent_id = (await api.call('POST', '/agents', { body: agent })).body.id;
  const owner = await api.identity.identify(api.ownerKey);
  const run = await insertRun(
    owner,
    draft(newId('run'), await findAgent(owner, agent_id), { notebook: { id, kind: 'folder' } }),
  );
  const refused = await api.call('DELETE', `/notebooks/${id}`);
  expect([refused.status, refused.body.error]).toEqual([409, 'notebook_in_use']);
  expect(refused.body.details.runs).toEqual([{ id: run._id, agent_name: 'Helper', status: 'queued' }]);
  expect((await api.call('GET', `/notebooks/${id}`)).status).toBe(200);
});

it('can be made of the folders that are offered, which only admins are told', async () => {
  const { id } = (await make(join(base, 'root', 'notes'))).body;
  const path = `/notebooks/roots?workspace_id=${workspace}`;
  const offered = (await api.call('GET', path)).body;
  expect(offered.roots).toEqual([join(base, 'linked-root')]);
  const notes = offered.folders.find(({ name }: OfferedFolder) => name === 'notes');
  expect(offered.folders.map(({ name }: OfferedFolder) => name)).toEqual(['notes']);
  expect(notes).toMatchObject({ path: join(base, 'root', 'notes'), notebook_id: expect.stringMatching(/^nb_/) });
  await api.call('DELETE', `/notebooks/${id}`);
  const { token } = await api.member(workspace, 'write');
  expect((await api.call('GET', path, { token })).status).toBe(403);
  expect((await api.call('GET', path, { token: await api.foreignOwner() })).status).toBe(404);
});

describe('a git notebook', () => {
  const makeGit = (url: string, more: object = {}) =>
    api.call('POST', '/notebooks', { body: { workspace_id: workspace, name: 'Code', kind: 'git', url, ...more } });

  it.each([
    ['a password', 'https://me:secret@host.example/repo.git', 'password or token'],
    ['a token', 'https://token@host.example/repo.git', 'password or token'],
    ['a token in its query', 'https://host.example/repo.git?token=x', 'password or token'],
    ['no encryption', 'http://host.example/repo.git', 'https://host'],
    ['a program to run', 'ext::sh -c id', 'https://host'],
    ['an option in place of a host', 'ssh://-oProxyCommand=id/repo', 'https://host'],
    ['a folder outside', 'file:///etc', 'must lie under'],
    ['nothing', 'repo.git', 'https://host'],
  ])('with %s in its address is refused', async (_what, url, why) => {
    const refused = await makeGit(url);
    expect([refused.status, refused.body.details.fields.url]).toEqual([400, expect.stringContaining(why)]);
  });

  it('takes what belongs to it, and not what belongs to a folder', async () => {
    expect((await makeGit('git@host.example:team/repo.git', { path: '/x' })).status).toBe(400);
    expect((await makeGit('git@host.example:team/repo.git', { default_branch: '--upload-pack=x' })).status).toBe(400);
    const made = await makeGit('git@host.example:team/repo.git', { default_branch: 'main' });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({
        kind: 'git',
        path: null,
        url: 'git@host.example:team/repo.git',
        default_branch: 'main',
      }),
    ]);
  });

  it('is browsed and searched as its branch is', async () => {
    const origin = join(base, 'root', 'origin');
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', origin, '-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args]);
    await mkdir(join(origin, 'docs'), { recursive: true });
    await writeFile(join(origin, 'docs', 'valve.md'), 'It opens\nat four bar.\n');
    await writeFile(join(origin, '.hidden'), 'four bar');
    await symlink('/etc/passwd', join(origin, 'way-out'));
    git('init', '--quiet', '--initial-branch=main');
    git('add', '.');
    git('commit', '--quiet', '-m', 'first');

    const { id } = (await makeGit(`file://${origin}`, { default_branch: 'main' })).body;
    const look = (rest: string) => api.call('GET', `/notebooks/${id}/files${rest}`);
    expect((await look('')).body.items.map(({ path }: FileEntry) => path)).toEqual(['/docs']);
    expect((await look('?path=/docs')).body.items).toEqual([
      { name: 'valve.md', path: '/docs/valve.md', type: 'file', size: 22, modified_at: null },
    ]);
    expect((await look('/content?path=/docs/valve.md')).body.text).toBe('It opens\nat four bar.\n');
    expect((await look('?path=/nowhere')).status).toBe(404);
    for (const path of ['/docs', '/nowhere.md', '/way-out']) {
      expect((await look(`/content?path=${path}`)).body.error).toBe('no_such_file');
    }
    const { results } = (await look('/search?q=four+BAR')).body;
    expect(results.map(({ path, line }: FileHit) => [path, line])).toEqual([['/docs/valve.md', 2]]);
    expect((await look('/search?q=valve')).body.results[0]).toMatchObject({ path: '/docs/valve.md', line: null });
    expect((await look('/search?q=nothing-of-this')).body).toEqual({ results: [], limited: false });
  });

  it('takes no changes by hand, and says what to do', async () => {
    const { id } = (await makeGit('ssh://git@host.example/team/repo.git')).body;
    const body = { path: '/a.md', content: 'x', expected_hash: null };
    const written = await api.call('PUT', `/notebooks/${id}/files/content`, { body });
    expect([written.status, written.body.error]).toEqual([409, 'git_notebook']);
    expect(written.body.message).toContain('start one');
  });

  it('has credentials that are named and never shown, and refuses what cannot be one', async () => {
    const { id } = (await makeGit('https://host.example/team/repo.git')).body;
    const path = `/notebooks/${id}/credentials`;
    const set = (key: string, value: string) => api.call('POST', path, { body: { key, value } });
    expect((await set('token', 'a-token-of-the-forge')).status).toBe(201);
    expect((await set('username', 'me')).status).toBe(201);
    for (const [key, value] of [
      ['token', 'short'],
      ['token', 'two\nlines-of-it'],
      ['ssh_key', 'not a key at all'],
      ['api_key', 'a-token-of-the-forge'],
    ] as const) {
      expect([key, (await set(key, value)).status]).toEqual([key, 400]);
    }
    const listed = await api.call('GET', path);
    expect(listed.body.items.map(({ key }: { key: string }) => key)).toEqual(['token', 'username']);
    expect(JSON.stringify(listed.body)).not.toContain('a-token');
    expect((await api.call('DELETE', `${path}/token`)).status).toBe(204);
    expect((await api.call('DELETE', `${path}/token`)).status).toBe(404);
    const folder = (await make(join(base, 'root', 'notes'))).body;
    expect(
      (
        await api.call('POST', `/notebooks/${folder.id}/credentials`, {
          body: { key: 'token', value: 'a-token-of-it' },
        })
      ).status,
    ).toBe(409);
  });

  it('whose repository is away says so, in the words of git', async () => {
    const { id } = (await makeGit(`file://${join(base, 'root', 'notes')}`)).body;
    const away = await api.call('GET', `/notebooks/${id}/files`);
    expect([away.status, away.body.error]).toEqual([424, 'git_unreachable']);
    expect(away.body.message).toContain('not appear to be a git repository');
  });
});
