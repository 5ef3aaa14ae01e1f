import { type Atom, isLine, NO_FINAL_NEWLINE, textOfAtoms } from './atoms.ts';
import { type Block, diffOfLines } from './line-diff.ts';
import { BOM, linesOf } from './text.ts';

/** So many atoms from `at` (from 0) on give way to others. */
export interface Replacement {
  at: number;
  removed: number;
  added: readonly Atom[];
}

export const CONTEXT_LINES = 3;
const NO_NEWLINE = '\\ No newline at end of file\n';

/** A hunk in lines as they lie on disk. Trimmed: its first and last lines are no context. */
interface RealHunk {
  before: readonly string[];
  removed: readonly string[];
  added: readonly string[];
  after: readonly string[];
  /** Lines of the file above `before`. */
  above: number;
}

const shown = (sign: string, line: string): string => sign + (line.endsWith('\n') ? line : `${line}\n${NO_NEWLINE}`);

/** Of a side without lines, git names the line before. */
const side = (above: number, count: number): string => `${count === 0 ? above : above + 1},${count}`;

function body(
  old: readonly string[],
  now: readonly string[],
  blocks: readonly Block[],
  from: number,
  to: number,
): string {
  let text = '';
  const all = (sign: string, lines: readonly string[], first: number, end: number): void => {
    for (let i = first; i < end; i++) text += shown(sign, lines[i] ?? '');
  };
  let at = from;
  for (const { old_at, old_count, new_at, new_count } of blocks) {
    all(' ', old, at, old_at);
    all('-', old, old_at, old_at + old_count);
    all('+', now, new_at, new_at + new_count);
    at = old_at + old_count;
  }
  all(' ', old, at, to);
  return text;
}

/** A hunk of one or more blocks between two files, with context around it. */
export function formatBlocks(old: readonly string[], now: readonly string[], blocks: readonly Block[]): string {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (!first || !last) return '';
  const from = Math.max(0, first.old_at - CONTEXT_LINES);
  const to = Math.min(old.length, last.old_at + last.old_count + CONTEXT_LINES);
  const newFrom = from + first.new_at - first.old_at;
  const grown = last.new_at + last.new_count - last.old_at - last.old_count - (newFrom - from);
  const header = `@@ -${side(from, to - from)} +${side(newFrom, to - from + grown)} @@\n`;
  return header + body(old, now, blocks, from, to);
}

function format({ before, removed, added, after, above }: RealHunk): string {
  const around = before.length + after.length;
  let text = `@@ -${side(above, around + removed.length)} +${side(above, around + added.length)} @@\n`;
  for (const line of before) text += shown(' ', line);
  // What is the same within stays readable as such.
  text += body(removed, added, diffOfLines(removed, added), 0, removed.length);
  for (const line of after) text += shown(' ', line);
  return text;
}

const isPlain = (atoms: readonly Atom[], { at, removed, added }: Replacement): boolean => {
  const end = at + removed;
  const nearEnd = end >= atoms.length - 1 && (atoms.at(-1) === NO_FINAL_NEWLINE || added.at(-1) === NO_FINAL_NEWLINE);
  const nearStart = at <= 1 && (atoms[0] === BOM || added[0] === BOM);
  return !nearEnd && !nearStart;
};

export interface PatchPair {
  forward: string;
  reverse: string;
  /** Whether the added lines of the forward patch are the added atoms. */
  tells: boolean;
}

/**
 * The patch of one replacement, and the one that takes it back, as if nothing else had changed. `lines` is how many
 * more there are above these.
 */
export function patchesOf(atoms: readonly Atom[], replacement: Replacement, lines = 0): PatchPair {
  const { at, removed, added } = replacement;
  if (!isPlain(atoms, replacement)) return { ...patchesOfTexts(atoms, replacement), tells: false };
  const end = at + removed;
  const offset = atoms[0] === BOM ? 1 : 0;
  const first = Math.max(offset, at - CONTEXT_LINES);
  const before = realContext(atoms, first, at);
  const after = realContext(atoms, end, Math.min(atoms.length, end + CONTEXT_LINES));
  const gone = atoms.slice(at, end);
  const above = lines + first - offset;
  if (first === 1 && offset === 1) before[0] = BOM + (before[0] ?? '');
  return {
    forward: format({ before, removed: gone, added, after, above }),
    reverse: format({ before, removed: added, added: gone, after, above }),
    tells: true,
  };
}

