import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowedFolder } from '../../files/allowed-folder.ts';

let base: string;
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-folders-')));
  for (const path of ['people/notes', 'people/.longhaul/mongo', 'people/.longhaul/notebooks/sample']) {
    await mkdir(join(base, path), { recursive: true });
  }
  await symlink(join(base, 'people/.longhaul'), join(base, 'people/shortcut'));
});
afterAll(() => rm(base, { recursive: true }));

describe('[2] a folder that people may name', () => {
  const KEYS = 'Longhaul keeps its own data and keys there';
  it.each([
    ['people/notes', null],
    ['people/.longhaul/notebooks/sample', null],
    ['people/.longhaul/notebooks', null],
    ['people', KEYS],
    ['people/.longhaul', KEYS],
    ['people/.longhaul/mongo', KEYS],
    ['people/shortcut', KEYS],
    ['people/shortcut/mongo', KEYS],
  ])('is one that holds none of the installation’s own data: %s', async (path, why) => {
    const dataDir = join(base, 'people/.longhaul');
    const roots = [join(base, 'people'), join(dataDir, 'notebooks')];
    const found = await allowedFolder(join(base, path), { roots, dataDir });
    expect(found).toEqual(why === null ? { real: join(base, path) } : { why });
  });

  it('is not all of the data, even where somebody has allowed it as a root', async () => {
    const dataDir = join(base, 'people/.longhaul');
    expect(await allowedFolder(join(dataDir, 'mongo'), { roots: [dataDir], dataDir })).toEqual({ why: KEYS });
  });
});
