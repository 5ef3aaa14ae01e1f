import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contentHash } from '../../files/file-bytes.ts';
import { applyChanges, type FileChange, forgetChanges, recover } from '../../files/journal.ts';
import { NotebookFiles } from '../../files/notebook-files.ts';

let home: string;
let program: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'longhaul-journal-'));
  program = join(home, 'apply.mjs');
  const entry = fileURLToPath(new URL('./apply-child.ts', import.meta.url));
  await build({
    entryPoints: [entry],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});
afterAll(() => rm(home, { recursive: true, force: true }));

let root: string;
let files: NotebookFiles;
beforeEach(async () => {
  root = await mkdtemp(join(home, 'notebook-'));
  files = await NotebookFiles.at(root);
});

const FILES = 50;
const oldText = (n: number) => `file ${n}\nas it was\n`;
const newText = (n: number) => `file ${n}\nas it is wanted\n${'more\n'.repeat(n)}`;
const pathOf = (n: number) => `/${n % 5 === 0 ? 'deep/er/' : ''}file-${n}.md`;

/** Of fifty files most are changed, five are new (in folders that are not there), and five go. */
async function lay(folder: string): Promise<FileChange[]> {
  await mkdir(join(folder, 'deep/er'), { recursive: true });
  const change = async (n: number): Promise<FileChange> => {
    if (n >= 45) return { path: `/new/place-${n}/file.md`, before_hash: null, content: newText(n) };
    await writeFile(join(folder, pathOf(n)), oldText(n));
    return { path: pathOf(n), before_hash: contentHash(oldText(n)), content: n >= 40 ? null : newText(n) };
  };
  return Promise.all(Array.from({ length: FILES }, (_, n) => change(n)));
}

async function tree(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).map((item) => ({
    path: join(item.parentPath, item.name),
    isFile: item.isFile(),
  }));
  const all = names.map(async ({ path, isFile }) => [
    path.slice(folder.length),
    isFile ? await readFile(path, 'utf8') : 'a folder',
  ]);
  return Object.fromEntries(await Promise.all(all));
}

/** As an apply leaves the files that were laid, and how it found them. */
async function bothStates(): Promise<{ old: Record<string, string>; new: Record<string, string> }> {
  const model = await mkdtemp(join(home, 'model-'));
  const changes = await lay(model);
  const old = await tree(model);
  const outcome = await applyChanges(await NotebookFiles.at(model), 'model', changes);
  if (outcome.is === 'applied') await outcome.forget();
  return { old, new: await tree(model) };
}

