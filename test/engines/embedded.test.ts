import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { Connection } from '@temporalio/client';
import mongoose from 'mongoose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { type Engines, startEngines } from '../../engines/embedded.ts';
import type { KeptProcess } from '../../engines/kept-process.ts';
import { silent } from '../../engines/progress.ts';
import { until } from '../../engines/until.ts';
import { temporaryFolder } from './temporary.ts';

let home: string;
let engines: Engines | undefined;
const started: KeptProcess[] = [];
beforeEach(() => {
  home = temporaryFolder();
});
afterEach(() => {
  for (const process of started.splice(0)) process.kill();
});

const start = async (): Promise<Engines> => {
  const cache = resolve(readConfig().LONGHAUL_CACHE);
  engines = await startEngines({
    ...{ home, cache, path: process.env.PATH ?? '', namespace: 'default', progress: silent },
    keep: (process) => started.push(process),
  });
  return engines;
};

const withStore = async <T>(uri: string, act: (things: mongoose.mongo.Collection) => Promise<T>): Promise<T> => {
  const client = new mongoose.mongo.MongoClient(uri, { serverSelectionTimeoutMS: 10_000 });
  try {
    return await act(client.db('test').collection('things'));
  } finally {
    await client.close();
  }
};
const put = (uri: string, name: string) => withStore(uri, (things) => things.insertOne({ name }));
const names = (uri: string) =>
  withStore(uri, async (things) => (await things.find().toArray()).map(({ name }) => name));
const portOf = (address: string) => Number(/:(\d+)(\/|$)/.exec(address)?.[1]);
const processOf = (name: string) => engines?.processes.find((process) => process.name === name);

async function occupy(port: number) {
  const server = createServer((socket) => socket.destroy());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function namespaceOf(address: string) {
  const connection = await Connection.connect({ address });
  try {
    return await connection.workflowService.describeNamespace({ namespace: 'default' });
  } finally {
    await connection.close();
  }
}

describe('the embedded engines', () => {
  it('come up ready: a primary behind a password, a namespace that remembers for 30 days, their programs on record', async () => {
    const { mongodb_uri, temporal_address } = await start();
    await put(mongodb_uri, 'first');
    expect(await names(mongodb_uri)).toEqual(['first']);
    await expect(names(mongodb_uri.replace(/\/\/.*@/, '//'))).rejects.toThrow(/requires authentication/);
    const { config } = await namespaceOf(temporal_address);
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 24 * 3600);
    const { mongod, temporal } = JSON.parse(readFileSync(join(home, 'engines.json'), 'utf8'));
    for (const { binary } of [mongod, temporal]) {
      expect(binary).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/), sha256: expect.any(String) });
    }
    for (const file of ['mongod.key', 'mongod.password', 'engines.json']) {
      expect(statSync(join(home, file)).mode & 0o077).toBe(0);
    }
  });

  it('go on with their data after a stop, on the same ports', async () => {
    const before = await start();
    await put(before.mongodb_uri, 'kept');
    await before.stop();
    const after = await start();
    expect([after.mongodb_uri, after.temporal_address]).toEqual([before.mongodb_uri, before.temporal_address]);
    expect(await names(after.mongodb_uri)).toEqual(['kept']);
  });

  it('go on with their data on other ports where theirs are taken', async () => {
    const before = await start();
    await put(before.mongodb_uri, 'kept');
    await before.stop();
    const others = await Promise.all([before.mongodb_uri, before.temporal_address].map(portOf).map(occupy));
    try {
      const after = await start();
      expect(portOf(after.mongodb_uri)).not.toBe(portOf(before.mongodb_uri));
      expect(portOf(after.temporal_address)).not.toBe(portOf(before.temporal_address));
      await put(after.mongodb_uri, 'more');
      expect(await names(after.mongodb_uri)).toEqual(['kept', 'more']);
      await namespaceOf(after.temporal_address);
    } finally {
      for (const server of others) server.close();
    }
  });

  it('come back by themselves after kill -9, on the same port and data', async () => {
    const { mongodb_uri, temporal_address } = await start();
    await put(mongodb_uri, 'kept');
    for (const name of ['mongod', 'temporal']) {
      const killed = processOf(name)?.pid ?? 0;
      process.kill(killed, 'SIGKILL');
      await until(async () => (processOf(name)?.pid ?? killed) !== killed || null, { what: `${name} is back` });
    }
    expect(await until(() => names(mongodb_uri), { what: 'the data is back' })).toEqual(['kept']);
    await until(() => namespaceOf(temporal_address), { what: 'the namespace is back' });
  });

  it('are not started where a deployment gives their address', async () => {
    engines = await startEngines({
      ...{ home, cache: join(home, 'none'), path: '', namespace: 'default', progress: silent },
      ...{ mongodb_uri: 'mongodb://somewhere', temporal_address: 'elsewhere:7233' },
    });
    expect(engines).toMatchObject({ mongodb_uri: 'mongodb://somewhere', temporal_address: 'elsewhere:7233' });
    expect(engines.processes).toEqual([]);
  });
});
