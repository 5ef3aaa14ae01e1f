import { z } from 'zod';
import { type Atom, atomsOfLines } from './atoms.ts';
import { type BaseFile, type EditProblem, editProblems, inOrder, type ProposedEdit, targetOf } from './edit.ts';
import { diffOfLines } from './line-diff.ts';
import { adopted, onlyLineEnd } from './line-ends.ts';
import { parsePatch, patchesOf } from './patch.ts';
import { cutToSize, type HunkLimits, isOversized } from './size-guard.ts';
import { BOM, fileLines, textHash } from './text.ts';

export type { HunkLimits } from './size-guard.ts';

export const MAX_HUNK_LINES = 80;
const MAX_HUNK_BYTES = 8192;
export const HUNK_LIMITS: HunkLimits = { max_hunk_lines: MAX_HUNK_LINES, max_hunk_bytes: MAX_HUNK_BYTES };

/**
 * One decision of a review: lines of the base that are replaced by others, in one piece. The hunks of a file never
 * share a line of the base, so each can be accepted or rejected by itself.
 */
export const hunkSchema = z.object({
  hunk_id: z.string(),
  /** `@@ -a,b +c,d @@` and its lines, up to three of context; applies to the base by itself. */
  patch: z.string(),
  /** Null while nobody has decided. */
  accepted: z.boolean().nullable(),
  edit_ids: z.array(z.string()),
  /** Of its edits, in their order; those that gave none are left out. */
  rationales: z.array(z.string()),
  /** Too large, and nowhere to cut: to be split by hand, or accepted as one. */
  oversized: z.boolean(),
  /** The first line of the base that it replaces, or before which it inserts, from 1. */
  old_start: z.number(),
  old_lines: z.number(),
  new_lines: z.number(),
  /** The added lines one by one, where the patch alone does not tell them: at a BOM or a missing final newline. */
  added: z.array(z.string()).optional(),
});
export type Hunk = z.infer<typeof hunkSchema>;

export const fileBundleSchema = z.object({
  file_path: z.string(),
  /** Null where the file is a new one: there must be none when it is applied. */
  base_file_hash: z.string().nullable(),
  hunks: z.array(hunkSchema),
});
export type FileBundle = z.infer<typeof fileBundleSchema>;

export const diffBundleSchema = z.object({ job_id: z.string(), files: z.array(fileBundleSchema) });

export interface Composed {
  /** In the order in which the edits first name them. Files with problems are left out. */
  files: FileBundle[];
  problems: EditProblem[];
  /** Edits that say what is there already. */
  unchanged_edit_ids: string[];
}

/** A change of one edit, or of several where they touch; counts atoms of the base. */
interface Part {
  from: number;
  to: number;
  added: readonly Atom[];
  edits: readonly ProposedEdit[];
}

/** Changes of one edit with no more unchanged lines between them than this are one decision. */
const CLOSE = 3;

/** Where an edit differs from what is there. */
function partsOf(edit: ProposedEdit, atoms: readonly Atom[], only: '\n' | '\r\n' | null): Part[] {
  const offset = atoms[0] === BOM ? 1 : 0;
  const [start, end] = targetOf(edit);
  const [from, to] = [start + offset, end + offset];
  const added = adopted(edit.new_text, atoms, from, to - from, only);
  if (from === to) return [{ from, to, added, edits: [edit] }];
  const parts: Part[] = [];
  let last: { from: number; to: number; newFrom: number; newTo: number } | null = null;
  const close = (): void => {
    if (!last) return;
    parts.push({ from: last.from, to: last.to, added: added.slice(last.newFrom, last.newTo), edits: [edit] });
  };
  for (const { old_at, old_count, new_at, new_count } of diffOfLines(atoms.slice(from, to), added)) {
    const at = from + old_at;
    if (last && at - last.to <= CLOSE) {
      last.to = at + old_count;
      last.newTo = new_at + new_count;
      continue;
    }
    close();
    last = { from: at, to: at + old_count, newFrom: new_at, newTo: new_at + new_count };
  }
  close();
  return parts;
}

const joined = (parts: readonly Part[]): Part => ({
  from: parts[0]?.from ?? 0,
  to: parts.at(-1)?.to ?? 0,
  added: parts.flatMap(({ added }) => added),
  edits: [...new Set(parts.flatMap(({ edits }) => edits))],
});

/** Without the lines that are the same on both sides, above and below. */
function trimmed({ from, to, added, edits }: Part, atoms: readonly Atom[]): Part | null {
  let [first, last] = [0, added.length];
  while (from < to && first < last && atoms[from] === added[first]) {
    from++;
    first++;
  }
  while (from < to && first < last && atoms[to - 1] === added[last - 1]) {
    to--;
    last--;
  }
  return from === to && first === last ? null : { from, to, added: added.slice(first, last), edits };
}

/** Parts that touch, together. */
function touching(parts: readonly Part[]): Part[][] {
  const groups: Part[][] = [];
  for (const part of parts) {
    const group = groups.at(-1);
    if (group && group.at(-1)?.to === part.from) group.push(part);
    else groups.push([part]);
  }
  return groups;
}

