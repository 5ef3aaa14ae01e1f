import { stripVTControlCharacters } from 'node:util';

const width = (text: string): number => [...stripVTControlCharacters(text)].length;

/** Columns as wide as what stands in them; figures to the right. */
export function tableLines(head: string[], rows: string[][], right: number[] = []): string[] {
  const widths = head.map((title, column) => Math.max(...[title, ...rows.map((row) => row[column] ?? '')].map(width)));
  const cell = (text: string, column: number): string => {
    const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - width(text)));
    return right.includes(column) ? space + text : text + space;
  };
  return [head, ...rows].map((row) => row.map(cell).join('  ').trimEnd());
}
