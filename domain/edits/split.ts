import { Failure } from '../failures.ts';
import { type Atom, atomsOf } from './atoms.ts';
import { addedBy, type Change, type FileLog, type LineRef, runsOf } from './change.ts';
import { type PatchPair, parsePatch, patchesOf } from './patch.ts';
import type { Exchange } from './size-guard.ts';

/** After so many of the added lines, and of the removed ones (in proportion where it is not said). */
export interface Cut {
  new_lines: number;
  old_lines?: number | undefined;
}

/** The text around a change: enough to make patches of its parts. */
interface Around {
  atoms: readonly Atom[];
  /** Where the change begins in them. */
  at: number;
  lines_above: number;
}

function around(log: FileLog, { origin, place, forward_patch, hunk_id }: Change): Around {
  if (origin === 'agent') {
    const atoms = atomsOf(log.base_snapshot);
    const [first] = place.removes;
    return { atoms, at: (first ?? place.before)?.line ?? atoms.length + 1, lines_above: 0 };
  }
  // The buffer it was made on is not kept; its own patch has what there is to know.
  if (place.added) {
    const message = `${hunk_id} cannot be split: it also changes how the file begins or ends.`;
    throw new Failure('invalid_request', message, { hunk_id });
  }
  const { before, removed, after, old_above } = parsePatch(forward_patch);
  return { atoms: [...before, ...removed, ...after], at: before.length + 1, lines_above: old_above };
}

interface Part {
  id: string;
  removed: readonly LineRef[];
  gone: readonly Atom[];
  added: readonly Atom[];
  /** Lines of the change above this part that stay what they were. */
  offset: number;
}

/** Without what is the same on both sides; `refs` says for each added line of the part where it is now. */
function trimmed(part: Part): { part: Part; refs: LineRef[] } {
  const { id, removed, gone, added, offset } = part;
  const most = Math.min(gone.length, added.length);
  let above = 0;
  while (above < most && gone[above] === added[above]) above++;
  let below = 0;
  while (below < most - above && gone[gone.length - 1 - below] === added[added.length - 1 - below]) below++;
  const own = added.length - above - below;
  const refs = added.map((_, i): LineRef => {
    const kept = i < above ? removed[i] : i >= above + own ? removed[removed.length - (added.length - i)] : undefined;
    return kept ?? { of: id, line: i - above + 1 };
  });
  const rest = {
    id,
    removed: removed.slice(above, removed.length - below),
    gone: gone.slice(above, gone.length - below),
    added: added.slice(above, added.length - below),
    offset: offset + above,
  };
  return { part: rest, refs };
}

function cutPoints(change: Change, removed: number, added: number, { new_lines, old_lines }: Cut): [number, number] {
  const old = old_lines ?? Math.round((removed * new_lines) / Math.max(1, added));
  const inside = new_lines >= 0 && new_lines <= added && old >= 0 && old <= removed;
  if (inside && new_lines + old > 0 && new_lines + old < added + removed) return [old, new_lines];
  const message = `${change.hunk_id} cannot be cut there: it has ${added} added and ${removed} removed lines.`;
  throw new Failure('invalid_request', message, { hunk_id: change.hunk_id, new_lines: added, old_lines: removed });
}

/**
 * A hunk split by hand. Its parts are `<id>.1` and `<id>.2`, decided like the whole; changes made on top of it stay
 * where they are. A part that changes nothing by itself falls away.
 */
export function splitChange(log: FileLog, id: string, cut: Cut): FileLog {
  const index = log.changes.findIndex((change) => change.id === id);
  const change = log.changes[index];
  if (!change) throw new Failure('not_found', `There is no change ${id} in ${log.file_path}.`);
  const { atoms, at, lines_above } = around(log, change);
  const added = addedBy(change);
  const removed = change.place.removes.flatMap(({ of, line, count }) =>
    Array.from({ length: count }, (_, i): LineRef => ({ of, line: line + i })),
  );
  const gone = atoms.slice(at - 1, at - 1 + removed.length);
  const [old, now] = cutPoints(change, removed.length, added.length, cut);
  const halves = [
    { id: `${id}.1`, removed: removed.slice(0, old), gone: gone.slice(0, old), added: added.slice(0, now), offset: 0 },
    { id: `${id}.2`, removed: removed.slice(old), gone: gone.slice(old), added: added.slice(now), offset: old },
  ].map(trimmed);
  const parts: Change[] = [];
  const refs = halves.flatMap((half) => half.refs);
  for (const { part } of halves) {
    if (part.removed.length + part.added.length === 0) continue;
    const replacement = { at: at - 1 + part.offset, removed: part.removed.length, added: part.added };
    const patches: PatchPair = patchesOf(atoms, replacement, lines_above);
    parts.push({
      ...change,
      id: part.id,
      hunk_id: part.id,
      forward_patch: patches.forward,
      reverse_patch: patches.reverse,
      place: {
        // Behind what the other part brought where it has nothing of its own to stand behind.
        after: lastOf(refs, removed, change, part),
        before: removed[part.offset + part.removed.length] ?? change.place.before,
        removes: runsOf(part.removed),
        ...(patches.tells ? {} : { added: [...part.added] }),
      },
    });
  }
  const moved = (ref: LineRef): LineRef => (ref.of === id ? (refs[ref.line - 1] ?? ref) : ref);
  const others = log.changes.map((other) => (other === change ? other : onTop(other, id, moved)));
  return { ...log, changes: [...others.slice(0, index), ...parts, ...others.slice(index + 1)] };
}

/** What a part of a split hunk is, as the size guard sees it. */
export const exchangeOf = (change: Change): Exchange => ({
  removed: parsePatch(change.forward_patch).removed,
  added: addedBy(change),
});

function lastOf(refs: readonly LineRef[], removed: readonly LineRef[], { place }: Change, part: Part): LineRef | null {
  const first = part.added.length > 0 ? refs.findIndex(({ of, line }) => of === part.id && line === 1) : 0;
  return refs[first - 1] ?? removed[part.offset - 1] ?? place.after;
}

/** A later change whose places name lines of the one that was split. */
function onTop(other: Change, id: string, moved: (ref: LineRef) => LineRef): Change {
  const { after, before, removes } = other.place;
  if (after?.of !== id && before?.of !== id && removes.every(({ of }) => of !== id)) return other;
  const each = removes.flatMap(({ of, line, count }) =>
    Array.from({ length: count }, (_, i) => moved({ of, line: line + i })),
  );
  return {
    ...other,
    place: { ...other.place, after: after && moved(after), before: before && moved(before), removes: runsOf(each) },
  };
}
