import { randomBytes } from 'node:crypto';
import mongoose from 'mongoose';
import { inject } from 'vitest';
import { connectStore, ensureIndexes, storeDatabase } from '../store/connection.ts';

/** One a process: to make its collections and indexes takes longer than most tests. */
const DATABASE = `test_${randomBytes(6).toString('hex')}`;
/** Of how many models there are indexes; a file may load more than those before it. */
let made = 0;

/** A store with nothing in it for one test file, on the engines that all share. */
export async function ownStore(): Promise<void> {
  await connectStore(inject('MONGODB_URI'), { dbName: DATABASE });
  if (made > 0) await empty();
  const models = mongoose.modelNames().length;
  if (models > made) await ensureIndexes();
  made = models;
}

async function empty(): Promise<void> {
  const collections = await storeDatabase().collections();
  await Promise.all(collections.map((each) => each.deleteMany({})));
}
