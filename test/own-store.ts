import { randomBytes } from 'node:crypto';
import mongoose from 'mongoose';
import { inject } from 'vitest';
import { connectStore, ensureIndexes, storeDatabase } from '../store/connection.ts';

const newName = (): string => `test_${randomBytes(6).toString('hex')}`;

/** One a process: to make its collections and indexes takes longer than most tests. */
const SHARED = newName();
/** Of how many models there are indexes in it; a file may load more than those before it. */
let made = 0;

/** A store with nothing in it for one test file, on the engines that all share. */
export async function ownStore(): Promise<void> {
  await connectStore(inject('MONGODB_URI'), { dbName: SHARED });
  if (made > 0) await empty();
  const models = mongoose.modelNames().length;
  if (models > made) await ensureIndexes();
  made = models;
}

/** For a file that looks at what happened since the beginning of time: a store that nobody has used before. */
export async function unusedStore(): Promise<void> {
  await connectStore(inject('MONGODB_URI'), { dbName: newName() });
  await ensureIndexes();
}

async function empty(): Promise<void> {
  const collections = await storeDatabase().collections();
  await Promise.all(collections.map((each) => each.deleteMany({})));
}
