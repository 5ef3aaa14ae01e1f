import { z } from 'zod';
import { isRecord, isSameValue } from './json-value.ts';

export const changeSchema = z.object({
  /** From the definition down, as in `config.criteria`. */
  path: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  /** Null where there was nothing. */
  before: z.unknown(),
  after: z.unknown(),
});
export type DefinitionChange = z.infer<typeof changeSchema>;

/** What says of a definition who made which version of it, and is no part of what it means. */
const ABOUT = new Set([
  'id',
  'version',
  'workspace_id',
  'is_builtin',
  'is_active',
  'created_by',
  'created_at',
  'updated_at',
  'provider',
]);

const withoutAbout = (definition: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => !ABOUT.has(name)));

function between(path: string[], before: unknown, after: unknown): DefinitionChange[] {
  if (isSameValue(before, after)) return [];
  // Lists are told as a whole: which of them moved where cannot be read off.
  if (!isRecord(before) || !isRecord(after)) {
    const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    return [{ path: path.join('.'), change, before: before ?? null, after: after ?? null }];
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const inside = (of: Record<string, unknown>, name: string) => (Object.hasOwn(of, name) ? of[name] : undefined);
  return [...names].flatMap((name) => between([...path, name], inside(before, name), inside(after, name)));
}

/** What it takes to get from one version to another, field by field. */
export const changesBetween = (before: Record<string, unknown>, after: Record<string, unknown>): DefinitionChange[] =>
  between([], withoutAbout(before), withoutAbout(after));

const MOST_NAMED = 6;

/** A line for the history: what changed since the version before. */
export function changesInWords(before: Record<string, unknown> | null, after: Record<string, unknown>): string {
  if (before === null) return 'Initial creation';
  const fields = [...new Set(changesBetween(before, after).map(({ path }) => path.split('.', 1)[0] ?? path))];
  if (fields.length === 0) return 'Nothing changed';
  const more = fields.length - MOST_NAMED;
  return `Changed ${fields.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What of an old version can be brought back: the fields that a change may name. */
export const restorable = (definition: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(withoutAbout(definition)).filter(([name]) => fields.includes(name)));

const line = {
  version: z.int(),
  changes: z.string(),
  updated_by: z.string(),
  updated_by_name: z.string().nullable(),
  updated_at: z.iso.datetime(),
};
export const versionLineSchema = z.object(line);
export type VersionLine = z.infer<typeof versionLineSchema>;

const of = { definition_id: z.string(), kind: z.enum(['agent', 'tool', 'workflow', 'evaluator', 'integration']) };
export const versionListSchema = z.object({
  ...of,
  /** The same id, for agents. */
  agent_id: z.string().optional(),
  versions: z.array(versionLineSchema),
  next_cursor: z.string().nullable(),
});
export type VersionList = z.infer<typeof versionListSchema>;
export const versionSchema = z.object({ ...of, ...line, definition: z.record(z.string(), z.unknown()) });
export type DefinitionVersion = z.infer<typeof versionSchema>;
export const versionDiffSchema = z.object({ ...of, from: z.int(), to: z.int(), changes: z.array(changeSchema) });
export type VersionDiff = z.infer<typeof versionDiffSchema>;
