import { once } from 'node:events';
import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
import fs, { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { NotebookFiles } from '../../files/notebook-files.ts';
import { HAS_DESCRIPTORS } from '../../files/open-folder.ts';

let home: string;
let root: string;
let outside: string;
beforeEach(async () => {
  // Who swaps thousands of times waits for a disk each time, if there is one.
  home = await mkdtemp(join(inject('HOMES'), 'longhaul-races-'));
  root = join(home, 'notebook');
  outside = join(home, 'outside');
  await mkdir(join(root, 'docs'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(root, 'docs/b.md'), 'inside');
  await writeFile(join(root, 'plain.md'), 'inside');
  await writeFile(join(outside, 'b.md'), 'OUTSIDE');
  await writeFile(join(outside, 'only-outside.md'), 'OUTSIDE');
});
afterEach(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));

const codes = (outcomes: unknown[]) =>
  new Set(outcomes.map((outcome) => (outcome instanceof Error && 'code' in outcome ? String(outcome.code) : 'done')));

/** Both sides were at it: something was done, and something was found swapped. */
const isRace = (outcomes: unknown[]): boolean => codes(outcomes).has('done') && codes(outcomes).has('scope_violation');

/**
 * Does the same thing over and over while another thread swaps folder and file for links and back. On a loaded machine
 * one of the two may have had the time for itself: then they race again.
 */
async function whileSwapping(times: number, work: (round: number) => Promise<unknown>) {
  const outcomes: unknown[] = [];
  do {
    const worker = new Worker(new URL('./swapping.mjs', import.meta.url), { workerData: { root, outside, times } });
    const state = { isOver: false };
    const over = once(worker, 'message').then(() => {
      state.isOver = true;
    });
    const end = outcomes.length + 20_000;
    while (!state.isOver && outcomes.length < end) {
      outcomes.push(await work(outcomes.length).catch((error: unknown) => error));
    }
    await over;
    await worker.terminate();
  } while (!isRace(outcomes));
  return outcomes;
}

async function expectNothingWrittenOutside(): Promise<void> {
  expect(await readdir(outside)).toEqual(['b.md', 'only-outside.md']);
  for (const name of await readdir(outside)) expect(await readFile(join(outside, name), 'utf8')).toBe('OUTSIDE');
}

const WAYS = HAS_DESCRIPTORS ? [true, false] : [false];

describe('[2] a folder or file that is swapped for a link between the check and the use', () => {
  it.each(WAYS)(
    'is never read from outside, nor listed where folders are held open (by descriptor: %s)',
    async (byDescriptor) => {
      const files = await NotebookFiles.at(root, byDescriptor);
      const outcomes = await whileSwapping(24_000, async (round) => {
        const path = round % 2 === 0 ? '/docs/b.md' : '/plain.md';
        switch (round % 5) {
          case 0:
            return files.entries('/docs');
          case 1:
            return files.list('/', 100);
          case 2:
            return files.entry(path);
          default:
            return (await files.read(path)).text;
        }
      });
      // By path, a folder that is swapped twice in the moment of listing shows other names; what they hold is never read.
      const foreign = byDescriptor ? /OUTSIDE|only-outside/ : /OUTSIDE/;
      expect(outcomes.filter((outcome) => foreign.test(JSON.stringify(outcome)))).toEqual([]);
      // It was a race, and both sides were at it.
      expect(outcomes).toContain('inside');
      expect(codes(outcomes)).toContain('scope_violation');
    },
  );

  it.each(WAYS)('is never read where the check was before and the use is after (by descriptor: %s)', async (way) => {
    const files = await NotebookFiles.at(root, way);
    const outcomes = await whileSwapping(12_000, async () => {
      const judged = await files.actual('/docs/b.md');
      return (await files.read(judged)).text;
    });
    expect(outcomes).not.toContain('OUTSIDE');
    expect(outcomes).toContain('inside');
  });

  it.runIf(HAS_DESCRIPTORS)('is never written, made, replaced or removed outside', async () => {
    const files = await NotebookFiles.at(root);
    const outcomes = await whileSwapping(12_000, async (round) => {
      if (round % 3 === 0) {
        const { staged, target } = await files.stage(`/docs/new-${round}.md`, 'written', `key-${round}`);
        return files.create(staged, target);
      }
      if (round % 3 === 1) {
        const { staged, target } = await files.stage(round % 2 ? '/docs/b.md' : '/plain.md', 'written', `key-${round}`);
        return files.land(staged, target);
      }
      return files.remove(await files.stageRemoval('/docs/b.md', `key-${round}`));
    });
    await expectNothingWrittenOutside();
    expect(outcomes).toContain(true);
    expect(codes(outcomes)).toContain('scope_violation');
  });

  it('is not read by path either, where it comes and goes with the first look', async () => {
    const folder = join(root, 'docs');
    const file = join(folder, 'b.md');
    let isLink = false;
    const show = (link: boolean): void => {
      if (link === isLink) return;
      isLink = link;
      if (!link) unlinkSync(folder);
      renameSync(link ? folder : join(root, 'aside'), link ? join(root, 'aside') : folder);
      if (link) symlinkSync(outside, folder);
    };
    let deceived = 0;
    const { realpath, lstat } = fs;
    vi.spyOn(fs, 'realpath').mockImplementation((path: unknown) => {
      show(false);
      return realpath(String(path));
    });
    vi.spyOn(fs, 'lstat').mockImplementation(async (path: unknown) => {
      if (path === file) {
        show(deceived === 0);
        deceived += 1;
      }
      const found = await lstat(String(path));
      if (path === folder) show(true);
      return found;
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    const files = await NotebookFiles.at(root, false);
    await expect(files.read('/docs/b.md')).rejects.toMatchObject({ code: 'scope_violation' });
    expect(deceived).toBe(2);
  });
});
