import type { KnowledgeKind } from './knowledge.ts';

/** A few lines of a source that belong together: what is searched, and what is shown of a hit. */
export interface Passage {
  first_line: number;
  last_line: number;
  text: string;
  /** Goes on in the middle of the line that the passage before it broke off. */
  joins: boolean;
}

const MOST_LINES = 20;
const MOST_CHARS = 2_000;
/** A heading or an empty line ends a passage only where it has grown to something worth finding. */
const LEAST_LINES = 8;

/** One kind of line end, no byte order mark, and no empty line for the line end of the last one. */
export const linesOf = (text: string): string[] => {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\0', '')
    .split(/\r\n|\r|\n/);
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines;
};

/** Pages one after the other, and the line each begins at. */
export function linesOfPages(pages: readonly string[]): { lines: string[]; page_starts: number[] } {
  const lines: string[] = [];
  const page_starts: number[] = [];
  for (const page of pages) {
    page_starts.push(lines.length + 1);
    for (const line of linesOf(page)) lines.push(line);
  }
  return { lines, page_starts };
}

/** The page a line is on, from 1; null where there are no pages. */
export function pageOf(line: number, pageStarts: readonly number[]): number | null {
  const page = pageStarts.findLastIndex((start) => start <= line);
  return page < 0 ? null : page + 1;
}

/** Pieces of a line no longer than a passage, never in the middle of a character. */
function piecesOf(line: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < line.length; ) {
    let end = Math.min(line.length, at + MOST_CHARS);
    const last = line.charCodeAt(end - 1);
    if (end < line.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    pieces.push(line.slice(at, end));
    at = end;
  }
  return pieces;
}

/** Cuts at pages, at headings and empty lines where it can, and else where a passage is full. Nothing is lost. */
export function passagesOf(lines: string[], kind: KnowledgeKind, pageStarts: readonly number[] = []): Passage[] {
  const passages: Passage[] = [];
  const starts = new Set(pageStarts);
  let open: string[] = [];
  let chars = 0;
  let first = 1;
  const close = (next: number) => {
    if (open.length > 0) passages.push({ first_line: first, last_line: next - 1, text: open.join('\n'), joins: false });
    open = [];
    chars = 0;
    first = next;
  };
  lines.forEach((line, index) => {
    const number = index + 1;
    const begins = line.trim() === '' || (kind === 'markdown' && /^#{1,6}\s/.test(line));
    const full = open.length >= MOST_LINES || chars + line.length > MOST_CHARS;
    if (full || starts.has(number) || (begins && open.length >= LEAST_LINES)) close(number);
    if (line.length > MOST_CHARS) {
      close(number);
      piecesOf(line).forEach((text, piece) => {
        passages.push({ first_line: number, last_line: number, text, joins: piece > 0 });
      });
      first = number + 1;
      return;
    }
    open.push(line);
    chars += line.length + 1;
  });
  close(lines.length + 1);
  return passages;
}

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
const squeezed = (text: string): string => words(text).join(' ');

/** A query as the store's text search takes it: quotes and leading minus signs mean nothing of their own here. */
export const plainQuery = (query: string): string => query.replaceAll('"', ' ').replace(/(^|\s)-+/g, '$1');

interface Ranked {
  score: number;
  /** The line that has most of the words. */
  line: number;
}

/**
 * How well a passage fits: what the text search gave it, more where it holds all the words, and most where it holds
 * them as they were asked for. There is no meaning in it, only words.
 */
export function rank(query: string, passage: Pick<Passage, 'text' | 'first_line'>, textScore: number): Ranked {
  const wanted = [...new Set(words(query))];
  const has = (text: string) => {
    const low = text.toLowerCase();
    return wanted.filter((word) => low.includes(word)).length;
  };
  const covered = wanted.length === 0 ? 0 : has(passage.text) / wanted.length;
  const phrase = wanted.length > 1 && squeezed(passage.text).includes(squeezed(query));
  const score = textScore * (0.5 + 0.5 * covered) * (phrase ? 2 : 1);
  let line = passage.first_line;
  let most = 0;
  passage.text.split('\n').forEach((text, index) => {
    const found = has(text);
    if (found > most) {
      most = found;
      line = passage.first_line + index;
    }
  });
  return { score: Math.round(score * 1000) / 1000, line };
}
