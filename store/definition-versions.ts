import mongoose from 'mongoose';
import type { VersionedKind } from '../domain/definition.ts';
import { isDuplicate, nativeCollection } from './connection.ts';

interface VersionDoc {
  _id: string;
  kind: VersionedKind;
  definition_id: string;
  version: number;
  org_id: string;
  workspace_id: string;
  definition: Record<string, unknown>;
  /** What is to be said of it, where the fields that changed do not say it; not there in what earlier builds stored. */
  note?: string | null;
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
    note: String,
    updated_by: String,
    updated_at: Date,
  },
  { collection: 'definition_versions', versionKey: false, minimize: false },
);
schema.index({ definition_id: 1, version: -1 });
mongoose.model<VersionDoc>('DefinitionVersion', schema);

export type KeptVersion = Omit<VersionDoc, '_id'>;

const versionCollection = () => nativeCollection<VersionDoc>('definition_versions');

/** What a definition was at a version never changes: whoever keeps it a second time changes nothing. */
export async function keepVersion(version: KeptVersion): Promise<void> {
  const _id = `${version.kind}:${version.definition_id}:${version.version}`;
  try {
    // Natively: schemas inside a definition have names like $ref, which an update would take for operators.
    await versionCollection().insertOne({ _id, ...version });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}

/** Of a definition that was found for its caller: newest first, from below a version on. */
export const versionsBelow = (
  { kind, id, org_id }: { kind: VersionedKind; id: string; org_id: string },
  below: number,
  limit: number,
): Promise<KeptVersion[]> =>
  versionCollection()
    .find({ kind, definition_id: id, org_id, version: { $lt: below } })
    .sort({ version: -1 })
    .limit(limit)
    .toArray();
