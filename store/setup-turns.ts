import mongoose from 'mongoose';
import { nativeCollection } from './connection.ts';

/** Who sets a folder up at the moment, and what was set up there last. */
interface SetupTurn {
  _id: string;
  holder: string | null;
  /** Of who has the turn: from then on it is anybody's. Absent where nobody has it. */
  until?: Date;
  done?: string;
}

const schema = new mongoose.Schema<SetupTurn>(
  { _id: String, holder: String, until: Date, done: String },
  { collection: 'setup_turns', versionKey: false },
);
// What was cut off and never taken up again, since its notebook is no more.
schema.index({ until: 1 }, { expireAfterSeconds: 86_400 });
mongoose.model('SetupTurn', schema);

const turns = () => nativeCollection<SetupTurn>('setup_turns');

/** Takes the turn in a folder, or keeps it for longer; false where somebody else has it. */
export async function takeSetupTurn(id: string, holder: string, ms: number): Promise<boolean> {
  const me = { $literal: holder };
  const isOver = { $lte: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] };
  const taken = await turns().findOneAndUpdate(
    { _id: id },
    [
      { $set: { holder: { $cond: [{ $or: [isOver, { $eq: ['$holder', me] }] }, me, '$holder'] } } },
      { $set: { until: { $cond: [{ $eq: ['$holder', me] }, { $add: ['$$NOW', ms] }, '$until'] } } },
    ],
    { upsert: true, returnDocument: 'after' },
  );
  return taken?.holder === holder;
}

/** Gives the turn to whoever is next. */
export async function endSetupTurn(id: string, holder: string): Promise<void> {
  await turns().updateOne({ _id: id, holder }, { $set: { holder: null }, $unset: { until: '' } });
}

/** What was set up in a folder, as who did it has named it. */
export const setupDone = async (id: string): Promise<string | null> =>
  (await turns().findOne({ _id: id }))?.done ?? null;

export async function recordSetup(id: string, done: string): Promise<void> {
  await turns().updateOne({ _id: id }, { $set: { done } }, { upsert: true });
}
