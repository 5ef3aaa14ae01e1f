import mongoose from 'mongoose';
import { isDuplicate } from './connection.ts';

interface SignInTriesDoc {
  _id: string;
  /** Of the last minute, oldest first. */
  tries: Date[];
  allowed: boolean;
  /** By the store's clock, which all API processes share. */
  at: Date;
}

const schema = new mongoose.Schema<SignInTriesDoc>(
  { _id: String, tries: [Date], allowed: Boolean, at: Date },
  { collection: 'sign_in_tries', versionKey: false },
);
schema.index({ at: 1 }, { expireAfterSeconds: 120 });
const SignInTriesModel = mongoose.model<SignInTriesDoc>('SignInTries', schema);

const WINDOW_MS = 60_000;

/**
 * Counts a try under each key and says how many seconds to wait, 0 for none. Refused tries are not counted, so that
 * going on knocking does not keep the door shut.
 */
export async function countSignInTry(limits: { key: string; perMinute: number }[]): Promise<number> {
  const waits = await Promise.all(limits.map(countOne));
  return Math.max(0, ...waits);
}

async function countOne({ key, perMinute }: { key: string; perMinute: number }): Promise<number> {
  const recent = {
    $filter: {
      input: { $ifNull: ['$tries', []] },
      as: 'try',
      cond: { $gt: ['$$try', { $subtract: ['$$NOW', WINDOW_MS] }] },
    },
  };
  const count = () =>
    SignInTriesModel.findOneAndUpdate(
      { _id: key },
      [
        { $set: { tries: recent, at: '$$NOW' } },
        { $set: { allowed: { $lt: [{ $size: '$tries' }, perMinute] } } },
        { $set: { tries: { $cond: ['$allowed', { $concatArrays: ['$tries', ['$$NOW']] }, '$tries'] } } },
      ],
      { upsert: true, returnDocument: 'after', updatePipeline: true },
    ).lean<SignInTriesDoc>();
  const counted = await count().catch((error) => {
    // Two first tries at once: the second finds the first's row.
    if (isDuplicate(error)) return count();
    throw error;
  });
  const oldest = counted?.tries[0];
  if (!counted || counted.allowed || !oldest) return 0;
  return Math.max(1, Math.ceil((oldest.getTime() + WINDOW_MS - counted.at.getTime()) / 1000));
}
