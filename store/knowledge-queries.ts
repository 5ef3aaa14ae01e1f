import { createHash } from 'node:crypto';
import mongoose from 'mongoose';
import { nativeCollection } from './connection.ts';

/** A query on its way to a worker, and the vector that came of it: asked for once an hour, however often it is typed. */
interface QueryDoc {
  _id: string;
  org_id: string;
  model: string;
  text: string;
  vector: number[] | null;
  at: Date;
}

const KEPT_S = 3_600;

const schema = new mongoose.Schema<QueryDoc>(
  { _id: String, org_id: String, model: String, text: String, vector: [Number], at: Date },
  { collection: 'knowledge_queries', versionKey: false },
);
schema.index({ at: 1 }, { expireAfterSeconds: KEPT_S });
mongoose.model<QueryDoc>('KnowledgeQuery', schema);

const queries = () => nativeCollection<QueryDoc>('knowledge_queries');

/** Each organization's own: nobody learns from a quick answer what others ask. */
export async function openQuery(org_id: string, model: string, text: string): Promise<QueryDoc> {
  const _id = createHash('sha256')
    .update(JSON.stringify([org_id, model, text]))
    .digest('base64url');
  const found = await queries().findOneAndUpdate(
    { _id },
    { $setOnInsert: { org_id, model, text, vector: null, at: new Date() } },
    { upsert: true, returnDocument: 'after' },
  );
  return found ?? { _id, org_id, model, text, vector: null, at: new Date() };
}

export const loadQuery = (id: string): Promise<QueryDoc | null> => queries().findOne({ _id: id });

export async function keepQueryVector(id: string, vector: Float32Array): Promise<void> {
  await queries().updateOne({ _id: id }, { $set: { vector: [...vector] } });
}
