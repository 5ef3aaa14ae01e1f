import { isFailure } from '../domain/failures.ts';
import { isHidden, MAX_FILE_BYTES } from '../domain/file.ts';
import { globMatcher } from '../domain/glob.ts';
import { trickIn } from '../domain/path-tricks.ts';
import { ignoredPaths } from './ignore-rules.ts';
import type { NotebookFiles } from './notebook-files.ts';
import { ripgrep, ripgrepPaths } from './ripgrep.ts';

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

type Where = Omit<TextSearch, 'query'>;

const MOST_FILES = 50_000;
const SNIPPET_LINES = 20;
const CONTEXT = 2;
/** Files that are read at once, to have the next ones when they are wanted. */
const READ_AHEAD = 8;

/** Folder by folder, in the order in which they are listed. */
const inOrder = (paths: readonly string[]): string[] =>
  paths
    .map((path) => path.replaceAll('/', '\0'))
    .sort()
    .map((path) => path.replaceAll('\0', '/'));

const wanted = ({ glob, sees }: Where): ((path: string) => boolean) => {
  const matches = glob ? globMatcher(glob.startsWith('/') ? glob : `/${glob}`) : () => true;
  return (path) => matches(path) && !isHidden(path) && trickIn(path) === null && sees(path);
};

/** What the last name of a plain pattern asks for, so that other files need not be opened; the pattern decides. */
function namePattern(glob: string | undefined): string[] {
  const [name] = /[\w.*? -]+$/.exec(glob ?? '') ?? [];
  const isWhole = name !== undefined && (name === glob || glob?.at(-name.length - 1) === '/') && !name.includes('**');
  return isWhole ? ['--type-add', `wanted:${name}`, '--type', 'wanted'] : [];
}

async function found(files: NotebookFiles, where: Where, args: string[], program: string | null): Promise<string[]> {
  const isWanted = wanted(where);
  const all = program && (await ripgrepPaths(program, files.root, [...namePattern(where.glob), ...args], where.signal));
  if (all) return inOrder(all.filter(isWanted));
  where.signal.throwIfAborted();
  const paths = (await files.list('/', MOST_FILES)).filter(isWanted);
  const isIgnored = await ignoredPaths(files, paths);
  return paths.filter((path) => !isIgnored(path));
}

/** The files a search goes through, in order. Where nothing better is at hand, they are listed one by one. */
export const searchedFiles = async (files: NotebookFiles, where: Where, program = ripgrep()): Promise<string[]> =>
  found(files, where, ['--files'], await program);

/**
 * The files in which a text may be, in order: `searchText` reads them again, by the guarded way, and only what it finds
 * there is shown. Whatever was put in the place of a file meanwhile, or leads out of the notebook, is not.
 */
export async function filesWithText(
  files: NotebookFiles,
  { query, ...where }: TextSearch,
  program = ripgrep(),
): Promise<string[]> {
  // No line holds an end of line, and no text a NUL.
  if (/[\n\0]/.test(query)) return [];
  const text = ['--files-with-matches', '--fixed-strings', '--ignore-case', `--max-filesize=${MAX_FILE_BYTES}`];
  return found(files, where, [...text, `--regexp=${query}`], await program);
}

/** Where a text is found in the files of a notebook, one after the other for as long as somebody wants more. */
export async function* searchText(
  files: NotebookFiles,
  paths: readonly string[],
  { query, signal, snippetLines = SNIPPET_LINES }: Pick<TextSearch, 'query' | 'signal'> & { snippetLines?: number },
): AsyncGenerator<TextHit, void> {
  const lower = query.toLowerCase();
  const linesOf = async (path: string): Promise<string[]> => {
    const file = await files.read(path).catch((error: unknown) => {
      // What is no text, or went away since it was listed, holds no match.
      if (isFailure(error)) return null;
      throw error;
    });
    return file?.text.toLowerCase().includes(lower) ? file.text.split('\n') : [];
  };
  for (let at = 0; at < paths.length; at += READ_AHEAD) {
    signal.throwIfAborted();
    const some = paths.slice(at, at + READ_AHEAD);
    const texts = await Promise.all(some.map(linesOf));
    for (const [n, path] of some.entries()) yield* hitsIn(path, texts[n] ?? [], lower, snippetLines);
  }
}

function* hitsIn(path: string, lines: readonly string[], lower: string, most: number): Generator<TextHit, void> {
  for (let i = 0; i < lines.length; i++) {
    if (!lines[i]?.toLowerCase().includes(lower)) continue;
    const from = Math.max(0, i - CONTEXT);
    const to = Math.min(lines.length, i + CONTEXT + 1, from + most);
    yield { path, line: i + 1, start_line: from + 1, end_line: to, snippet: lines.slice(from, to).join('\n') };
    i = to - 1;
  }
}