describe('[5] several files are changed together', () => {
  it('all of them, with their modes, and nothing is left beside them', async () => {
    const changes = await lay(root);
    await chmod(join(root, 'file-1.md'), 0o755);
    const outcome = await applyChanges(files, 'one', changes);
    expect(outcome.is).toBe('applied');
    if (outcome.is === 'applied') await outcome.forget();
    const now = await tree(root);
    expect(now['/file-1.md']).toBe(newText(1));
    expect(now['/new/place-47/file.md']).toBe(newText(47));
    expect(now['/file-41.md']).toBeUndefined();
    expect(Object.keys(now).filter((name) => name.includes('.longhaul'))).toEqual([]);
    expect((await stat(join(root, 'file-1.md'))).mode & 0o777).toBe(0o755);
  });

  it('none of them where one is not as it was, and it says which', async () => {
    const changes = await lay(root);
    await writeFile(join(root, 'file-7.md'), 'somebody was faster\n');
    const laid = await tree(root);
    const outcome = await applyChanges(files, 'two', changes);
    expect(outcome).toEqual({
      is: 'conflict',
      files: [
        {
          path: '/file-7.md',
          expected_hash: contentHash(oldText(7)),
          actual_hash: contentHash('somebody was faster\n'),
        },
      ],
    });
    expect(await tree(root)).toEqual(laid);
  });

  it('none of them where one cannot be written, and nothing is left behind', async () => {
    const changes = await lay(root);
    await writeFile(join(root, 'new'), 'a file where a folder is to be');
    const laid = await tree(root);
    await expect(applyChanges(files, 'three', changes)).rejects.toThrow();
    expect(await tree(root)).toEqual(laid);
  });

  it('never through a link that was put in the place of one', async () => {
    const elsewhere = await mkdtemp(join(home, 'elsewhere-'));
    await writeFile(join(elsewhere, 'x.md'), 'outside\n');
    await symlink(join(elsewhere, 'x.md'), join(root, 'x.md'));
    const outcome = applyChanges(files, 'four', [
      { path: '/x.md', before_hash: contentHash('outside\n'), content: 'inside\n' },
    ]);
    expect(
      await outcome.then(
        ({ is }) => is,
        () => 'refused',
      ),
    ).not.toBe('applied');
    expect(await readFile(join(elsewhere, 'x.md'), 'utf8')).toBe('outside\n');
  });

  it('once: repeated before it is taken note of, it is known to have happened, also where a file was changed since', async () => {
    const changes = await lay(root);
    expect((await applyChanges(files, 'five', changes)).is).toBe('applied');
    await writeFile(join(root, 'file-1.md'), 'changed later\n');
    const again = await applyChanges(files, 'five', changes);
    expect(again.is).toBe('applied');
    if (again.is === 'applied') await again.forget();
    expect(await readFile(join(root, 'file-1.md'), 'utf8')).toBe('changed later\n');
    expect(Object.keys(await tree(root)).filter((name) => name.includes('.longhaul'))).toEqual([]);
  });

  it('one after the other where several want to at once: none overwrites what it has not seen', async () => {
    await writeFile(join(root, 'counter.md'), '0\n');
    const raise = async (name: string): Promise<void> => {
      for (let tries = 0; ; tries++) {
        const { text, hash } = await files.read('/counter.md');
        const content = `${Number(text) + 1}\n`;
        const outcome = await applyChanges(files, `${name}-${tries}`, [
          { path: '/counter.md', before_hash: hash, content },
        ]);
        if (outcome.is === 'applied') return outcome.forget();
      }
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(raise));
    expect(await readFile(join(root, 'counter.md'), 'utf8')).toBe('4\n');
  });
});

describe('[5] where the disk has changed between the last check and the renames', () => {
  const hidden = async () => Object.keys(await tree(root)).filter((name) => name.includes('.longhaul'));
  const refused = (code: string) => Object.assign(new Error(`${code}: refused`), { code, syscall: 'rename' });
  /** Does something to the place of one file in the very moment before it gets its name. */
  function justBefore(path: string, act: () => Promise<unknown>): void {
    const { land } = files;
    files.land = async (staged, target) => {
      if (target === path) await act();
      return land(staged, target);
    };
  }

  it('a folder, a link and a folder that is gone stay as they are; all others are new, and nothing is left behind', async () => {
    const elsewhere = await mkdtemp(join(home, 'elsewhere-'));
    const changes = await lay(root);
    const late = { path: '/late/x.md', before_hash: null, content: 'late\n' };
    justBefore('/file-3.md', async () => {
      await rm(join(root, 'file-3.md'));
      await mkdir(join(root, 'file-3.md/within'), { recursive: true });
    });
    justBefore('/late/x.md', async () => {
      await rm(join(root, 'late'), { recursive: true });
      await symlink(elsewhere, join(root, 'late'));
    });
    justBefore('/new/place-46/file.md', () => rm(join(root, 'new/place-46'), { recursive: true }));
    const outcome = await applyChanges(files, 'swapped', [...changes, late]);
    expect(outcome.is).toBe('applied');
    if (outcome.is === 'applied') await outcome.forget();
    const now = await tree(root);
    expect([now['/file-3.md/within'], now['/file-4.md']]).toEqual(['a folder', newText(4)]);
    expect(await readdir(elsewhere)).toEqual([]);
    expect(await hidden()).toEqual([]);
    expect((await applyChanges(files, 'the next', [])).is).toBe('applied');
  });

  it('what the disk refuses then is no failure, since others are new already: it is gone on with, and nobody else begins', async () => {
    const changes = await lay(root);
    let isRefused = true;
    justBefore('/file-3.md', async () => {
      if (isRefused) throw refused('EACCES');
    });
    const other: FileChange = { path: '/other.md', before_hash: null, content: 'other\n' };
    expect(await applyChanges(files, 'stuck', changes)).toMatchObject({ is: 'busy', because: { code: 'EACCES' } });
    expect(await applyChanges(files, 'stuck', changes)).toMatchObject({ is: 'busy', because: { code: 'EACCES' } });
    expect(await applyChanges(files, 'another', [other])).toMatchObject({ is: 'busy' });
    await expect(recover(files)).rejects.toMatchObject({ code: 'EACCES' });
    isRefused = false;
    expect((await applyChanges(files, 'stuck', changes)).is).toBe('applied');
    await forgetChanges(files, 'stuck');
    expect((await tree(root))['/file-3.md']).toBe(newText(3));
    expect(await hidden()).toEqual([]);
  });

  it.each(['ENOSPC', 'EACCES', 'EROFS'])(
    'what it refuses before (%s) fails, and leaves everything as it was',
    async (code) => {
      const changes = await lay(root);
      const laid = await tree(root);
      const { stage } = files;
      files.stage = async (path, ...rest) => {
        if (path === '/file-31.md') throw refused(code);
        return stage.call(files, path, ...rest);
      };
      const failed = applyChanges(files, 'refused', changes);
      await expect(failed).rejects.toMatchObject({ code: code === 'ENOSPC' ? 'too_large' : code });
      expect(await tree(root)).toEqual(laid);
    },
  );
});

