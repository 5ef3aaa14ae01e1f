import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isListening } from '../../engines/ports.ts';
import { identify } from '../../engines/process-identity.ts';
import { until } from '../../engines/until.ts';
import { bundleStart, pidOf, processesOf, type Started, start } from './started-system.ts';
import { temporaryFolder } from './temporary.ts';

let bundle: Awaited<ReturnType<typeof bundleStart>>;
const home = temporaryFolder();
let system: Started;
let url: string;

const READY = /Longhaul is ready/;
const urlIn = (line: string) => /http:\/\/[^/\s]+/.exec(line)?.[0] ?? '';
const ask = async (): Promise<Record<string, string>> => (await fetch(url)).json();
const insert = async (uri = '', name = '') => {
  const client = new mongoose.mongo.MongoClient(uri, { serverSelectionTimeoutMS: 20_000 });
  try {
    const things = client.db('test').collection('things');
    await things.insertOne({ name });
    return (await things.find().toArray()).map((thing) => thing.name);
  } finally {
    await client.close();
  }
};
const isGone = (pid: number) => identify(pid) === null;
const waitFor = (what: string, condition: () => boolean) =>
  until(async () => condition() || null, { what, timeout_ms: 25_000 });

async function startAgain(): Promise<void> {
  system = start(bundle.script, home);
  url = urlIn(await system.line(READY));
}

beforeAll(async () => {
  bundle = await bundleStart();
  await startAgain();
});
afterAll(async () => {
  system.child.kill('SIGTERM');
  await system.exited;
  bundle.remove();
});

describe('longhaul start', () => {
  it('ends its words with the link to click, and hands everything to its processes', async () => {
    expect(system.lines.find((line) => READY.test(line))).toMatch(
      /Longhaul is ready\. Sign in once at http:\/\/127\.0\.0\.1:\d+\/sign-in#once$/,
    );
    expect(await ask()).toMatchObject({
      MONGODB_URI: expect.stringMatching(/^mongodb:\/\/longhaul:.+@127\.0\.0\.1:\d+/),
      TEMPORAL_ADDRESS: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      SECRET_KEY: readFileSync(join(home, 'secret.key'), 'utf8').trim(),
      LONGHAUL_HOME: home,
      LONGHAUL_DEMO_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
    });
    expect(JSON.parse(readFileSync(join(home, 'cli.json'), 'utf8'))).toEqual({ url, api_key: 'lh_cli_key' });
    for (const secret of ['secret.key', 'cli.json']) expect(statSync(join(home, secret)).mode & 0o077).toBe(0);
  });

  it('shows the errors that its processes log', async () => {
    expect(await system.line(/^api: /)).toBe('api: it hurts: a little');
    expect(readFileSync(join(home, 'logs', 'api.log'), 'utf8')).toContain('"msg":"it hurts"');
  });

  it('refuses a second start on the same data and names the first', async () => {
    const second = start(bundle.script, home);
    expect(await second.exited).toBe(1);
    expect(second.lines.join('\n')).toContain(`already running on ${home} (process ${system.child.pid}`);
    expect((await fetch(url)).ok).toBe(true);
  });

  it('refuses a port that another program has, before it starts anything', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const elsewhere = temporaryFolder();
    const { port } = other.address() as AddressInfo;
    const second = start(bundle.script, elsewhere, ['--port', String(port)]);
    expect(await second.exited).toBe(1);
    expect(second.lines.join('\n')).toContain(`Port ${port} on 127.0.0.1 is taken`);
    expect(existsSync(join(elsewhere, 'engines.json'))).toBe(false);
    other.close();
  });

  it.each(['worker-1', 'api', 'demo-model', 'temporal', 'mongod'])(
    'brings %s back after kill -9, where it was',
    async (name) => {
      const before = await ask();
      const killed = pidOf(home, name);
      process.kill(killed, 'SIGKILL');
      await waitFor(`${name} is back`, () => pidOf(home, name) !== killed);
      expect(await until(ask, { what: 'the API answers on its port' })).toEqual({
        ...before,
        pid: name === 'api' ? pidOf(home, 'api') : before.pid,
      });
      expect(await insert(before.MONGODB_URI, name)).toContain(name);
      const temporal = Number(before.TEMPORAL_ADDRESS?.split(':')[1]);
      await until(async () => (await isListening(temporal)) || null, { what: 'Temporal listens' });
    },
  );

  it('killed itself, leaves nothing in the way of the next start, which goes on with the data', async () => {
    const { MONGODB_URI, SECRET_KEY } = await ask();
    await insert(MONGODB_URI, 'before');
    const left = processesOf(home).map(({ pid }) => pid);
    system.child.kill('SIGKILL');
    await system.exited;
    expect(isGone(pidOf(home, 'mongod'))).toBe(false);
    await startAgain();
    expect(system.lines.join('\n')).toMatch(/Ended what an earlier start had left behind: .*mongod/);
    expect(left.every(isGone)).toBe(true);
    expect(await ask()).toMatchObject({ MONGODB_URI, SECRET_KEY });
    expect(await insert(MONGODB_URI, 'after')).toContain('before');
  });

  it('lets the workers drain while the engines are up, and then leaves nothing running', async () => {
    const running = processesOf(home).map(({ pid }) => pid);
    system.child.kill('SIGTERM');
    // npm passes the terminal's Ctrl-C on once more: that is not yet a second one.
    system.child.kill('SIGINT');
    expect(await system.exited).toBe(0);
    expect(readFileSync(join(home, 'worker-notes'), 'utf8').trim().split('\n').at(-1)).toBe(
      'drained on SIGTERM, engine up',
    );
    expect(running.every(isGone)).toBe(true);
    expect(existsSync(join(home, 'supervisor.lock'))).toBe(false);
    await startAgain();
  });
});
