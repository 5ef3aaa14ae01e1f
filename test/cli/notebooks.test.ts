import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, startApi } from '../api/running-api.ts';
import { startProgram } from './terminal-program.ts';

let api: Api;
let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-cli-notebooks-')));
  await mkdir(join(folder, 'letters', 'old'), { recursive: true });
  await writeFile(join(folder, 'letters', 'first.md'), '# Dear reader\n');
  api = await startApi({ notebookRoots: [folder] });
  await api.workspace('Post');
});
afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true });
});

const run = (...args: string[]) => startProgram({ url: api.url, key: api.ownerKey, home: folder }, args).ended;

it('[12] notebooks are added, listed and removed on the command line, and their files read', async () => {
  expect((await run('notebooks')).out).toMatch(/^No notebook yet/);
  const added = await run('notebooks', 'add', join(folder, 'letters'), '--name', 'Letters');
  expect(added).toMatchObject({ code: 0, err: '' });
  expect(added.out).toMatch(/^nb_\w{26} {2}Letters \(folder\)\n$/);
  const git = await run('notebooks', 'add', 'git@example.org:team/handbook.git', '--branch', 'main');
  expect(git.out).toMatch(/ {2}handbook \(git\)\n$/);
  expect((await run('notebooks', 'list')).out).toMatch(
    /^ID +NAME +KIND +WHERE +ADDED\nnb_\w+ +Letters +folder .*letters.*\nnb_\w+ +handbook +git +git@.*\(main\)/,
  );

  expect((await run('files', 'ls', 'Letters')).out).toMatch(/^NAME +BYTES +CHANGED\nold\/ .*\nfirst\.md +14 +\S.*\n$/);
  expect((await run('files', 'ls', 'Letters', '/old')).out).toBe('The folder is empty.\n');
  expect((await run('files', 'cat', 'Letters', 'first.md')).out).toBe('# Dear reader\n');
  const outside = await run('files', 'cat', 'Letters', '../x');
  expect([outside.code, outside.err]).toEqual([1, expect.stringContaining('leaves the notebook')]);

  expect((await run('notebooks', 'rm', 'Letters')).out).toBe('Removed Letters. Its files are where they were.\n');
  expect(await readFile(join(folder, 'letters', 'first.md'), 'utf8')).toBe('# Dear reader\n');
});

it('[12] what cannot be done says why', async () => {
  expect((await run('notebooks', 'rm', 'Nowhere')).err).toContain('There is no notebook "Nowhere"');
  expect((await run('notebooks', 'add', '/etc')).err).toContain('must lie under');
  expect((await run('notebooks', 'add', 'https://me:pw@example.org/a.git')).err).toContain('password or token');
  expect((await run('notebooks', 'add', folder, '--branch', 'main')).err).toContain('Only a git notebook');
});

it('[12] workspaces are listed, added and renamed on the command line', async () => {
  const added = await run('workspaces', 'add', 'Field research');
  expect(added.out).toMatch(/^ws_\w{26} {2}Field research\n$/);
  expect((await run('workspaces', 'rename', 'Field research', 'Fields')).out).toBe(added.out.replace(' research', 's'));
  expect((await run('workspaces')).out).toMatch(/^ID +NAME +YOUR ROLE +MADE\n(.*\n)*ws_\w+ +Fields +admin .*\n/);
  expect((await run('workspaces', 'rename', 'Nowhere', 'x')).err).toContain('There is no workspace "Nowhere"');
});
