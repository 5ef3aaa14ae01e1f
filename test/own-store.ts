import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { connectStore, ensureIndexes } from '../store/connection.ts';

/** A store of its own for one test file, on the engines that all share. */
export async function ownStore(): Promise<void> {
  await connectStore(inject('MONGODB_URI'), { dbName: `test_${randomBytes(6).toString('hex')}` });
  await ensureIndexes();
}
