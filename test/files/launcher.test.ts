import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LaunchOptions, launch } from '../../files/launcher.ts';

const run = promisify(execFile);
const USUAL: LaunchOptions = { input: undefined, timeoutMs: 60_000, signal: undefined, maxBytes: 1_000_000 };
const env = { PATH: process.env.PATH };

const sh = (script: string, options: Partial<LaunchOptions> = {}) =>
  launch({ program: 'sh', args: ['-c', script], cwd: tmpdir(), env }, { ...USUAL, ...options });

/** Of the process that starts programs: it is the parent of them all. */
const hostPid = async (): Promise<number> => {
  const launched = await sh('echo $PPID');
  return launched.how === 'exited' ? Number(launched.stdout) : 0;
};

/** Who has ended may be listed for as long as nobody has asked how; `ps` ends with 1 where nobody is listed. */
const isGone = (pid: number): Promise<boolean> =>
  run('ps', ['-o', 'stat=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.startsWith('Z'),
    (error: { code: unknown }) => {
      if (error.code !== 1) throw error;
      return true;
    },
  );
async function untilGone(text: string): Promise<void> {
  const pid = Number(text);
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => isGone(pid)).toBe(true);
}

describe('A program that is started', () => {
  it('is heard on both its outputs, with its exit code', async () => {
    expect(await sh('printf out; printf err >&2; exit 3')).toEqual({
      how: 'exited',
      code: 3,
      stdout: Buffer.from('out'),
      stderr: Buffer.from('err'),
    });
  });

  it.each([
    ['text', () => 'ünï\n', 'ünï\n'],
    ['bytes', () => Buffer.from([0, 255, 10]), Buffer.from([0, 255, 10])],
    ['what is still being found out', () => Promise.resolve('later'), 'later'],
    ['what could not be found out', () => Promise.reject(new Error('not to be had')), ''],
    ['nothing', () => undefined, ''],
  ])('is given %s', async (_, input, heard) => {
    expect(await sh('cat', { input: input() })).toMatchObject({ how: 'exited', code: 0, stdout: Buffer.from(heard) });
  });

  it('is heard whole, however much it says', async () => {
    const megabytes = 40;
    const launched = await sh(`head -c ${megabytes}000000 /dev/zero | tr '\\0' x; printf end`, {
      maxBytes: 100_000_000,
    });
    if (launched.how !== 'exited') throw new Error(launched.how);
    expect(launched.stdout.length).toBe(megabytes * 1_000_000 + 3);
    expect(launched.stdout.subarray(-5).toString()).toBe('xxend');
  });

  it('is given all of a large input, while others go on beside it', async () => {
    const input = Buffer.alloc(30_000_001, 'abc');
    const [large, small] = await Promise.all([
      sh('cat', { input, maxBytes: 100_000_000 }),
      ...Array.from({ length: 5 }, () => sh('cat', { input: 'small' })),
    ]);
    if (large?.how !== 'exited') throw new Error(large?.how);
    expect(large.stdout.equals(input)).toBe(true);
    expect(small).toMatchObject({ how: 'exited', stdout: Buffer.from('small') });
  });

  it('does not pile up where it is given more than it reads', async () => {
    expect(await sh('exit 4', { input: Buffer.alloc(5_000_000) })).toMatchObject({ how: 'exited', code: 4 });
  });

  it('has the environment it is given, and nothing of ours', async () => {
    const launched = await launch(
      { program: '/usr/bin/env', args: [], cwd: tmpdir(), env: { ONLY: 'this' } },
      { ...USUAL },
    );
    expect(launched).toMatchObject({ how: 'exited', stdout: Buffer.from('ONLY=this\n') });
  });

  it.each([
    ['there is not', { program: 'no-such-program', args: [] }, /ENOENT/],
    ['has a folder that there is not', { program: 'sh', args: [], cwd: '/no/such/folder' }, /ENOENT/],
    ['has an argument that cannot be one', { program: 'sh', args: ['a\0b'] }, /null bytes/],
  ])('and that %s is told', async (_, wanted, message) => {
    const launched = await launch({ cwd: tmpdir(), env, ...wanted }, USUAL);
    expect(launched).toEqual({ how: 'not_started', message: expect.stringMatching(message) });
    expect(await sh('echo well')).toMatchObject({ how: 'exited', stdout: Buffer.from('well\n') });
  });
});

describe('A program that goes too far', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'longhaul-launched-'));
  });
  afterAll(() => rm(dir, { recursive: true }));

  const hasEnded = async (name: string): Promise<void> => untilGone(await readFile(join(dir, name), 'utf8'));
  const endless = (name: string, says = ':') => `echo $$ > ${dir}/${name}; while ${says}; do :; done`;

  it('and says too much is ended', async () => {
    expect(await sh(endless('much', 'echo more and more'))).toEqual({ how: 'too_much' });
    await hasEnded('much');
  });

  it('and takes too long is ended', async () => {
    expect(await sh(endless('late'), { timeoutMs: 2_000 })).toEqual({ how: 'too_late' });
    await hasEnded('late');
  });

  it('is over once it has ended itself, though what it has started lives on', async () => {
    const host = await hostPid();
    const started = join(dir, 'started');
    expect(await sh(`sleep 60 & echo $! > ${started}; wait`, { timeoutMs: 2_000 })).toEqual({ how: 'too_late' });
    process.kill(Number(await readFile(started, 'utf8')));
    expect(await hostPid()).toBe(host);
  });

  it('is ended where nobody wants it any more', async () => {
    const controller = new AbortController();
    const launched = sh(endless('unwanted'), { signal: controller.signal });
    await expect.poll(() => readFile(join(dir, 'unwanted'), 'utf8').catch(() => '')).toMatch(/\n$/);
    controller.abort(new Error('not wanted'));
    await expect(launched).rejects.toThrow('not wanted');
    await hasEnded('unwanted');
  });
});

describe('The process that starts programs', () => {
  it('is one for all of them, and another one where it was killed: who was under way is told', async () => {
    const first = await hostPid();
    expect(await hostPid()).toBe(first);
    // It ends by itself once nobody can give it anything any more.
    const underWay = sh('cat', { input: new Promise(() => undefined) });
    process.kill(first, 'SIGKILL');
    expect(await underWay).toEqual({ how: 'lost' });
    expect(await hostPid()).not.toBe(first);
  });

  it('holds nobody back who has ended, and ends after them, however that was', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'longhaul-launching-'));
    const outfile = join(dir, 'program.mjs');
    const source = join(dir, 'program.ts');
    const launcher = new URL('../../files/launcher.ts', import.meta.url).pathname;
    await writeFile(
      source,
      `import { launch } from ${JSON.stringify(launcher)};
      const { stdout } = await launch(
        { program: 'sh', args: ['-c', 'echo $PPID'], env: {} },
        { timeoutMs: 60_000, maxBytes: 100 },
      );
      console.log(String(stdout));
      if (process.argv[2]) process.kill(process.pid, 'SIGKILL');`,
    );
    await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'esm' });
    for (const killed of [[], ['killed']]) {
      const { stdout } = await run(process.execPath, [outfile, ...killed]).catch((error: { stdout: string }) => error);
      expect(Number(stdout)).toBeGreaterThan(0);
      await untilGone(stdout);
    }
    await rm(dir, { recursive: true });
  });
});
