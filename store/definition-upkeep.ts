import type { Definition, DefinitionKind } from '../domain/definition.ts';
import { type Integration, integrationSchema } from '../domain/integration.ts';
import { definitionCollection, toDefinition } from './definition-record.ts';
import { versionsBelow } from './definition-versions.ts';
import { builtinsOf } from './definitions.ts';

/** For runs, which act for a caller who was let in when they began: their workspace bounds what they find. */
export interface Within {
  org_id: string;
  workspace_id: string;
}

/** Active ones, by id or name. */
export async function loadDefinition(
  { org_id, workspace_id }: Within,
  kind: DefinitionKind,
  reference: string,
): Promise<Definition | null> {
  const builtin = builtinsOf(kind).find(({ id, name }) => id === reference || name === reference);
  if (builtin) return builtin;
  const called = { $or: [{ _id: reference }, { name: reference }] };
  const found = await definitionCollection().findOne({ kind, org_id, workspace_id, is_active: true, ...called });
  return found && toDefinition(found);
}

/** As it was at a version, whatever has become of it since. */
export async function loadDefinitionVersion(
  { org_id }: Pick<Within, 'org_id'>,
  kind: DefinitionKind,
  id: string,
  version: number,
): Promise<Record<string, unknown> | null> {
  const [found] = await versionsBelow({ kind, id, org_id }, version + 1, 1);
  return found?.version === version ? found.definition : null;
}

/** As it is now, whichever tool leads there: what an admin changes or takes away holds at once. */
export async function loadIntegration(within: Within, reference: string): Promise<Integration | null> {
  const found = await loadDefinition(within, 'integration', reference);
  return found && integrationSchema.parse(found);
}
