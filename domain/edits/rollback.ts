import { z } from 'zod';
import { type Atom, alignedTo, atomsOf, isLine, textOfAtoms } from './atoms.ts';
import type { FileLog } from './change.ts';
import { type Block, diffOfLines } from './line-diff.ts';
import { CONTEXT_LINES } from './patch.ts';
import { accepted, Weave } from './weave.ts';

export const rollbackModeSchema = z.enum(['hard_all', 'scoped_selected']);
export type RollbackMode = z.infer<typeof rollbackModeSchema>;

export const rollbackConflictSchema = z.object({
  hunk_id: z.string(),
  message: z.string(),
  /** Where its lines are, or were, in the current file, from 1, and what is there now (cut where it is long). */
  start_line: z.number(),
  end_line: z.number(),
  current: z.string(),
  /** What taking it back would have put there. */
  wanted: z.string(),
});
export type RollbackConflict = z.infer<typeof rollbackConflictSchema>;

export interface RolledBack {
  /** The new working buffer; null where there is to be no file. Nothing is on disk before it is saved. */
  text: string | null;
  reverted_hunk_ids: string[];
  conflicts: RollbackConflict[];
}

/** Lines of what the run left that would be others without one of its changes. */
interface Reversal {
  change: number;
  at: number;
  removed: number;
  added: Atom[];
}

/** What becomes of the text when the selected changes go, piece by piece. */
function reversals(left: Weave, wanted: Weave): Reversal[] {
  const found: Reversal[] = [];
  let at = 0;
  let isOpen = false;
  for (const atom of left.order) {
    const [was, will] = [left.shows(atom), wanted.shows(atom)];
    if (was !== will) {
      const change = was ? left.bringerOf(atom) : left.removerOf(atom);
      if (!isOpen || found.at(-1)?.change !== change) found.push({ change, at, removed: 0, added: [] });
      isOpen = true;
      const open = found.at(-1);
      if (open && was) open.removed++;
      else open?.added.push(left.atoms[atom] ?? '');
    } else if (was) isOpen = false;
    if (was) at++;
  }
  return found;
}

const CUT = 2000;
const shown = (atoms: readonly Atom[]): string => {
  const text = textOfAtoms(atoms);
  return text.length > CUT ? `${text.slice(0, CUT)}…` : text;
};

/** The lines with their context, wherever they occur in the current file; git would look for nothing else. */
function occurrences(left: readonly Atom[], current: readonly Atom[], { at, removed }: Reversal): number[] {
  const from = Math.max(0, at - CONTEXT_LINES);
  const to = Math.min(left.length, at + removed + CONTEXT_LINES);
  const size = to - from;
  const found: number[] = [];
  const first = 0;
  const last = current.length - size;
  for (let i = first; i <= last; i++) {
    // What begins or ends the file must still do so.
    if (from === 0 && i > 0) break;
    if (to === at + removed && i !== last) continue;
    let same = 0;
    while (same < size && left[from + same] === current[i + same]) same++;
    if (same === size) found.push(i + at - from);
  }
  return found;
}

interface Found {
  from: number;
  to: number;
  isFree: boolean;
}

/** Where the lines are today, and whether nobody has touched them since. */
function traced({ at, removed }: Reversal, since: readonly Block[]): Found {
  const end = at + removed;
  let [from, to] = [at, end];
  let isFree = true;
  for (const { old_at, old_count, new_at, new_count } of since) {
    const shift = new_count - old_count;
    const last = old_at + old_count;
    if (removed === 0 ? last <= at && !(old_count === 0 && old_at === at) : last <= at) {
      from += shift;
      to += shift;
    } else if (removed === 0 ? old_at >= at && old_count > 0 : old_at >= end) break;
    else {
      isFree = false;
      from = Math.min(from, new_at);
      to = Math.max(to + shift, new_at + new_count);
    }
  }
  return { from, to, isFree };
}

const isSame = (a: readonly Atom[], b: readonly Atom[]): boolean =>
  a.length === b.length && a.every((atom, n) => atom === b[n]);

/** Where a change and the one that was made on it are in what the run left, and what the first of them had removed. */
function reversalOf(left: Weave, change: number, on: number): Reversal {
  const added: Atom[] = [];
  let from: number | null = null;
  let [shown, to] = [0, 0];
  for (const atom of left.order) {
    const isRemoved = left.removerOf(atom) === change;
    const isOwn = isRemoved || [change, on].includes(left.bringerOf(atom));
    if (isOwn) from ??= shown;
    if (isRemoved) added.push(left.atoms[atom] ?? '');
    if (left.shows(atom)) shown++;
    if (isOwn) to = shown;
  }
  return { change, at: from ?? 0, removed: to - (from ?? 0), added };
}

