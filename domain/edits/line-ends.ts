import { type Atom, atomsOf, isLine, NO_FINAL_NEWLINE, textOfAtoms } from './atoms.ts';
import { diffOfLines } from './line-diff.ts';
import { BOM, type lineEnd as EndOf, lineEnd, linesOf, withoutEnd } from './text.ts';

type LineEnd = ReturnType<typeof EndOf>;

/** The line end that all lines of a text have; null where they differ, or where there is none. */
export function onlyLineEnd(text: string): '\n' | '\r\n' | null {
  if (!text.includes('\r\n')) return text.includes('\n') ? '\n' : null;
  return /(?<!\r)\n/.test(text) ? null : '\r\n';
}

/**
 * The new text of an edit as atoms of the file it goes to: with the line ends of the lines it replaces or follows,
 * since models write `\n` wherever they are, and no BOM or final newline of its own. Where a file has no lines yet,
 * everything is as it was written.
 */
export function adopted(
  new_text: string,
  atoms: readonly Atom[],
  at: number,
  removed: number,
  only: '\n' | '\r\n' | null,
): Atom[] {
  const own = atomsOf(new_text);
  if (!atoms.some(isLine)) return atoms[0] === BOM ? own.filter((atom) => atom !== BOM) : own;
  const lines = own.filter(isLine);
  const neighbour = lineEnd(atoms[at - 1] ?? '') || lineEnd(atoms[at] ?? '');
  return lines.map((line, i) => {
    const instead = i < removed ? atoms[at + i] : atoms[at + removed - 1];
    const end = only ?? ((removed > 0 && lineEnd(instead ?? '')) || neighbour || lineEnd(line));
    return lineEnd(line) === end ? line : withoutEnd(line) + end;
  });
}

/**
 * A text from an editor that knows `\n` alone, with the BOM and the line ends of the text it was made from: lines that
 * are still there keep their own end, new ones take that of their neighbours. Whether it ends with a newline is as the
 * editor says.
 */
export function withLineEndsOf(before: string, edited: string): string {
  const old = atomsOf(before).filter(isLine);
  const atoms = atomsOf(edited);
  const lines = linesOf(atoms.filter(isLine).join('')).map((line) => `${withoutEnd(line)}\n`);
  const only = onlyLineEnd(before);
  const ended = lines.map((line) => withoutEnd(line));
  const ends: LineEnd[] = [];
  let i = 0;
  const keep = (to: number): void => {
    while (i < to) ends.push(lineEnd(old[i++] ?? ''));
  };
  const bare = old.map((line) => `${withoutEnd(line)}\n`);
  for (const { old_at, old_count, new_count } of diffOfLines(bare, lines)) {
    keep(old_at);
    for (let n = 0; n < new_count; n++) {
      const instead = lineEnd(old[old_at + Math.min(n, old_count - 1)] ?? '');
      ends.push(only ?? ((old_count > 0 && instead) || ends.at(-1) || lineEnd(old[old_at] ?? '') || '\n'));
    }
    i = old_at + old_count;
  }
  keep(old.length);
  const kept = ended.map((line, n) => line + (ends[n] || '\n'));
  return textOfAtoms([
    ...(before.startsWith(BOM) || edited.startsWith(BOM) ? [BOM] : []),
    ...kept,
    ...(atoms.at(-1) === NO_FINAL_NEWLINE ? [NO_FINAL_NEWLINE] : []),
  ]);
}