describe('[5] an apply of 50 files that is killed', () => {
  const ROUNDS = 100;
  const LANES = 3;

  /** Killed so many milliseconds after it has begun; gives how far it said it came. */
  async function killed(child: ChildProcess, afterMs: number): Promise<{ said: string; took: number }> {
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const gone = once(child, 'exit');
    await new Promise<void>((begun) => {
      child.stdout?.on('data', () => said.includes('begun') && begun());
      child.once('exit', () => begun());
    });
    const begun = Date.now();
    await Promise.race([setTimeout(afterMs), gone]);
    child.kill('SIGKILL');
    await gone;
    return { said, took: Date.now() - begun };
  }

  it('at any of 100 moments leaves every file old or every file new, and nothing behind', async () => {
    const states = await bothStates();
    const ends = { old: 0, new: 0 };
    const run = async (round: number, lasts: number): Promise<number> => {
      const place = await mkdtemp(join(home, 'killed-'));
      const plan = `${place}.json`;
      await writeFile(plan, JSON.stringify(await lay(place)));
      const child = spawn(process.execPath, [program, place, plan, `apply-${round}`]);
      const { said, took } = await killed(child, Math.random() * lasts);
      // As the next worker that starts does, which knows nothing of it.
      await recover(await NotebookFiles.at(place), Date.now() + 10_000);
      const found = await tree(place);
      const end = found['/file-1.md'] === newText(1) ? 'new' : 'old';
      ends[end] += 1;
      const left = Object.keys(found).filter((name) => name.includes('.longhaul'));
      // What was decided and not yet taken note of is told by its journal alone, until its run has done so.
      expect(left.filter((name) => !name.includes('journal-committed'))).toEqual([]);
      for (const name of left) delete found[name];
      expect(found, `round ${round}`).toEqual(states[end]);
      if (end === 'new' || said.includes('applied')) {
        const again = await applyChanges(await NotebookFiles.at(place), `apply-${round}`, await planOf(plan));
        if (again.is === 'applied') await again.forget();
      }
      expect(Object.keys(await tree(place)).filter((name) => name.includes('.longhaul'))).toEqual([]);
      await rm(place, { recursive: true, force: true });
      return said.includes('forgotten') ? Math.min(took, lasts) : lasts;
    };
    const planOf = async (plan: string): Promise<FileChange[]> => JSON.parse(await readFile(plan, 'utf8'));

    let next = 0;
    const lane = async () => {
      // What it takes here and now is found out first: a killed one ends anywhere before that.
      let lasts = 2_000;
      for (let round = next++; round < ROUNDS; round = next++) lasts = Math.max(20, await run(round, lasts));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    expect(ends.old + ends.new).toBe(ROUNDS);
    // Killed early enough and late enough to have seen both ends.
    expect(Math.min(ends.old, ends.new)).toBeGreaterThan(0);
  }, 240_000);
});
