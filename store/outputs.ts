import mongoose from 'mongoose';
import type { ToolOutput } from '../domain/run-events.ts';
import { nativeCollection } from './connection.ts';

/** What a tool call says while it is under way: beside the log, like the text of an answer, and apart from it. */
export interface StoredOutput {
  run: string;
  turn: number;
  call: string;
  offset: number;
  text: string;
  at: Date;
}

/** Longer than any call may take, so that who comes in the middle gets all of it. */
const KEPT_S = 7_200;

const schema = new mongoose.Schema<StoredOutput>(
  { run: String, turn: Number, call: String, offset: Number, text: String, at: Date },
  { collection: 'outputs', versionKey: false },
);
schema.index({ at: 1 }, { expireAfterSeconds: KEPT_S });
schema.index({ run: 1, turn: 1, call: 1, offset: 1 });
mongoose.model('Output', schema);

const collection = () => nativeCollection<StoredOutput>('outputs');

export const toOutput = ({ run, turn, call, offset, text }: StoredOutput): ToolOutput => ({
  run_id: run,
  turn,
  call_id: call,
  offset,
  text,
});

export async function insertOutput({ run_id: run, turn, call_id: call, offset, text }: ToolOutput): Promise<void> {
  // Change streams show what is in the journal, which is written ten times a second unless somebody asks for it.
  const now = { writeConcern: { w: 1, j: true } };
  await collection().insertOne({ run, turn, call, offset, text, at: new Date() }, now);
}

/** What the calls of the last turn that said anything have said so far. */
export async function outputsSoFar(run: string): Promise<ToolOutput[]> {
  const [last] = await collection().find({ run }).sort({ turn: -1 }).limit(1).toArray();
  if (!last) return [];
  const pieces = collection().find({ run, turn: last.turn }).sort({ call: 1, offset: 1 });
  const said = new Map<string, ToolOutput>();
  for await (const piece of pieces) {
    const known = said.get(piece.call) ?? { ...toOutput(piece), text: '' };
    if (piece.offset === known.offset + known.text.length) known.text += piece.text;
    said.set(piece.call, known);
  }
  return [...said.values()];
}

export const dropOutputs = (run: string): Promise<unknown> => collection().deleteMany({ run });
