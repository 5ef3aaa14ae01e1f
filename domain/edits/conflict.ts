import { createTwoFilesPatch } from 'diff';
import type { RunState } from '../run-state.ts';
import type { BaseFile, EditProblem, ProposedEdit } from './edit.ts';
import type { ConflictFile } from './review-wire.ts';
import { fileLines, HASH, linesOf, textHash } from './text.ts';

const READ_FILE = 'read_file';
const DIFF_CHARS = 20_000;
const MOST_EDITS = 100;
/** A log is no place for the text of thousands of files. */
const MOST_DIFFS = 100;
const MOST_SAID = 5;

/** A file as the agent was shown it last. */
export interface Reading {
  hash: string;
  /** Null where it was not given all of it. */
  text: string | null;
}

const isReading = (result: unknown): result is { path: string; hash: string; content: string } =>
  result !== null &&
  typeof result === 'object' &&
  ['path', 'hash', 'content'].every((name) => typeof Reflect.get(result, name) === 'string');

/** What the agent has read last of the file at this path, from the notebook root; null where it has read nothing. */
export function lastReading({ turns }: RunState, path: string): Reading | null {
  for (const { calls } of turns.toReversed()) {
    for (const { call, finished } of calls.toReversed()) {
      if (call.name !== READ_FILE || !finished?.ok || !isReading(finished.result)) continue;
      const { path: read, hash, content } = finished.result;
      if (read === path) return { hash, text: textHash(content) === hash ? content : null };
    }
  }
  return null;
}

/** From what was expected to what is there now. */
export const patchSince = (file_path: string, before: string, now: string): string =>
  createTwoFilesPatch(`a/${file_path}`, `b/${file_path}`, before, now).slice(0, DIFF_CHARS);

/** An edit, with the lines that the agent quoted where it gave no hash of them. */
export interface ExpectingEdit {
  edit: ProposedEdit;
  quoted: string | null;
}

interface Missed extends ExpectingEdit {
  problem: EditProblem;
}

/** What may be wrong because the file is another one by now; all else is wrong whatever the file says. */
const OF_THE_FILE: ReadonlySet<EditProblem['reason']> = new Set(['hash_mismatch', 'out_of_range', 'no_such_file']);
const hashOf = (file: BaseFile | null): string | null => file && (file.hash ?? textHash(file.text));

/**
 * A hash that is not that of the lines is a conflict. Lines that are quoted wrongly are a slip of the agent, which can
 * be told so: that, and an edit out of range, is a conflict only where the file has changed since it was read.
 */
function isConflict({ problem, edit, quoted }: Missed, file: BaseFile | null, reading: Reading | null): boolean {
  if (!OF_THE_FILE.has(problem.reason)) return false;
  if (reading && reading.hash !== hashOf(file)) return true;
  return problem.reason === 'hash_mismatch' && quoted === null && HASH.test(edit.expected_hash);
}

const lastLineOf = ({ operation, start_line, end_line }: ProposedEdit): number =>
  operation === 'insert' ? start_line : (end_line ?? start_line);

function placeOf(edit: ProposedEdit): string {
  const last = lastLineOf(edit);
  return `${edit.start_line === last ? `line ${last}` : `lines ${edit.start_line} to ${last}`} (${edit.edit_id})`;
}

function reasonOf(missed: readonly Missed[], file: BaseFile | null, reading: Reading | null): string {
  if (file === null) return 'The file is gone since the agent read it.';
  const since = !reading
    ? 'The agent has not read the file before.'
    : reading.hash === hashOf(file)
      ? 'The file is as the agent read it.'
      : 'The file has changed since the agent read it.';
  const places = missed.slice(0, MOST_SAID).map(({ edit }) => placeOf(edit));
  const more = missed.length > MOST_SAID ? ` and ${missed.length - MOST_SAID} more` : '';
  return `${since} Its edits expect something else at ${places.join(', ')}${more}.`;
}

/** The file with the lines that the agent quoted in the place of those that are there; null where it quoted none. */
function asExpected(text: string, missed: readonly Missed[]): string | null {
  if (missed.every(({ quoted }) => quoted === null)) return null;
  const lines = fileLines(text);
  for (const { edit, quoted } of missed.toSorted((a, b) => b.edit.start_line - a.edit.start_line)) {
    if (quoted === null) continue;
    const said = linesOf(quoted).map((line) => (line.endsWith('\n') ? line : `${line}\n`));
    lines.splice(edit.start_line - 1, lastLineOf(edit) - edit.start_line + 1, ...said);
  }
  return lines.join('');
}

function conflictIn(
  file_path: string,
  missed: readonly Missed[],
  file: BaseFile | null,
  reading: Reading | null,
): ConflictFile {
  const actual_hash = hashOf(file);
  const isOther = reading !== null && reading.hash !== actual_hash;
  const before = file && ((isOther ? reading.text : null) ?? asExpected(file.text, missed));
  return {
    file_path,
    reason: reasonOf(missed, file, reading),
    expected_hash: reading?.hash ?? null,
    actual_hash,
    diff: file && before !== null ? patchSince(file_path, before, file.text) : null,
    edits: missed.slice(0, MOST_EDITS).map(({ edit, problem: { found } }) => ({
      edit_id: edit.edit_id,
      start_line: edit.start_line,
      end_line: lastLineOf(edit),
      expected_hash: edit.expected_hash,
      actual_hash: found?.actual_hash ?? null,
    })),
  };
}

/** The files that are not what the edits were made for, each with what is expected and what is there. */
export function conflictsOf(
  problems: readonly EditProblem[],
  edits: readonly ExpectingEdit[],
  fileAt: (path: string) => BaseFile | null,
  readingOf: (path: string) => Reading | null,
): ConflictFile[] {
  const editOf = new Map(edits.map((each) => [`${each.edit.file_path}\n${each.edit.edit_id}`, each]));
  const missed = new Map<string, Missed[]>();
  for (const problem of problems) {
    const found = editOf.get(`${problem.file_path}\n${problem.edit_id}`);
    if (!found) continue;
    const others = missed.get(problem.file_path) ?? [];
    missed.set(problem.file_path, others);
    others.push({ problem, ...found });
  }
  return [...missed]
    .flatMap(([file_path, all]) => {
      const [file, reading] = [fileAt(file_path), readingOf(file_path)];
      const conflicts = all.filter((each) => isConflict(each, file, reading));
      return conflicts.length > 0 ? [conflictIn(file_path, conflicts, file, reading)] : [];
    })
    .map((conflict, index) => (index < MOST_DIFFS ? conflict : { ...conflict, diff: null }));
}
