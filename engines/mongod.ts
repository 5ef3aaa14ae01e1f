import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { mongo } from 'mongoose';
import { addressOf, type EnginePlace, type EngineProcess, startEngineProcess } from './engine-process.ts';
import { rememberEngine } from './engine-state.ts';
import { choosePort, isListening } from './ports.ts';
import { keptSecret } from './secrets.ts';
import { until } from './until.ts';

const REPLICA_SET = 'longhaul';
const USER = 'longhaul';
const AUTHENTICATION_FAILED = 18;
const ALREADY_INITIALIZED = 23;

export interface RunningMongod {
  uri: string;
  process: EngineProcess;
}

/** A replica set of one (change streams and transactions need a set), on loopback, behind a password. */
export async function startMongod(place: EnginePlace): Promise<RunningMongod> {
  const { home, binary } = place;
  const data = join(home, 'mongod');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  keptSecret(join(home, 'mongod.key'), () => randomBytes(512).toString('base64'));
  const password = keptSecret(join(home, 'mongod.password'));
  const port = await choosePort(place.port);
  rememberEngine(home, { mongod: { binary, port } });
  if (place.port !== undefined && place.port !== port) {
    // It first asks whoever listens at its old name whether it is that one, and waits 30 s for one who says nothing.
    place.progress.line(`Port ${place.port} is taken: MongoDB moves to ${port}, which can take half a minute`);
  }

  const process = startEngineProcess('mongod', place, data, [
    ...['--dbpath', data, '--bind_ip', '127.0.0.1', '--port', String(port)],
    ...['--replSet', REPLICA_SET, '--keyFile', join(home, 'mongod.key')],
    // Its own choice would be half of the memory, and a twentieth of the disk for the operation log.
    ...['--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '1024'],
    ...['--nounixsocket', '--quiet'],
    ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
    // There is nobody to hand over to: the default waits 15 s for clients to notice.
    ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
  ]);
  try {
    const wait = { what: 'mongod does not come up', hopeless: process.hopeless };
    await until(async () => (await isListening(port)) || null, wait);
    await becomePrimary(port, password, wait);
  } catch (error) {
    process.kill();
    throw error;
  }
  const uri = `mongodb://${USER}:${password}@${addressOf(port)}/?replicaSet=${REPLICA_SET}&authSource=admin`;
  return { uri, process };
}

type Wait = Parameters<typeof until>[1];

async function becomePrimary(port: number, password: string, wait: Wait): Promise<void> {
  const { default: mongoose } = await import('mongoose');
  const connect = (auth?: { username: string; password: string }) =>
    new mongoose.mongo.MongoClient(`mongodb://${addressOf(port)}/`, {
      directConnection: true,
      serverSelectionTimeoutMS: 10_000,
      ...(auth && { auth, authSource: 'admin' }),
    }).connect();
  const owner = { username: USER, password };

  const asOwner = () =>
    connect(owner).catch((error: unknown) => {
      if (codeOf(error) === AUTHENTICATION_FAILED) return undefined;
      throw error;
    });
  let client = await until(asOwner, wait);
  if (client === undefined) {
    // Never set up, or a start was cut off before it was. Without any user, mongod lets a local client make the first.
    const stranger = await connect();
    await initiate(stranger.db('admin'), port, password, wait);
    await stranger.close();
    client = await connect(owner);
  }
  try {
    const admin = client.db('admin');
    // Tried again, for it may still be reading the set's configuration.
    await until(() => rename(admin, port), wait);
    await untilPrimary(admin, wait);
  } finally {
    await client.close();
  }
}

async function initiate(admin: mongo.Db, port: number, password: string, wait: Wait): Promise<void> {
  const members = [{ _id: 0, host: addressOf(port) }];
  await admin.command({ replSetInitiate: { _id: REPLICA_SET, members } }).catch((error: unknown) => {
    if (codeOf(error) !== ALREADY_INITIALIZED) throw error;
  });
  await untilPrimary(admin, wait);
  await admin.command({ createUser: USER, pwd: password, roles: ['root'] });
}

/** On another port mongod is "not a member" of its own set: nothing may connect before the set has its new name. */
async function rename(admin: mongo.Db, port: number): Promise<true> {
  const { config } = await admin.command({ replSetGetConfig: 1 });
  if (config.members[0].host === addressOf(port)) return true;
  config.members[0].host = addressOf(port);
  await admin.command({ replSetReconfig: { ...config, version: config.version + 1 }, force: true });
  return true;
}

const untilPrimary = (admin: mongo.Db, wait: Wait) =>
  until(async () => ((await admin.command({ hello: 1 })).isWritablePrimary ? true : null), wait);

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
