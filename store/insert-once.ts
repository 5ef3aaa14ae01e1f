import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import { isDuplicate } from './connection.ts';

/** For rows that set-up makes under a fixed id: of processes that start at once, whoever comes second changes nothing. */
export async function insertOnce<D extends { _id: string }>(model: Model<D>, { _id, ...fresh }: D): Promise<void> {
  const row = { _id } as QueryFilter<D>;
  try {
    await model.updateOne(row, { $setOnInsert: fresh } as UpdateQuery<D>, { upsert: true });
  } catch (error) {
    if (!isDuplicate(error) || !(await model.exists(row))) throw error;
  }
}
