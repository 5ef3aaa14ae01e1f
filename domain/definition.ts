import { z } from 'zod';

/** What is kept in versions beside agents. Agents have a store of their own, and the same rules. */
export const DEFINITION_KINDS = ['tool', 'workflow', 'evaluator', 'integration'] as const;
export type DefinitionKind = (typeof DEFINITION_KINDS)[number];
export type VersionedKind = DefinitionKind | 'agent';

/** How the id of each begins. */
export const ID_PREFIX: Record<VersionedKind, string> = {
  agent: 'agt',
  tool: 'tool',
  workflow: 'wf',
  evaluator: 'evl',
  integration: 'int',
};

export const kindOfId = (id: string): VersionedKind | null => {
  const prefix = id.split('_', 1)[0];
  return [...DEFINITION_KINDS, 'agent' as const].find((kind) => ID_PREFIX[kind] === prefix) ?? null;
};

/** JSON Schema, compiled when it is saved: what is no schema is refused. */
export const jsonSchemaSchema = z.record(z.string(), z.unknown());

/** What every definition is sent with. */
export const sentFields = {
  workspace_id: z.string().min(1).max(100).optional().describe('Where the address does not name it'),
  description: z.string().max(2000).default(''),
};

/** What every definition is shown with. */
export const shownFields = {
  id: z.string(),
  /** Null for what comes with the product. */
  workspace_id: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  is_active: z.boolean(),
  is_builtin: z.boolean(),
  version: z.int(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

/** What the rules of all kinds need to know of one; its other fields are its kind's. */
export interface Definition {
  id: string;
  workspace_id: string | null;
  name: string;
  description: string;
  is_active: boolean;
  is_builtin: boolean;
  version: number;
  created_by: string;
  created_at: string;
  updated_at: string;
  [field: string]: unknown;
}

/** Something that keeps a definition from being deleted or changed. */
export interface Use {
  kind: VersionedKind | 'schedule';
  id: string;
  name: string;
}

export const freeName = z.string().trim().min(1).max(100);

/** `tool:send_mail`, `workflow:wf_…`: what a definition refers to, as it is written in it. */
export const referenceTo = (kind: VersionedKind, idOrName: string): string => `${kind}:${idOrName}`;
