import { execFileSync } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { keepDisk } from '../../activities/disk-upkeep.ts';
import { Sandbox } from '../../activities/sandbox/sandbox.ts';
import { DiskUpkeep } from '../../api/disk-upkeep.ts';
import { tidyDisk } from '../../files/disk-upkeep.ts';
import { ownedFolder, removeOrphanedFolders } from '../../files/owned-folder.ts';
import { withKeyAgent } from '../../files/ssh-agent.ts';
import { leaseCollection, notebooksKnown } from '../../store/checkout-leases.ts';
import { disconnectStore, nativeCollection } from '../../store/connection.ts';
import { ownStore } from '../own-store.ts';

let base: string;
let places: { mirrorsDir: string; setupsDir: string; temporaryDir: string };
beforeAll(ownStore);
afterAll(disconnectStore);
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'longhaul-disk-'));
  const of = (name: string) => join(base, name);
  places = { mirrorsDir: of('mirrors'), setupsDir: of('setups'), temporaryDir: of('tmp') };
  await Promise.all(Object.values(places).map((dir) => mkdir(dir)));
  return () => rm(base, { recursive: true });
});

const git = (dir: string, ...args: string[]): string =>
  execFileSync('git', ['-C', dir, '-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args]).toString();
const mirror = (id: string): string => {
  const dir = join(places.mirrorsDir, `${id}.git`);
  execFileSync('git', ['init', '--quiet', '--bare', dir]);
  return dir;
};
const notebook = (_id: string, removed_at: Date | null = null) =>
  nativeCollection<{ _id: string; removed_at: Date | null }>('notebooks').insertOne({ _id, removed_at });
const lease = (notebook_id: string, released_at: Date | null) =>
  leaseCollection().insertOne({
    ...{ _id: `run_of_${notebook_id}`, root_run_id: `run_of_${notebook_id}`, notebook_id, executor_id: 'elsewhere' },
    ...{ epoch: 1, seq: 0, claimed_at: new Date(), released_at },
  });
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

it('[7] of notebooks that are gone nothing stays on the disk, but for what a run still uses', async () => {
  await Promise.all([notebook('there'), notebook('removed', new Date()), notebook('used', new Date())]);
  await Promise.all([lease('used', null), lease('never', new Date())]);
  for (const id of ['there', 'removed', 'used', 'never']) {
    mirror(id);
    await mkdir(join(places.setupsDir, id));
    await writeFile(join(places.setupsDir, id, 'k.tar'), 'installed');
  }
  await keepDisk(places);
  expect((await readdir(places.mirrorsDir)).sort()).toEqual(['there.git', 'used.git']);
  expect((await readdir(places.setupsDir)).sort()).toEqual(['there', 'used']);
  expect(await readdir(join(places.setupsDir, 'there'))).toEqual(['k.tar']);
});

it('[7] the API does so with what it has, also on a machine where no executor is', async () => {
  await Promise.all([notebook('api_there'), notebook('api_removed', new Date())]);
  for (const id of ['api_there', 'api_removed', 'api_never']) mirror(id);
  await mkdir(join(places.setupsDir, 'api_never'));
  const left = (await ownedFolder('ssh', places.temporaryDir)).replace(`-${process.pid}.`, '-4194999.');
  await mkdir(left);
  await new DiskUpkeep({ ...places, setupsDir: null }, pino({ level: 'silent' })).once();
  expect(await readdir(places.mirrorsDir)).toEqual(['api_there.git']);
  expect(await readdir(places.setupsDir), 'of others').toEqual(['api_never']);
  expect(await readdir(places.temporaryDir)).not.toContain(basename(left));
});

it('[7] what a key agent and the proof of a sandbox have made is told from what they have left', async () => {
  const isOwn = new RegExp(`longhaul-[a-z]+-${process.pid}\\.\\w+@\\w{7,8}-\\w{6}`);
  const key = join(base, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  await withKeyAgent(await readFile(key, 'utf8'), async ({ SSH_AUTH_SOCK = '' }) => {
    expect(SSH_AUTH_SOCK).toMatch(isOwn);
    await removeOrphanedFolders();
    await access(SSH_AUTH_SOCK);
  });
  // In the place of bubblewrap, to say what there is while it is asked to prove itself.
  const bwrap = join(base, 'bwrap');
  const script = `#!/bin/sh\necho ${tmpdir()}/longhaul-proof-*\n`;
  await writeFile(bwrap, script, { mode: 0o755 });
  const sandbox = await Sandbox.open({ bwrap, path: process.env.PATH ?? '' }, () => null);
  expect(sandbox.confinement().why).toMatch(isOwn);
});

it('[7] what killed processes have left is removed, and what may be under way is not', async () => {
  await notebook('left');
  const pack = join(mirror('left'), 'objects', 'pack');
  await mkdir(join(places.setupsDir, 'left'));
  const old = [
    join(places.mirrorsDir, '.cloning-old'),
    join(pack, 'tmp_pack_old'),
    join(places.setupsDir, 'left', 'k.tar.1.part'),
  ];
  for (const path of [...old, join(places.mirrorsDir, '.cloning-new')]) await writeFile(path, 'half');
  await Promise.all(old.map((path) => utimes(path, hoursAgo(2), hoursAgo(2))));
  const own = await ownedFolder('mcp', places.temporaryDir);
  await mkdir(own.replace(`-${process.pid}.`, '-4194999.'));
  await keepDisk(places);
  expect((await readdir(places.mirrorsDir)).sort()).toEqual(['.cloning-new', 'left.git']);
  expect([await readdir(pack), await readdir(join(places.setupsDir, 'left'))]).toEqual([[], []]);
  expect(await readdir(places.temporaryDir)).toEqual([own.slice(places.temporaryDir.length + 1)]);
});

it('[7] a mirror of many packs is repacked while nobody uses it, and loses nothing', async () => {
  await Promise.all([notebook('quiet'), notebook('busy')]);
  await lease('busy', null);
  const packsOf = async (dir: string) =>
    (await readdir(join(dir, 'objects', 'pack'))).filter((name) => name.endsWith('.pack')).length;
  // No branch leads to them: the remote has moved on, and a checkout stands on them still.
  const filled = (id: string) => {
    const dir = mirror(id);
    const tree = git(dir, 'hash-object', '-w', '-t', 'tree', '/dev/null').trim();
    const commits = Array.from({ length: 6 }, (_, n) => {
      const commit = git(dir, 'commit-tree', '-m', `${n}`, tree).trim();
      execFileSync('git', ['-C', dir, 'pack-objects', '--quiet', join(dir, 'objects', 'pack', 'pack')], {
        input: `${commit}\n`,
      });
      return commit;
    });
    git(dir, 'prune-packed');
    return { dir, commits };
  };
  const [quiet, busy] = [filled('quiet'), filled('busy')];
  expect([await packsOf(quiet.dir), await packsOf(busy.dir)]).toEqual([6, 6]);
  await tidyDisk(places, notebooksKnown, { quiet: 4, in_use: 10 });
  expect(await packsOf(quiet.dir)).toBeLessThan(3);
  expect(await packsOf(busy.dir)).toBe(6);
  for (const commit of quiet.commits) expect(git(quiet.dir, 'cat-file', '-t', commit).trim()).toBe('commit');
});
