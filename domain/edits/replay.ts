import { isLine } from './atoms.ts';
import type { FileLog } from './change.ts';
import { type ChangeConflict, type Includes, notRejected, Weave } from './weave.ts';

export { accepted, type ChangeConflict, type Includes, notRejected } from './weave.ts';

export interface Replayed {
  /** Null where there is no file. */
  text: string | null;
  /** Ids of the changes that are in the text, in the order of the log. */
  applied: string[];
  conflicts: ChangeConflict[];
}

/** The working buffer. It depends on the log alone, and not on the order of the decisions that led there. */
export function replay(log: FileLog, includes: Includes = notRejected): Replayed {
  const weave = new Weave(log, includes);
  return {
    text: weave.text(),
    applied: log.changes.flatMap(({ id }, n) => (weave.applied[n] ? [id] : [])),
    conflicts: weave.conflicts,
  };
}

export interface PlacedChange {
  change_id: string;
  /** The lines it has in the buffer, from 1; where it only removed, none, and `start_line` is the next line. */
  start_line: number;
  line_count: number;
}

/** Where the applied changes are in the working buffer, top to bottom: for marks and buttons in an editor. */
export function placesInBuffer(log: FileLog, includes: Includes = notRejected): PlacedChange[] {
  const weave = new Weave(log, includes);
  const places = new Map<number, PlacedChange>();
  const place = (n: number, start_line: number): PlacedChange => {
    const known = places.get(n);
    if (known) return known;
    const made = { change_id: log.changes[n]?.id ?? '', start_line, line_count: 0 };
    places.set(n, made);
    return made;
  };
  let line = 1;
  for (const at of weave.order) {
    const remover = weave.removerOf(at);
    if (remover !== -1) place(remover, line);
    if (!weave.shows(at) || !isLine(weave.atoms[at] ?? '')) continue;
    const bringer = weave.bringerOf(at);
    if (bringer !== -1) {
      const of = place(bringer, line);
      // Of a change that others have cut through, the first line of the first part says where it begins.
      if (of.line_count === 0) of.start_line = line;
      of.line_count++;
    }
    line++;
  }
  return [...places.values()].sort((a, b) => a.start_line - b.start_line);
}
