import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
  api = await startApi({ notebookRoots: [join(base, 'linked-root')] });
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
