import mongoose from 'mongoose';
import type { Delta } from '../domain/run.ts';
import { nativeCollection } from './connection.ts';

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

let gathered: StoredDelta[] = [];
let underWay: Promise<void> = Promise.resolve();
let next: Promise<void> | null = null;

/**
 * One insert at a time: what comes in while one is under way goes with the next. So who is alone never waits, and many
 * who speak at once share the writing of the journal, which is what takes time.
 */
export function insertDelta(delta: Delta): Promise<void> {
  const { run_id: run, turn, try: attempt, offset, text } = delta;
  gathered.push({ run, turn, try: attempt, offset, text, at: new Date() });
  next ??= underWay.then(insertGathered);
  return next;
}

function insertGathered(): Promise<void> {
  const together = gathered;
  gathered = [];
  next = null;
  // Change streams show what is in the journal, which is written ten times a second unless somebody asks for it.
  const inserted = collection()
    .insertMany(together, { ordered: false, writeConcern: { w: 1, j: true } })
    .then(() => undefined);
  underWay = inserted.catch(() => undefined);
  return inserted;
}

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
