import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Sandbox } from '../../activities/sandbox/sandbox.ts';

const MB = 1024 * 1024;
const limits = { memory_bytes: 128 * MB, processes: 48 };
let root: string;
let sandbox: Sandbox;
const open = (more = {}) =>
  Sandbox.open({ bwrap: inject('BWRAP') || undefined, path: process.env.PATH ?? '', limits, ...more }, () => null);

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'longhaul-limits-'));
  sandbox = await open();
});
afterAll(async () => {
  await sandbox.close();
  rmSync(root, { recursive: true, force: true });
});

const attempt = (script: string, timeout_ms = 60_000) =>
  sandbox.run({ argv: ['/bin/bash', '-c', script], root, timeout_ms });

/** On both of its voices, a hundred times without a pause. */
const IN_TURN = 'for i in $(seq 100); do echo $i; echo $i wrong >&2; done';
const SAID = Array.from({ length: 100 }, (_, at) => `${at + 1}\n${at + 1} wrong\n`).join('');

it('what a command says is kept in the order it said it, errors among the rest', async () => {
  expect((await attempt(IN_TURN)).output).toBe(SAID);
});

describe('where there are no groups of processes to be had', () => {
  it('doctor tells what holds instead', () => {
    const { how, limits: told } = sandbox.confinement();
    expect(how).toBe('bubblewrap');
    expect(told.join('; ')).toMatch(/memory 128 MB \(ulimit and watching\); processes 48 \(watching\)/);
  });

  it('memory is held by a limit of each process', async () => {
    expect((await attempt('python3 -c "x = bytearray(2 * 10**9)" 2>&1')).output).toMatch(/MemoryError/);
  });

  it('memory that is shared by several is found by looking', async () => {
    const hold = 'python3 -c "import time; x = bytearray(60_000_000); time.sleep(600)"';
    expect(await attempt(`${hold} & ${hold} & ${hold} & wait`)).toMatchObject({ cut: 'memory' });
  });

  it('memory in files without a name is found as well', async () => {
    const hold =
      'import os, signal; [os.write(os.memfd_create("x"), b"x" * 40_000_000) for _ in range(5)]; signal.pause()';
    expect(await attempt(`python3 -c '${hold}'`)).toMatchObject({ cut: 'memory' });
  });

  it('processes are counted whichever thread starts them', async () => {
    const program = [
      'import os, signal, threading',
      'def start():',
      '  for _ in range(100):',
      // Without a copy of itself in between, which would count as memory until it is a sleeper.
      '    os.posix_spawnp("sleep", ["sleep", "600"], os.environ)',
      '  signal.sigwait([signal.SIGTERM])',
      'threading.Thread(target=start).start()',
    ].join('\n');
    expect(await attempt(`python3 -c '${program}'`)).toMatchObject({ cut: 'processes' });
  });

  it('processes are counted, and too many of them ended at once', async () => {
    const outcome = await attempt('for i in $(seq 200); do sleep 600 & done; wait');
    expect(outcome.cut).toBe('processes');
    expect(outcome.duration_ms).toBeLessThan(30_000);
  });
});

describe('where commands cannot be confined', () => {
  it.each([
    ['there is no bubblewrap', '/nowhere/bwrap', /bubblewrap is not there: install it/],
    ['bubblewrap does not work', '/bin/false', /does not work here/],
  ])('they are refused, and it is said why: %s', async (_why, bwrap, message) => {
    const without = await open({ bwrap });
    expect(without.confinement()).toMatchObject({ how: 'refused', why: expect.stringMatching(message) });
    await expect(without.run({ argv: ['true'], root, timeout_ms: 1_000 })).rejects.toMatchObject({
      code: 'commands_refused',
      message: expect.stringMatching(message),
    });
    await without.close();
  });

  it('they run all the same where the operator says so, without what the worker has in its environment', async () => {
    process.env.LONGHAUL_TEST_SECRET = 'not for commands';
    const open_ = await open({ bwrap: '/nowhere/bwrap', unconfined: true });
    expect(open_.confinement().how).toBe('unconfined');
    const { output, exit_code } = await open_.run({
      argv: ['/bin/sh', '-c', 'env; pwd; exit 4'],
      root,
      timeout_ms: 5_000,
    });
    expect(exit_code).toBe(4);
    expect(output).toContain(root);
    expect(output).not.toContain('not for commands');
    const both = await open_.run({ argv: ['/bin/sh', '-c', IN_TURN], root, timeout_ms: 60_000 });
    expect(both.output).toBe(SAID);
    const slow = await open_.run({ argv: ['/bin/sh', '-c', 'sleep 30 & sleep 30'], root, timeout_ms: 200 });
    expect(slow).toMatchObject({ cut: 'timeout' });
    await open_.close();
    delete process.env.LONGHAUL_TEST_SECRET;
  });
});

describe('what a sandbox needs of the disk', () => {
  /** As a worker leaves it that is killed: a socket that nobody listens on. */
  async function leftBehind(folder: string): Promise<void> {
    mkdirSync(folder);
    const listen = 'require("net").createServer().listen(process.argv[1], () => console.log("listens"))';
    const child = spawn(process.execPath, ['-e', listen, join(folder, 'out')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  it('is gone when it is closed, with what one has left that was killed', async () => {
    const before = process.env.TMPDIR;
    const own = mkdtempSync(join(tmpdir(), 'lh-own-'));
    process.env.TMPDIR = own;
    try {
      await leftBehind(join(own, 'lh-net-killed'));
      const one = await open();
      expect(readdirSync(own)).toEqual(['lh-net-killed']);
      expect(await one.run({ argv: ['/bin/sh', '-c', 'cat /etc/passwd'], root, timeout_ms: 60_000 })).toMatchObject({
        exit_code: 0,
        output: expect.stringMatching(/^agent:x:1000/),
      });
      await one.run({ argv: ['true'], root, network: true, timeout_ms: 60_000 });
      expect(readdirSync(own)).toEqual([expect.stringMatching(/^lh-net-(?!killed)/)]);
      await one.close();
      expect(readdirSync(own)).toEqual([]);
    } finally {
      process.env.TMPDIR = before;
      if (before === undefined) delete process.env.TMPDIR;
      rmSync(own, { recursive: true, force: true });
    }
  });
});
