import { BUILTIN_TOOLS } from '../domain/builtin-tools.ts';
import { type Definition, ID_PREFIX } from '../domain/definition.ts';
import { newId } from './ids.ts';

/** Before anything that people have made: lists go from the oldest on. */
const MADE_AT = '2025-01-01T00:00:00.000Z';

/** Those that come with the product; they lie in no store, so no set-up can miss one and no change can reach them. */
const BUILTIN: Definition[] = BUILTIN_TOOLS.map(({ name, description, parameters }) => ({
  id: newId(ID_PREFIX.tool, `builtin:${name}`),
  workspace_id: null,
  name,
  description,
  schema: { input: parameters, output: null },
  entrypoint: `builtin:${name}`,
  scopes: [],
  examples: [],
  is_active: true,
  is_builtin: true,
  version: 1,
  created_by: 'system',
  created_at: MADE_AT,
  updated_at: MADE_AT,
})).sort((a, b) => (a.id < b.id ? -1 : 1));

export const builtinTools = (): readonly Definition[] => BUILTIN;

export const isBuiltinTool = (id: string): boolean => BUILTIN.some((tool) => tool.id === id);
