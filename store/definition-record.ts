import mongoose from 'mongoose';
import type { Definition, DefinitionKind } from '../domain/definition.ts';
import type { Content } from '../domain/definition-kinds.ts';
import { type Caller, holds } from '../domain/identity.ts';
import { nativeCollection } from './connection.ts';
import { keepVersion } from './definition-versions.ts';
import { boundedBy } from './tenancy.ts';

/** Tools, workflows, evaluators and integrations lie in one collection: what is said of one is said of all. */
export interface DefinitionDoc {
  _id: string;
  kind: DefinitionKind;
  org_id: string;
  workspace_id: string;
  name: string;
  description: string;
  content: Content;
  /** What it refers to, as it is written in it: `tool:send_mail`. */
  uses: string[];
  /** Off is as good as deleted; who made it can bring it back. */
  is_active: boolean;
  /** Counted up by whoever comes to refer to it: so that this and deleting it exclude each other. */
  referred?: number;
  version: number;
  /** Said of this version in the history, where the fields that changed do not say it. */
  note: string | null;
  created_by: string;
  created_at: Date;
  updated_by: string;
  updated_at: Date;
}

const mixed = mongoose.Schema.Types.Mixed;
const schema = new mongoose.Schema<DefinitionDoc>(
  {
    _id: String,
    kind: String,
    org_id: String,
    workspace_id: String,
    name: String,
    description: String,
    content: mixed,
    uses: mixed,
    is_active: Boolean,
    referred: Number,
    version: Number,
    note: String,
    created_by: String,
    created_at: Date,
    updated_by: String,
    updated_at: Date,
  },
  { collection: 'definitions', versionKey: false, minimize: false },
);
schema.index({ workspace_id: 1, kind: 1, name: 1 }, { unique: true, partialFilterExpression: { is_active: true } });
schema.index({ org_id: 1, kind: 1, created_at: 1, _id: 1 });
schema.index({ workspace_id: 1, uses: 1 });
export const DefinitionModel = mongoose.model<DefinitionDoc>('Definition', schema);
export const definitionCollection = () => nativeCollection<DefinitionDoc>('definitions');

/** Fields that a kind has got since the first were stored. */
const ADDED: Partial<Record<DefinitionKind, Content>> = { tool: { examples: [] } };

export const toDefinition = (doc: DefinitionDoc): Definition => ({
  id: doc._id,
  workspace_id: doc.workspace_id,
  name: doc.name,
  description: doc.description,
  ...ADDED[doc.kind],
  ...doc.content,
  is_active: doc.is_active,
  is_builtin: false,
  version: doc.version,
  created_by: doc.created_by,
  created_at: doc.created_at.toISOString(),
  updated_at: doc.updated_at.toISOString(),
});

/** Before it is changed again and after each change: whoever dies in between, none is missing once there is a newer one. */
export async function keepDefinitionVersion(doc: DefinitionDoc): Promise<void> {
  const { id, created_at: _at, updated_at: _updated, is_active: _active, ...definition } = toDefinition(doc);
  await keepVersion({
    kind: doc.kind,
    definition_id: id,
    version: doc.version,
    org_id: doc.org_id,
    workspace_id: doc.workspace_id,
    definition,
    note: doc.note,
    updated_by: doc.updated_by,
    updated_at: doc.updated_at,
  });
}

type Filter = mongoose.mongo.Filter<DefinitionDoc>;

/** Every member sees those of the workspace. */
export const activeFor = (caller: Caller, kind: DefinitionKind, workspaceId?: string): Filter => ({
  $and: [{ kind, is_active: true }, boundedBy(caller, workspaceId)],
});

/** Those that were deleted, for who may bring them back. */
export function inactiveFor(caller: Caller, kind: DefinitionKind, workspaceId?: string): Filter {
  const administered = Object.keys(caller.roles).filter((id) => holds(caller, id, 'admin'));
  const own = { $or: [{ created_by: caller.user_id }, { workspace_id: { $in: administered } }] };
  return {
    $and: [{ kind, is_active: false }, boundedBy(caller, workspaceId), caller.is_owner ? {} : own],
  };
}
