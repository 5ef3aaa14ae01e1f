import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Snapshots } from '../../files/snapshots.ts';

let home: string;
let root: string;
let snapshots: Snapshots;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'longhaul-snapshots-'));
  root = join(home, 'notebook');
  await mkdir(join(root, 'docs'), { recursive: true });
  await writeFile(join(root, 'docs/a.md'), 'a\n');
  snapshots = new Snapshots(join(home, 'snapshots'));
});
afterEach(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));

/** The files of a snapshot, by their paths. */
async function restored(snapshot: string): Promise<Record<string, string>> {
  const to = join(home, `restored-${snapshot}`);
  await snapshots.restore('nb_1', snapshot, to);
  const found = await readdir(to, { recursive: true, withFileTypes: true });
  const files = found.filter((item) => item.isFile()).map((item) => join(item.parentPath, item.name));
  const texts = files.map(async (path) => [path.slice(to.length), await readFile(path, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

it('[15.6] the files come back as they were, but for what is ignored and what is about to be written', async () => {
  await writeFile(join(root, '.gitignore'), 'build\n');
  await mkdir(join(root, 'build'));
  await writeFile(join(root, 'build/out'), 'made\n');
  await writeFile(join(root, 'docs/.longhaul-staged-1'), 'half\n');
  const before = await snapshots.take('nb_1', root, 'run_1');
  await rm(join(root, 'docs/a.md'));
  await writeFile(join(root, 'b.md'), 'b\r\n');
  const after = await snapshots.take('nb_1', root, 'run_1');
  expect(await restored(before)).toEqual({ '/.gitignore': 'build\n', '/docs/a.md': 'a\n' });
  expect(await restored(after)).toEqual({ '/.gitignore': 'build\n', '/b.md': 'b\r\n' });
});

it('the same files make the same snapshot, whoever takes it; what one lets go of the other keeps', async () => {
  const one = await snapshots.take('nb_1', root, 'run_1');
  expect(await snapshots.take('nb_1', root, 'run_2')).toBe(one);
  await snapshots.forget('nb_1', 'run_1');
  expect(await restored(one)).toEqual({ '/docs/a.md': 'a\n' });
});

it('[6] a repository among the files is left out, and nothing that its settings name is run', async () => {
  const proof = join(home, 'was-run');
  const nested = join(root, 'nested');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@longhaul.test', ...args], { cwd: nested });
  await mkdir(nested);
  await writeFile(join(nested, 'inner.md'), 'inner\n');
  git('init', '--quiet');
  git('add', 'inner.md');
  git('commit', '--quiet', '-m', 'inner');
  git('config', 'core.fsmonitor', `touch ${proof}`);
  git('config', 'filter.x.clean', `touch ${proof}`);
  await writeFile(join(root, '.gitattributes'), '* filter=x\n');
  await snapshots.take('nb_1', root, 'run_1');
  // What was known before is looked into by whoever asks git whether it has changed.
  await writeFile(join(nested, 'inner.md'), 'changed\n');
  const kept = await snapshots.take('nb_1', root, 'run_1');
  await expect(stat(proof)).rejects.toThrow('ENOENT');
  expect(Object.keys(await restored(kept))).toEqual(['/.gitattributes', '/docs/a.md']);
});

/** JavaScript, since threads do not go through what turns the tests into it. */
const CHURN = `
const { renameSync, unlinkSync, writeFileSync } = require('node:fs');
const { workerData } = require('node:worker_threads');
for (let round = 0; ; round++) {
  const at = (name) => workerData + '/' + name + (round % 20) + '.md';
  try {
    writeFileSync(at('new'), String(round));
    renameSync(at('new'), at('moved'));
    unlinkSync(workerData + '/moved' + ((round + 7) % 20) + '.md');
  } catch {}
}`;

it('files that come and go meanwhile keep no snapshot back', async () => {
  const churn = new Worker(CHURN, { eval: true, workerData: root });
  try {
    for (let round = 0; round < 20; round++) await snapshots.take('nb_1', root, `run_${round % 3}`);
  } finally {
    await churn.terminate();
  }
  expect(await restored(await snapshots.take('nb_1', root, 'run_1'))).toMatchObject({ '/docs/a.md': 'a\n' });
});
