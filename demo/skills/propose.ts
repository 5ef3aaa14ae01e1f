import { isRecord } from '../../domain/json-value.ts';
import type { Done } from '../conversation.ts';
import { clean, files as countOf, explain, Job, type Move, say, use, withProblems } from '../job.ts';

/** One line of a file as a search or a read has shown it. */
interface Line {
  path: string;
  line: number;
  text: string;
}

const MOST_AT_ONCE = 8;
/** A job has twelve calls: one looks everywhere, and one lists the files. */
const MOST_FOLDERS = 10;
const MOST_SEARCHES = 50;

const lineKey = ({ path, text }: Pick<Line, 'path' | 'text'>): string => `${path}\n${text}`;

interface Hit {
  file_path: string;
  start_line: number;
  snippet: string;
}

const HIT = /\{"file_path":("(?:[^"\\]|\\.)*"),"start_line":(\d+),"end_line":\d+,"snippet":("(?:[^"\\]|\\.)*")\}/g;

/** A long result is cut in the middle: what came before that is whole. */
const hitsIn = ({ value, text }: Done): Hit[] =>
  isRecord(value) && Array.isArray(value.results)
    ? value.results.filter(isRecord).map((hit) => ({
        file_path: String(hit.file_path),
        start_line: Number(hit.start_line),
        snippet: String(hit.snippet),
      }))
    : [...text.matchAll(HIT)].map(([, path = '""', start = '1', snippet = '""']) => ({
        file_path: String(JSON.parse(path)),
        start_line: Number(start),
        snippet: String(JSON.parse(snippet)),
      }));

/** Every line that a search has shown, those around what was found included. */
const searchedLines = (done: Done[]): Line[] =>
  done
    .flatMap(hitsIn)
    .flatMap(({ file_path, start_line, snippet }) =>
      snippet
        .split('\n')
        .map((text, index) => ({ path: clean(file_path), line: start_line + index, text: text.replace(/\r$/, '') })),
    );

const readLines = (job: Job, paths: string[]): Line[] =>
  job
    .texts(paths)
    .flatMap(({ path, content }) =>
      content.split('\n').map((text, index) => ({ path, line: index + 1, text: text.replace(/\r$/, '') })),
    );

/** Lines of earlier proposals that people did not want. */
function unwanted(done: Done[]): Set<string> {
  const lines = done
    .filter(({ name, code }) => name === 'propose_edits' && code === 'changes_requested')
    .flatMap(({ arguments: given, value }) => {
      const rejected = isRecord(value) && Array.isArray(value.rejected) ? value.rejected.filter(isRecord) : [];
      const ids = new Set(rejected.flatMap(({ edit_ids }) => (Array.isArray(edit_ids) ? edit_ids.map(String) : [])));
      const edits = Array.isArray(given.edits) ? given.edits.filter(isRecord) : [];
      return edits
        .filter(({ edit_id }) => ids.has(String(edit_id)))
        .map((edit) => lineKey({ path: clean(String(edit.file_path)), text: String(edit.expected_text) }));
    });
  return new Set(lines);
}

const isCut = ({ ok, value }: Done): boolean => ok && (!isRecord(value) || value.limited === true);
const globOf = (folder: string): string => (folder === '' ? '*' : `${folder}/*`);

/** Folders that the first search did not come to, or not to the end of: it goes by the names of files, as lists do. */
function foldersLeft(job: Job): string[] {
  const [first, ...others] = job.of('search');
  if (!first || !isCut(first)) return [];
  const files = (job.listed ?? []).map(clean);
  const last = clean(hitsIn(first).at(-1)?.file_path ?? '');
  const rest = files.slice(Math.max(0, files.indexOf(last)));
  const looked = new Set(others.map(({ arguments: { glob } }) => String(glob)));
  const folders = new Set(rest.map((path) => path.split('/').slice(0, -1).join('/')));
  return [...folders].filter((folder) => !looked.has(globOf(folder)));
}

/** Once for all of the notebook; where that is more than one search shows, folder by folder from where it ended. */
function nextSearches(job: Job, from: string): Move | null {
  const searches = job.of('search');
  const [first] = searches;
  if (!first) {
    return use(`I look where "${from}" stands.`, job.call('search', { query: from, limit: MOST_SEARCHES }));
  }
  if (!isCut(first)) return null;
  if (!job.listed)
    return use('There is more than one search shows; I list the files.', job.call('list', { path: '/' }));
  const left = foldersLeft(job);
  const calls = left
    .slice(0, Math.min(MOST_AT_ONCE, MOST_FOLDERS - searches.length + 1))
    .map((folder) => job.call('search', { query: from, limit: MOST_SEARCHES, glob: globOf(folder) }));
  return calls.length === 0 ? null : use(`I look folder by folder; ${left.length} are left.`, ...calls);
}

/** What a review does not show, and nobody would know of. */
function unseen(job: Job): string {
  const [, ...others] = job.of('search');
  const cut = others.filter(isCut).map(({ arguments: { glob } }) => String(glob));
  const folders = [...cut, ...foldersLeft(job).map(globOf)];
  return folders.length === 0 ? '' : ` There may be more in ${folders.join(', ')}: ask again once this is applied.`;
}

/** `rename X to Y everywhere`, as edits of single lines that a person reviews. */
export function proposeReplacement(whole: Job, from: string, to: string, named: string[]): Move {
  const sentBack = whole.done.findLastIndex(({ name, ok }) => name === 'propose_edits' && !ok);
  const last = whole.done[sentBack];
  if (last && last.code !== 'changes_requested' && sentBack === whole.done.length - 1 && sentBack > 0) {
    const tries = whole.of('propose').filter(({ code }) => code === 'invalid_edits').length;
    if (tries > 1) return say(withProblems('I could not propose it.', [last]));
  }
  // What was seen before a proposal came back may not be true any more.
  const job = new Job(whole.tools, whole.done.slice(sentBack + 1));
  if (named.length > 0) {
    const missing = job.missing(named, named.length);
    if (missing.length > 0) return use(`I read ${named.join(', ')} to see what changes.`, ...missing);
  } else {
    const search = nextSearches(job, from);
    if (search) return search;
    const failed = job.of('search').find(({ ok }) => !ok);
    if (failed) return say(explain(failed));
  }
  const lines = named.length > 0 ? readLines(job, named) : searchedLines(job.of('search'));
  const left = unwanted(whole.done);
  const found = new Map(
    lines
      .filter((line) => line.text.includes(from) && !left.has(lineKey(line)))
      .map((line) => [`${line.path}:${line.line}`, line]),
  );
  if (found.size === 0) {
    const what =
      left.size > 0
        ? 'Nothing is left to change.'
        : `No file I may see holds "${from}", so there is nothing to change.`;
    return say(withProblems(what, job.failures));
  }
  const edits = [...found.values()].map(({ path, line, text }, index) => ({
    edit_id: `e_${index + 1}`,
    file_path: path,
    operation: 'replace',
    start_line: line,
    end_line: line,
    expected_text: text,
    new_text: text.replaceAll(from, () => to),
    rationale: `"${from}" becomes "${to}"`,
  }));
  const paths = new Set(edits.map(({ file_path }) => file_path));
  return use(
    `"${from}" stands in ${edits.length} lines of ${countOf(paths.size)}; I propose "${to}" for each of them.${named.length > 0 ? '' : unseen(job)}`,
    { name: 'propose_edits', arguments: { edits } },
  );
}