function realContext(atoms: readonly Atom[], from: number, to: number): string[] {
  const lines = atoms.slice(from, to).filter(isLine);
  const reachesEnd = to >= atoms.length - 1 && atoms.at(-1) === NO_FINAL_NEWLINE;
  const last = lines.at(-1);
  if (reachesEnd && last !== undefined) lines[lines.length - 1] = textOfAtoms([last, NO_FINAL_NEWLINE]);
  return lines;
}

/** At a BOM, or where the last line has no end, what is one atom may be two lines in a patch: from the whole texts. */
function patchesOfTexts(atoms: readonly Atom[], { at, removed, added }: Replacement): Omit<PatchPair, 'tells'> {
  const old = linesOf(textOfAtoms(atoms));
  const now = linesOf(textOfAtoms([...atoms.slice(0, at), ...added, ...atoms.slice(at + removed)]));
  const most = Math.min(old.length, now.length);
  let above = 0;
  while (above < most && old[above] === now[above]) above++;
  let below = 0;
  while (below < most - above && old[old.length - 1 - below] === now[now.length - 1 - below]) below++;
  const from = Math.max(0, above - CONTEXT_LINES);
  const before = old.slice(from, above);
  const after = old.slice(old.length - below, old.length - below + CONTEXT_LINES);
  const gone = old.slice(above, old.length - below);
  const come = now.slice(above, now.length - below);
  return {
    forward: format({ before, removed: gone, added: come, after, above: from }),
    reverse: format({ before, removed: come, added: gone, after, above: from }),
  };
}

export interface ParsedPatch extends RealHunk {
  /** The lines above its context, before and after other hunks of the same file. */
  old_above: number;
  new_above: number;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Reads a patch of one hunk, as `patchesOf` makes them. */
export function parsePatch(patch: string): ParsedPatch {
  const header = HEADER.exec(patch);
  if (!header) throw new Error('a patch begins with @@ -a,b +c,d @@');
  const above = (start = '1', count = '1'): number => Number(start) - (Number(count) === 0 ? 0 : 1);
  const [removed, added]: [string[], string[]] = [[], []];
  // Counted on both sides: what stands between the first change and the last belongs to it.
  let [firstChange, lastChange, lastOld, lastNew] = [-1, -1, 0, 0];
  let at = patch.indexOf('\n') + 1;
  for (let n = 0; at > 0 && at < patch.length; n++) {
    let end = patch.indexOf('\n', at);
    if (end === -1) end = patch.length - 1;
    const sign = patch[at];
    let line = patch.slice(at + 1, end + 1);
    at = end + 1;
    if (patch.startsWith(NO_NEWLINE, at)) {
      line = line.slice(0, -1);
      at += NO_NEWLINE.length;
    }
    if (sign !== '+') removed.push(line);
    if (sign !== '-') added.push(line);
    if (sign === ' ') continue;
    if (firstChange === -1) firstChange = n;
    [lastChange, lastOld, lastNew] = [n, removed.length, added.length];
  }
  const lead = firstChange === -1 ? removed.length : firstChange;
  const [, oldStart, oldCount, newStart, newCount] = header;
  return {
    before: removed.slice(0, lead),
    removed: lastChange === -1 ? [] : removed.slice(lead, lastOld),
    added: lastChange === -1 ? [] : added.slice(lead, lastNew),
    after: lastChange === -1 ? [] : removed.slice(lastOld),
    above: above(oldStart, oldCount),
    old_above: above(oldStart, oldCount),
    new_above: above(newStart, newCount),
  };
}

/** A text with the patch of one hunk, which must fit where it says; null where it does not. */
export function applyPatch(text: string | null, patch: string): string | null {
  const { before, removed, added, after, old_above } = parsePatch(patch);
  const lines = linesOf(text ?? '');
  const old = [...before, ...removed, ...after];
  if (!old.every((line, i) => lines[old_above + i] === line)) return null;
  lines.splice(old_above, old.length, ...before, ...added, ...after);
  return lines.join('');
}
