import mongoose from 'mongoose';
import { nativeCollection } from './connection.ts';

/** Beside the passages, and not in them: a search by words never reads one. */
export interface VectorDoc {
  _id: { source: string; n: number };
  org_id: string;
  workspace_id: string;
  /** Of each passage there is one, of the model it was last made with. */
  model: string;
  /** Of length 1, as 32-bit floats. */
  vector: mongoose.mongo.Binary;
}

const vectorSchema = new mongoose.Schema<VectorDoc>(
  {
    _id: { source: String, n: Number },
    org_id: String,
    workspace_id: String,
    model: String,
    vector: Buffer,
  },
  { collection: 'knowledge_vectors', versionKey: false },
);
vectorSchema.index({ org_id: 1, model: 1, workspace_id: 1 });
vectorSchema.index({ '_id.source': 1 });
mongoose.model<VectorDoc>('KnowledgeVector', vectorSchema);

export const vectorCollection = () => nativeCollection<VectorDoc>('knowledge_vectors');
