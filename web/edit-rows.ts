import type { EditContextRow } from '../domain/edits/wire.ts';
import { rowWords } from './context-rows.ts';

/** What is chosen in the open file. */
export interface Selection {
  /** From the root of the notebook, with its slash. */
  path: string;
  start_line: number;
  end_line: number;
  content: string;
}

const MOST_CONTENT = 65_536;
export const MOST_ROWS = 20;
const bare = (path: string): string => path.replace(/^\/+/, '');

export const fileRow = (path: string): EditContextRow => ({ kind: 'file', file_path: bare(path) });

/** With the text as it was seen; where that is too long to send, the agent reads the lines alone. */
export const selectionRow = ({ path, start_line, end_line, content }: Selection): EditContextRow => ({
  kind: 'selection',
  file_path: bare(path),
  start_line,
  end_line,
  ...(content.length <= MOST_CONTENT ? { content } : {}),
});

/** `src/a.ts`, `src/a.ts:3–8`. */
export const editRowWords = ({ file_path, start_line, end_line }: EditContextRow): string =>
  rowWords({ path: file_path, start_line, end_line });

/** The same lines once, as they were seen last. */
export const withEditRow = (rows: readonly EditContextRow[], row: EditContextRow): EditContextRow[] =>
  [...rows.filter((each) => editRowWords(each) !== editRowWords(row)), row].slice(-MOST_ROWS);

export const withoutEditRow = (rows: readonly EditContextRow[], row: EditContextRow): EditContextRow[] =>
  rows.filter((each) => editRowWords(each) !== editRowWords(row));