const exchange = (part: Part, atoms: readonly Atom[]) => ({
  removed: atoms.slice(part.from, part.to),
  added: part.added,
});

/** A group in hunks that are small enough: as one, by its edits, then by its lines. */
function sized(group: readonly Part[], atoms: readonly Atom[], limits: HunkLimits): (Part & { oversized: boolean })[] {
  const fits = (part: Part): boolean => !isOversized(exchange(part, atoms), limits);
  const found: (Part & { oversized: boolean })[] = [];
  const add = (part: Part, oversized: boolean): void => {
    const rest = trimmed(part, atoms);
    if (rest) found.push({ ...rest, oversized: oversized && !fits(rest) });
  };
  let open: Part[] = [];
  const close = (): void => {
    if (open.length > 0) add(joined(open), false);
    open = [];
  };
  for (const part of group) {
    if (fits(joined([...open, part]))) {
      open.push(part);
      continue;
    }
    close();
    if (fits(part)) {
      open.push(part);
      continue;
    }
    let [from, first] = [part.from, 0];
    for (const { removed, added, oversized } of cutToSize(exchange(part, atoms), limits)) {
      const piece = { from, to: from + removed, added: part.added.slice(first, first + added), edits: part.edits };
      add(piece, oversized);
      [from, first] = [from + removed, first + added];
    }
  }
  close();
  return found;
}

function hunkOf(part: Part & { oversized: boolean }, atoms: readonly Atom[], hunk_id: string): Hunk {
  const { from, to, added, edits, oversized } = part;
  const { forward, tells } = patchesOf(atoms, { at: from, removed: to - from, added });
  return {
    hunk_id,
    patch: forward,
    accepted: null,
    edit_ids: edits.map(({ edit_id }) => edit_id),
    rationales: edits.flatMap(({ rationale }) => (rationale ? [rationale] : [])),
    oversized,
    old_start: from + (atoms[0] === BOM ? 0 : 1),
    old_lines: to - from,
    new_lines: added.length,
    ...(tells ? {} : { added: [...added] }),
  };
}

/** The lines a hunk brings, as they are counted one by one. */
export const addedOf = ({ added, patch }: Pick<Hunk, 'added' | 'patch'>): readonly Atom[] =>
  added ?? parsePatch(patch).added;

/** In a file with no lines each insert is whole lines too: only the first may begin with a BOM, only the last end open. */
function wholeLines(edits: readonly ProposedEdit[]): ProposedEdit[] {
  return edits.map((edit, i) => {
    const text = i > 0 && edit.new_text.startsWith(BOM) ? edit.new_text.slice(1) : edit.new_text;
    const open = i < edits.length - 1 && !text.endsWith('\n');
    return { ...edit, new_text: open ? `${text}\n` : text };
  });
}

/**
 * The diff bundle of a proposal. `base` gives each file as it is now, null where there is none. Hunk ids are
 * `h_1`, `h_2` … over the whole bundle, and the same for the same input.
 */
export function composeBundle(
  edits: readonly ProposedEdit[],
  base: (file_path: string) => BaseFile | null,
  limits: HunkLimits = HUNK_LIMITS,
): Composed {
  const composed: Composed = { files: [], problems: [], unchanged_edit_ids: [] };
  const byFile = new Map<string, ProposedEdit[]>();
  for (const edit of edits) {
    const known = byFile.get(edit.file_path);
    if (known) known.push(edit);
    else byFile.set(edit.file_path, [edit]);
  }
  const ids = new Set<string>();
  let hunks = 0;
  for (const [file_path, ofFile] of byFile) {
    const file = base(file_path);
    const lines = file && fileLines(file.text);
    const problems = editProblems(file, ofFile, lines, ids);
    if (problems.length > 0) {
      composed.problems.push(...problems);
      continue;
    }
    const atoms = file?.text === BOM ? [BOM] : atomsOfLines(lines ?? []);
    const only = onlyLineEnd(file?.text ?? '');
    const sorted = lines?.length ? inOrder(ofFile) : wholeLines(inOrder(ofFile));
    const parts = sorted.flatMap((edit) => partsOf(edit, atoms, only));
    const found = touching(parts).flatMap((group) => {
      const whole = trimmed(joined(group), atoms);
      if (whole && group.length === 1) group = [whole];
      return whole ? sized(group, atoms, limits) : [];
    });
    const used = new Set(found.flatMap(({ edits: ofHunk }) => ofHunk.map(({ edit_id }) => edit_id)));
    composed.unchanged_edit_ids.push(...ofFile.map(({ edit_id }) => edit_id).filter((id) => !used.has(id)));
    if (found.length === 0) continue;
    composed.files.push({
      file_path,
      base_file_hash: file && (file.hash ?? textHash(file.text)),
      hunks: found.map((part) => hunkOf(part, atoms, `h_${++hunks}`)),
    });
  }
  return composed;
}

/** The removed and the added lines of a hunk, with their line ends. */
export function hunkLines({ patch }: Pick<Hunk, 'patch'>): { removed: readonly string[]; added: readonly string[] } {
  const { removed, added } = parsePatch(patch);
  return { removed, added };
}