/** Changes that others, which are to stay, were made on. */
function carrying(log: FileLog, selected: ReadonlySet<number>): Map<number, number> {
  const ids = new Map(log.changes.map(({ id }, n) => [id, n]));
  const left = new Weave(log, accepted);
  const without = new Weave(log, (change) => accepted(change) && !selected.has(ids.get(change.id) ?? -1));
  const known = new Set(left.conflicts.map(({ change_id }) => change_id));
  const found = new Map<number, number>();
  for (const { change_id, with: others } of without.conflicts) {
    const on = ids.get(change_id);
    if (on === undefined || known.has(change_id)) continue;
    for (const other of others) {
      const n = ids.get(other);
      if (n !== undefined && selected.has(n)) found.set(n, on);
    }
  }
  return found;
}

/**
 * Takes back selected hunks of a run, from the file as it is now. `log` is that of the run, whose accepted changes are
 * what it left on disk; later edits of the current file stay where they do not overlap. Where the lines with their
 * context are found in one place, that is it, as for `git apply -R`; where the context has changed, or is found more
 * than once, they are followed through what has happened to the file since. Hunks whose lines were changed are
 * conflicts and stay as they are.
 */
export function rollbackSelected(current: string | null, log: FileLog, hunk_ids: readonly string[]): RolledBack {
  const wantedIds = new Set(hunk_ids);
  const left = new Weave(log, accepted);
  const chosen = new Set<number>();
  for (const [n, { hunk_id }] of log.changes.entries()) if (wantedIds.has(hunk_id) && left.applied[n]) chosen.add(n);
  const leftAtoms = left.visible().map((at) => left.atoms[at] ?? '');
  const now = alignedTo(leftAtoms, atomsOf(current));
  const since = diffOfLines(leftAtoms, now);
  const kept = new Map<number, number>();
  for (let more = carrying(log, chosen); more.size > 0; more = carrying(log, chosen)) {
    for (const [n, by] of more) {
      kept.set(n, by);
      chosen.delete(n);
    }
  }
  const without = new Set([...chosen].map((n) => log.changes[n]?.id));
  const goal = new Weave(log, (change) => accepted(change) && !without.has(change.id));
  const pieces = reversals(left, goal);

  const moves: { at: number; removed: number; added: Atom[]; change: number }[] = [];
  const failed = new Map<number, RollbackConflict>();
  const conflict = (change: number, message: string, { from, to }: Found, added: readonly Atom[]): void => {
    const offset = now.slice(0, from).filter(isLine).length;
    const there = now.slice(from, to);
    const { hunk_id = '' } = log.changes[change] ?? {};
    const end_line = offset + there.filter(isLine).length;
    failed.set(change, {
      hunk_id,
      message,
      start_line: offset + 1,
      end_line,
      current: shown(there),
      wanted: shown(added),
    });
  };
  for (const [n, by] of kept) {
    const message = `${log.changes[n]?.hunk_id} cannot go without ${log.changes[by]?.id}, which was made on it: select both.`;
    const piece = reversalOf(left, n, by);
    conflict(n, message, traced(piece, since), piece.added);
  }
  for (const piece of pieces) {
    if (failed.has(piece.change)) continue;
    const there = traced(piece, since);
    const found = occurrences(leftAtoms, now, piece);
    const [only] = found;
    const at = found.length === 1 && only !== undefined ? only : there.isFree ? there.from : null;
    const name = log.changes[piece.change]?.hunk_id ?? '';
    // Taken back before, by whomever: there is nothing left to do.
    if (at === null && isSame(now.slice(there.from, there.to), piece.added)) continue;
    if (at === null) {
      const what = current === null ? 'the file is gone' : 'its lines were changed since';
      conflict(piece.change, `${name} was not taken back: ${what}. Change it by hand.`, there, piece.added);
      continue;
    }
    const end = at + piece.removed;
    const rival = moves.find((move) => at < move.at + move.removed && end > move.at);
    if (rival) {
      const other = log.changes[rival.change]?.hunk_id ?? '';
      conflict(piece.change, `${name} was not taken back: ${other} is in the same place.`, there, piece.added);
      continue;
    }
    moves.push({ at, removed: piece.removed, added: piece.added, change: piece.change });
  }
  const done = moves.filter(({ change }) => !failed.has(change));
  const reverted = new Set(done.map(({ change }) => change));
  const result: Atom[] = [];
  let at = 0;
  // Sorting keeps the order of those that only insert, at the same place.
  for (const move of done.sort((a, b) => a.at - b.at)) {
    for (; at < move.at; at++) result.push(now[at] ?? '');
    for (const atom of move.added) result.push(atom);
    at = move.at + move.removed;
  }
  for (; at < now.length; at++) result.push(now[at] ?? '');
  const text = current === null && result.length === 0 ? null : textOfAtoms(result);
  return {
    text: text === '' && log.base_snapshot === null ? null : text,
    reverted_hunk_ids: log.changes.flatMap(({ hunk_id }, n) => (reverted.has(n) ? [hunk_id] : [])),
    conflicts: [...failed.values()],
  };
}

/** All changes of the log from the checkpoint on go, later manual ones included: the buffer is the base again. */
export function rollbackAll(log: FileLog): { text: string | null; log: FileLog; dropped: string[] } {
  return { text: log.base_snapshot, log: { ...log, changes: [] }, dropped: log.changes.map(({ id }) => id) };
}
