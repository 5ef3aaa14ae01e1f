import mongoose from 'mongoose';
import { isDuplicate, nativeCollection } from './connection.ts';

type DefinitionKind = 'agent';

interface VersionDoc {
  _id: string;
  kind: DefinitionKind;
  definition_id: string;
  version: number;
  org_id: string;
  workspace_id: string;
  definition: Record<string, unknown>;
  updated_by: string;
  updated_at: Date;
}

const schema = new mongoose.Schema<VersionDoc>(
  {
    _id: String,
    kind: String,
    definition_id: String,
    version: Number,
    org_id: String,
    workspace_id: String,
    definition: mongoose.Schema.Types.Mixed,
    updated_by: String,
    updated_at: Date,
  },
  { collection: 'definition_versions', versionKey: false, minimize: false },
);
schema.index({ definition_id: 1, version: -1 });
mongoose.model<VersionDoc>('DefinitionVersion', schema);

export type DefinitionVersion = Omit<VersionDoc, '_id'>;

/** What a definition was at a version never changes: whoever keeps it a second time changes nothing. */
export async function keepVersion(version: DefinitionVersion): Promise<void> {
  const _id = `${version.kind}:${version.definition_id}:${version.version}`;
  try {
    // Natively: schemas inside a definition have names like $ref, which an update would take for operators.
    await nativeCollection<VersionDoc>('definition_versions').insertOne({ _id, ...version });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}
