import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../activities/sandbox/sandbox.ts';
import { Setups } from '../../activities/sandbox/setups.ts';
import { disconnectStore } from '../../store/connection.ts';
import { newId } from '../../store/ids.ts';
import { takeSetupTurn } from '../../store/setup-turns.ts';
import { ownStore } from '../own-store.ts';
import { openTestSandbox } from '../sandbox-here.ts';

let sandbox: Sandbox;
let home: string;
beforeAll(async () => {
  await ownStore();
  sandbox = await openTestSandbox();
  home = await mkdtemp(join(tmpdir(), 'longhaul-setups-'));
});
afterAll(async () => {
  await Promise.all([disconnectStore(), sandbox.close()]);
  await rm(home, { recursive: true, force: true });
});

/** Workers on machines of their own, which share nothing but the store and the folder. */
async function folder(commands: string[]) {
  const root = await mkdtemp(join(home, 'notebook-'));
  const notebook_id = newId('nb');
  let workers = 0;
  const ensure = (signal = new AbortController().signal, heard: (text: string) => void = () => undefined) => {
    workers += 1;
    const setups = Setups.beside(join(home, `worker-${notebook_id}-${workers}`, 'snapshots'));
    const argvOf = (command: string) => ['/bin/sh', '-c', command];
    const run = { sandbox, signal, heard, ran: () => Promise.resolve(), argvOf };
    return setups.ensure({ commands, network: false }, { notebook_id, root, checkout: null }, run);
  };
  const read = (name: string) => readFile(join(root, name), 'utf8').catch(() => '');
  return { notebook_id, ensure, read };
}

describe('[6] the set-up of a folder notebook', () => {
  it('is done once, however many workers need it at once', async () => {
    const { ensure, read } = await folder(['echo begun >> set-ups', 'echo ended >> set-ups']);
    await Promise.all([ensure(), ensure(), ensure()]);
    await ensure();
    expect(await read('set-ups')).toBe('begun\nended\n');
  });

  it('that was stopped with its run is done by who waits for it', async () => {
    const stuck = 'if [ ! -e begun ]; then echo x > begun; exec tail -f /dev/null; fi; echo done >> set-ups';
    const { ensure, read } = await folder([stuck]);
    const first = new AbortController();
    const stopped = ensure(first.signal).catch((error: unknown) => error);
    await expect.poll(() => read('begun')).toBe('x\n');
    const said: string[] = [];
    const waiting = ensure(undefined, (text) => said.push(text));
    await expect.poll(() => said.join('')).toContain('another run is at it');
    first.abort();
    expect(await stopped).toMatchObject({ code: 'setup_failed', details: { cut: 'cancelled' } });
    await waiting;
    expect(await read('set-ups')).toBe('done\n');
  });

  it('is not waited for by a run that is cancelled, and taken up by others when its worker is gone', async () => {
    const { ensure, read, notebook_id } = await folder(['echo done >> set-ups']);
    await takeSetupTurn(notebook_id, 'a worker', 600_000);
    const cancelled = new AbortController();
    const said: string[] = [];
    const waiting = ensure(cancelled.signal, (text) => said.push(text)).catch((error: unknown) => error);
    await expect.poll(() => said.join('')).toContain('another run is at it');
    cancelled.abort();
    expect(await waiting).toMatchObject({ code: 'interrupted' });
    // As after its last word, with nobody left to say another.
    await takeSetupTurn(notebook_id, 'a worker', 0);
    await ensure();
    expect(await read('set-ups')).toBe('done\n');
  });
});
