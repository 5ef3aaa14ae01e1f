import type { ContextRow } from '../domain/session.ts';

/** `/notes.md`, `/notes.md:12`, `/notes.md:12–40`. */
export function rowWords({
  path,
  start_line,
  end_line,
}: {
  path: string;
  start_line?: number | null | undefined;
  end_line?: number | null | undefined;
}): string {
  const [from, to] = [start_line ?? null, end_line ?? null];
  if (from === null && to === null) return path;
  return from === to ? `${path}:${from}` : `${path}:${from ?? 1}–${to ?? ''}`;
}

/** What somebody types to find a file, with the lines of it they mean: `notes.md:12-40`. */
export function readRange(text: string): { words: string; start_line?: number; end_line?: number } {
  const found = /^(.*?):(\d{1,9})(?:\s*[-–]\s*(\d{1,9})?)?$/.exec(text.trim());
  if (!found) return { words: text.trim().replace(/:$/, '') };
  const [words = '', start = '', end] = found.slice(1);
  const start_line = Math.max(1, Number(start));
  return { words, start_line, end_line: end === undefined ? start_line : Math.max(start_line, Number(end)) };
}

const isSame = (a: ContextRow, b: ContextRow): boolean => rowWords(a) === rowWords(b);

export const withRow = (rows: readonly ContextRow[], row: ContextRow): ContextRow[] =>
  rows.some((each) => isSame(each, row)) ? [...rows] : [...rows, row];

export const withoutRow = (rows: readonly ContextRow[], row: ContextRow): ContextRow[] =>
  rows.filter((each) => !isSame(each, row));

/** The paths that hold every word, those whose name begins with the first one before the others. */
export function matching(paths: readonly string[], text: string, most: number): string[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const name = (path: string): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const hits = paths.filter((path) => words.every((word) => path.toLowerCase().includes(word)));
  const isNear = (path: string): boolean => name(path).startsWith(words[0] ?? '');
  return [...hits.filter(isNear), ...hits.filter((path) => !isNear(path))].slice(0, most);
}
