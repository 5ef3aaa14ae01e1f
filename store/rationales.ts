import mongoose from 'mongoose';
import type { Rationale } from '../domain/rationale.ts';
import { isDuplicate, nativeCollection } from './connection.ts';

export interface RationaleDoc extends Omit<Rationale, 'run_id' | 'step_number' | 'created_at'> {
  _id: { run: string; step: number };
  created_at: Date;
}

const schema = new mongoose.Schema<RationaleDoc>(
  {
    _id: { run: String, step: Number },
    text: String,
    model: String,
    tokens: mongoose.Schema.Types.Mixed,
    cost_usd: Number,
    created_at: Date,
  },
  { collection: 'rationales', versionKey: false, minimize: false },
);
mongoose.model<RationaleDoc>('Rationale', schema);

export const rationaleCollection = () => nativeCollection<RationaleDoc>('rationales');

const toRationale = ({ _id, created_at, ...rest }: RationaleDoc): Rationale => ({
  run_id: _id.run,
  step_number: _id.step,
  ...rest,
  created_at: created_at.toISOString(),
});

/** Of a run that was found for its caller. */
export async function loadRationale(run: string, step: number): Promise<Rationale | null> {
  const found = await rationaleCollection().findOne({ _id: { run, step } });
  return found && toRationale(found);
}

/** The first one stays: whoever comes second was answered twice for nothing, and people read one explanation. */
export async function keepRationale({ run_id, step_number, created_at, ...rest }: Rationale): Promise<void> {
  const doc: RationaleDoc = { _id: { run: run_id, step: step_number }, ...rest, created_at: new Date(created_at) };
  try {
    await rationaleCollection().insertOne(doc);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}

/** Those there are of these steps, by number. */
export async function rationaleTexts(run: string, steps: number[]): Promise<Map<number, string>> {
  if (steps.length === 0) return new Map();
  const between = { $gte: { run, step: Math.min(...steps) }, $lte: { run, step: Math.max(...steps) } };
  const found = await rationaleCollection().find({ _id: between }).toArray();
  return new Map(found.map(({ _id, text }) => [_id.step, text]));
}
