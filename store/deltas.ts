import mongoose from 'mongoose';
import type { Delta } from '../domain/run-events.ts';
import { nativeCollection } from './connection.ts';
import { GatheredInserts } from './gathered-inserts.ts';

/** Text on its way to whoever watches: never part of the log, gone after ten minutes. */
export interface StoredDelta {
  run: string;
  turn: number;
  try: number;
  offset: number;
  text: string;
  at: Date;
}

const schema = new mongoose.Schema<StoredDelta>(
  { run: String, turn: Number, try: Number, offset: Number, text: String, at: Date },
  { collection: 'deltas', versionKey: false },
);
schema.index({ at: 1 }, { expireAfterSeconds: 600 });
schema.index({ run: 1, turn: 1, try: 1, offset: 1 });
mongoose.model('Delta', schema);

const collection = () => nativeCollection<StoredDelta>('deltas');

export const toDelta = ({ run, turn, try: attempt, offset, text }: StoredDelta): Delta => ({
  run_id: run,
  turn,
  try: attempt,
  offset,
  text,
});

/** Change streams show what is in the journal, which is written ten times a second unless somebody asks for it. */
const inserts = new GatheredInserts<StoredDelta>('deltas', 1, { w: 1, j: true });

export const insertDelta = ({ run_id: run, turn, try: attempt, offset, text }: Delta): Promise<void> =>
  inserts.insert({ run, turn, try: attempt, offset, text, at: new Date() });

/** What was written so far of the answer that is under way, for those who come in the middle. */
export async function textSoFar(run: string, turn: number, attempt: number): Promise<string> {
  const found = await collection().find({ run, turn, try: attempt }).sort({ offset: 1 }).toArray();
  let text = '';
  for (const delta of found) if (delta.offset === text.length) text += delta.text;
  return text;
}

/** Which answer was last under way. */
export async function lastDelta(run: string): Promise<Delta | null> {
  const [last] = await collection().find({ run }).sort({ turn: -1, try: -1, offset: -1 }).limit(1).toArray();
  return last ? toDelta(last) : null;
}
