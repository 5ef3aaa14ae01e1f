import type { KnowledgeHit } from '../domain/knowledge.ts';

export interface SnippetLine {
  number: number;
  text: string;
  isBest: boolean;
}

const AROUND = 2;

/** The line of a hit that fits best, with a few around it. */
export function snippetLines({
  snippet,
  start_line,
  line,
}: Pick<KnowledgeHit, 'snippet' | 'start_line' | 'line'>): SnippetLine[] {
  const lines = snippet.split('\n').map((text, index) => ({
    number: start_line + index,
    text,
    isBest: start_line + index === line,
  }));
  return lines.filter(({ number }) => Math.abs(number - line) <= AROUND);
}

/** A text in pieces, those that are words of the query marked. */
export function marked(text: string, query: string): { text: string; isHit: boolean }[] {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
  if (words.length === 0) return [{ text, isHit: false }];
  const pattern = new RegExp(`(${words.join('|')})`, 'giu');
  return text
    .split(pattern)
    .map((piece, index) => ({ text: piece, isHit: index % 2 === 1 }))
    .filter(({ text: piece }) => piece !== '');
}
