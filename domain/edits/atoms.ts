import { BOM, lineEnd, linesOf, withoutEnd } from './text.ts';

/**
 * A text as what can be changed in it one by one: a BOM, lines that all have a line end, and a mark where the last one
 * has none. So a line added at the end touches no other line, whatever the file ends with, and the state of the final
 * newline outlasts any choice of hunks.
 */
export type Atom = string;

export const NO_FINAL_NEWLINE: Atom = '';

export const isLine = (atom: Atom): boolean => atom !== NO_FINAL_NEWLINE && atom !== BOM;

export const atomsOf = (text: string | null): Atom[] => (text === null ? [] : atomsOfLines(linesOf(text)));

/** The same of lines that are known already. */
export function atomsOfLines(lines: readonly string[]): Atom[] {
  const [first] = lines;
  if (first === undefined) return [];
  const atoms = [...lines];
  const marked = first.startsWith(BOM);
  if (marked) {
    if (first === BOM) return [BOM];
    atoms[0] = first.slice(1);
  }
  const last = atoms.at(-1);
  if (last !== undefined && !last.endsWith('\n')) {
    const before = atoms.at(-2);
    atoms[atoms.length - 1] = last + (before === undefined ? '\n' : lineEnd(before));
    atoms.push(NO_FINAL_NEWLINE);
  }
  if (marked) atoms.unshift(BOM);
  return atoms;
}

/** An empty line can only be seen by its end: before a mark, it keeps it, and the mark means nothing. */
const isBlank = (atom: Atom | undefined): boolean => atom === '\n' || atom === '\r\n';

const marksAtEnd = (atoms: readonly Atom[]): number => {
  let count = 0;
  while (count < atoms.length && atoms[atoms.length - 1 - count] === NO_FINAL_NEWLINE) count++;
  return count;
};

/**
 * `now`, read from a text, as it compares to atoms that it may have come from: a text does not tell the end of an
 * unended last line, nor a mark that means nothing, nor that there were two.
 */
export function alignedTo(atoms: readonly Atom[], now: readonly Atom[]): readonly Atom[] {
  const marks = marksAtEnd(atoms);
  if (marks === 0) return now;
  const last = atoms[atoms.length - 1 - marks];
  const marked = marksAtEnd(now) > 0;
  const lines = marked ? now.slice(0, -1) : [...now];
  const lastNow = lines.at(-1);
  const meant = last !== undefined && isLine(last) && !isBlank(last);
  if (!marked && (meant || lastNow !== last)) return now;
  if (last !== undefined && lastNow !== undefined && withoutEnd(last) === withoutEnd(lastNow))
    lines.splice(-1, 1, last);
  return [...lines, ...Array.from({ length: marks }, () => NO_FINAL_NEWLINE)];
}

const withoutLastEnd = (text: string): string => (text.endsWith('\r\n') ? text.slice(0, -2) : text.slice(0, -1));

/** The other way. A mark counts where it is last, a BOM where it is first. */
export function textOfAtoms(atoms: readonly Atom[]): string {
  const text = atoms.join('');
  // Two changes may each have brought one.
  const body = text.startsWith(BOM + BOM) ? text.slice(1) : text;
  if (atoms.at(-1) !== NO_FINAL_NEWLINE) return body;
  const last = atoms[atoms.length - 1 - marksAtEnd(atoms)];
  return body.endsWith('\n') && !isBlank(last) ? withoutLastEnd(body) : body;
}
