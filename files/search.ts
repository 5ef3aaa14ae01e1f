import { isFailure } from '../domain/failures.ts';
import { globMatcher } from '../domain/glob.ts';
import type { NotebookFiles } from './notebook-files.ts';

export interface TextSearch {
  query: string;
  glob?: string | undefined;
  /** Whether whoever searches may see the file. */
  sees: (path: string) => boolean;
  signal: AbortSignal;
}

export interface TextHit {
  path: string;
  /** The first line that holds what was looked for. */
  line: number;
  start_line: number;
  end_line: number;
  snippet: string;
}

const MOST_FILES = 50_000;
const SNIPPET_LINES = 20;
const CONTEXT = 2;

/** The files a search goes through, in order. */
export async function searchedFiles(
  files: NotebookFiles,
  { glob, sees }: Pick<TextSearch, 'glob' | 'sees'>,
): Promise<string[]> {
  const matches = glob ? globMatcher(glob.startsWith('/') ? glob : `/${glob}`) : () => true;
  return (await files.list('/', MOST_FILES)).filter((path) => matches(path) && sees(path));
}

/** Where a text is found in the files of a notebook, one after the other for as long as somebody wants more. */
export async function* searchText(
  files: NotebookFiles,
  paths: readonly string[],
  { query, signal }: Pick<TextSearch, 'query' | 'signal'>,
): AsyncGenerator<TextHit, void> {
  const wanted = query.toLowerCase();
  for (const path of paths) {
    signal.throwIfAborted();
    const file = await files.read(path).catch((error: unknown) => {
      // What is no text, or went away since it was listed, holds no match.
      if (isFailure(error)) return null;
      throw error;
    });
    if (file?.text.toLowerCase().includes(wanted)) yield* hitsIn(path, file.text.split('\n'), wanted);
  }
}

function* hitsIn(path: string, lines: readonly string[], wanted: string): Generator<TextHit, void> {
  for (let i = 0; i < lines.length; i++) {
    if (!lines[i]?.toLowerCase().includes(wanted)) continue;
    const from = Math.max(0, i - CONTEXT);
    const to = Math.min(lines.length, i + CONTEXT + 1, from + SNIPPET_LINES);
    yield { path, line: i + 1, start_line: from + 1, end_line: to, snippet: lines.slice(from, to).join('\n') };
    i = to - 1;
  }
}
