import { z } from 'zod';
import type { Atom } from './atoms.ts';
import { parsePatch } from './patch.ts';

export const CHANGE_STATUSES = ['pending', 'accepted', 'rejected'] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

/**
 * A line that exists, or has existed, in a file: of the base, or brought by a change. From 1; a BOM, and the lack of
 * a final newline, count as lines here.
 */
const lineRefSchema = z.object({ of: z.string(), line: z.number() });
export type LineRef = z.infer<typeof lineRefSchema>;
/** In a `LineRef`: the base snapshot. No change has this id. */
export const BASE = 'base';

/**
 * Where a change belongs, told by lines and not by line numbers: these stay what they are when other changes are
 * accepted and rejected around it. Null stands for the beginning or the end of the file.
 */
const placeSchema = z.object({
  after: lineRefSchema.nullable(),
  before: lineRefSchema.nullable(),
  removes: z.array(lineRefSchema.extend({ count: z.number() })),
  /** The lines it brings, where the patch alone does not tell them. */
  added: z.array(z.string()).optional(),
});
export type Place = z.infer<typeof placeSchema>;

export const changeSchema = z.object({
  /** That of its hunk; unique in a job. */
  id: z.string(),
  hunk_id: z.string(),
  file_path: z.string(),
  origin: z.enum(['agent', 'user']),
  /** Applies to the text with `file_hash_before`. */
  forward_patch: z.string(),
  /** Takes it back from what `forward_patch` has made. */
  reverse_patch: z.string(),
  status: z.enum(CHANGE_STATUSES),
  /** Null where there was no file. */
  file_hash_before: z.string().nullable(),
  place: placeSchema,
});
export type Change = z.infer<typeof changeSchema>;

/** What is kept of a file under review. The working buffer follows from it, see `replay`. */
const fileLogSchema = z.object({
  file_path: z.string(),
  /** Null where there was no file. */
  base_snapshot: z.string().nullable(),
  changes: z.array(changeSchema),
});
export type FileLog = z.infer<typeof fileLogSchema>;

/** The lines a change brings, as the weave counts them. */
export const addedBy = ({ place, forward_patch }: Pick<Change, 'place' | 'forward_patch'>): readonly Atom[] =>
  place.added ?? parsePatch(forward_patch).added;

/** Lines that follow each other in the same source, as one. */
export function runsOf(refs: readonly LineRef[]): Place['removes'] {
  const runs: Place['removes'] = [];
  for (const { of, line } of refs) {
    const last = runs.at(-1);
    if (last && last.of === of && last.line + last.count === line) last.count++;
    else runs.push({ of, line, count: 1 });
  }
  return runs;
}
