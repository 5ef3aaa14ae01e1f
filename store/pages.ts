import type { Model, QueryFilter } from 'mongoose';
import { Failure } from '../domain/failures.ts';

/** Lists go from the oldest on; the cursor is the last item that was given. */
export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
}

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

interface Listed {
  _id: string;
  created_at: Date;
}

export const writeCursor = ({ _id, created_at }: Listed): string =>
  Buffer.from(`${created_at.getTime()}|${_id}`).toString('base64url');

export function readCursor(cursor: string): { at: Date; id: string } {
  const [at, id] = Buffer.from(cursor, 'base64url').toString().split('|');
  const date = new Date(Number(at));
  if (!id || Number.isNaN(date.getTime())) {
    throw new Failure('invalid_request', 'The cursor is not one this list has given.', { fields: { cursor } });
  }
  return { at: date, id };
}

export async function readPage<D extends Listed, T>(
  model: Model<D>,
  filter: QueryFilter<D>,
  { limit, cursor }: PageRequest,
  toWire: (doc: D) => T,
): Promise<Page<T>> {
  const conditions: QueryFilter<D>[] = [filter];
  if (cursor !== undefined) {
    const { at, id } = readCursor(cursor);
    conditions.push({ $or: [{ created_at: { $gt: at } }, { created_at: at, _id: { $gt: id } }] } as QueryFilter<D>);
  }
  const found = await model
    .find({ $and: conditions })
    .sort({ created_at: 1, _id: 1 })
    .limit(limit + 1)
    .lean<D[]>();
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items: items.map(toWire), next_cursor: last ? writeCursor(last) : null };
}
