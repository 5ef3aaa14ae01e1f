import mongoose from 'mongoose';

/** One connection per process. Writes that matter wait for the majority, so that no failover takes them back. */
export async function connectStore(uri: string, { dbName = databaseIn(uri), patienceMs = 30_000 } = {}): Promise<void> {
  mongoose.set('strictQuery', true);
  mongoose.set('autoIndex', false);
  await mongoose.connect(uri, {
    dbName,
    writeConcern: { w: 'majority' },
    readConcern: { level: 'majority' },
    // How long anything waits for a store that is not there before it fails.
    serverSelectionTimeoutMS: patienceMs,
    maxPoolSize: 50,
    ignoreUndefined: true,
  });
}

/** The one the address names, else ours. */
const databaseIn = (uri: string): string => /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(uri)?.[1] ?? 'longhaul';

/** Declared beside each schema; made once at start by whoever comes first. */
export async function ensureIndexes(): Promise<void> {
  await Promise.all(Object.values(mongoose.models).map((model) => model.createIndexes()));
}

export function storeDatabase(): mongoose.mongo.Db {
  const { db } = mongoose.connection;
  if (!db) throw new Error('the store is not connected');
  return db;
}

/** Past mongoose's casting, for the hot path; the schema beside each model still declares the indexes. */
export const nativeCollection = <T extends mongoose.mongo.Document>(name: string): mongoose.mongo.Collection<T> =>
  storeDatabase().collection<T>(name);

export const disconnectStore = (): Promise<void> => mongoose.disconnect();

export const storeIsReachable = async (): Promise<boolean> =>
  (await mongoose.connection.db?.admin().ping()) !== undefined;

/** What a member that is starting, stopping or stepping down says to a read, or one that loses its line. */
const NOT_NOW = new Set([6, 7, 89, 91, 94, 134, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436]);

/** The store is not there at the moment: the same may work in a moment. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoNetworkError ||
  error instanceof mongoose.mongo.MongoServerSelectionError ||
  (error instanceof mongoose.mongo.MongoError &&
    (error.hasErrorLabel('RetryableWriteError') || NOT_NOW.has(Number(error.code))));

/** Repeats what is safe to repeat until the store is there again, or patience ends. */
export async function outlast<T>(work: () => Promise<T>, patienceMs: number): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isUnreachable(error) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

export type Session = mongoose.ClientSession;

/** All of it or nothing; done again from the beginning where somebody else has just written one of the same documents. */
export const asOne = <T>(work: (session: Session) => Promise<T>): Promise<T> => mongoose.connection.transaction(work);

export const isDuplicate = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 11_000;
