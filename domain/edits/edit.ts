import { z } from 'zod';
import { EMPTY_HASH, fileLines, HASH, isPlainText, textHash } from './text.ts';

export const EDIT_OPERATIONS = ['replace', 'insert', 'delete'] as const;

const line = z.int().min(1);

/**
 * One edit as it is kept and shown. Lines count from 1, both ends included. `replace` puts `new_text` in the place of
 * the lines, `insert` before `start_line` (one past the last line means the end of the file), `delete` takes no text.
 * `new_text` is whole lines: a line end at its very end makes no further line, and is added where it lacks.
 */
export const proposedEditSchema = z.object({
  edit_id: z.string().min(1).max(200),
  file_path: z.string().min(1).max(4096),
  operation: z.enum(EDIT_OPERATIONS),
  start_line: line,
  /** Optional for an insert, which has no range. */
  end_line: line.optional(),
  new_text: z.string().default(''),
  /**
   * `sha256:…` over the raw bytes of the target lines with their line ends; for an insert, of the line at
   * `start_line`. At the end of a file, and in one that is not there yet, of nothing: `EMPTY_HASH`, or just ''.
   */
  expected_hash: z.union([z.literal(''), z.string().regex(HASH, 'a hash like sha256:… is expected')]),
  rationale: z.string().max(10_000).optional(),
});
export type ProposedEdit = z.infer<typeof proposedEditSchema>;

const EDIT_FAULTS = [
  'hash_mismatch',
  'overlap',
  'out_of_range',
  'missing_end_line',
  'new_text_on_delete',
  'nothing_to_insert',
  'no_such_file',
  'not_text',
  'duplicate_id',
] as const;

/** Why an edit cannot be taken. With a `hash_mismatch` the lines are not what the edit was made for. */
export const editProblemSchema = z.object({
  edit_id: z.string(),
  file_path: z.string(),
  reason: z.enum(EDIT_FAULTS),
  /** A sentence for a model or a person, with what to do. */
  message: z.string(),
  /** With a hash mismatch: what is there now (cut where it is long). */
  found: z
    .object({
      expected_hash: z.string(),
      actual_hash: z.string(),
      start_line: z.number(),
      end_line: z.number(),
      text: z.string(),
    })
    .optional(),
  /** With an overlap: the other edit. */
  other_edit_id: z.string().optional(),
});
export type EditProblem = z.infer<typeof editProblemSchema>;

/** A file as it was read: `text` decoded as UTF-8 with its BOM kept. Null in its place stands for no file. */
export interface BaseFile {
  text: string;
  /** `sha256:…` of its bytes, where it is known already. */
  hash?: string;
}

const SHOWN_CHARS = 2000;
const cut = (text: string): string => (text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);

/** The lines an edit is about, from 0, the end not included. An insert stands between two lines. */
export function targetOf({ operation, start_line, end_line }: ProposedEdit): [from: number, to: number] {
  return operation === 'insert' ? [start_line - 1, start_line - 1] : [start_line - 1, end_line ?? start_line];
}

/** Top to bottom; at the same place inserts come first, and then the order in which they were given. */
export const inOrder = (edits: readonly ProposedEdit[]): ProposedEdit[] =>
  [...edits].sort(
    (a, b) => a.start_line - b.start_line || Number(b.operation === 'insert') - Number(a.operation === 'insert'),
  );

type Fault = Omit<EditProblem, 'edit_id' | 'file_path'>;

function shapeFault(edit: ProposedEdit, lines: readonly string[] | null): Fault | null {
  const { operation, start_line, end_line, new_text } = edit;
  if (!isPlainText(new_text)) {
    return { reason: 'not_text', message: 'new_text holds a NUL or half a character: only UTF-8 text can be written.' };
  }
  if (operation === 'insert' && new_text === '') {
    return { reason: 'nothing_to_insert', message: 'an insert needs new_text.' };
  }
  if (operation === 'delete' && new_text !== '') {
    return { reason: 'new_text_on_delete', message: 'a delete takes no new_text: leave it empty, or use replace.' };
  }
  if (lines === null) {
    if (operation === 'insert' && start_line === 1) return null;
    const message = 'there is no such file: to make one, insert at line 1; otherwise check the path.';
    return { reason: 'no_such_file', message };
  }
  const count = `the file has ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`;
  if (operation === 'insert') {
    if (start_line <= lines.length + 1) return null;
    const message = `${count}: insert before line 1 to ${lines.length}, or at ${lines.length + 1} for its end.`;
    return { reason: 'out_of_range', message };
  }
  if (end_line === undefined) {
    return { reason: 'missing_end_line', message: `a ${operation} needs end_line, which may be start_line.` };
  }
  if (end_line < start_line || end_line > lines.length) {
    return { reason: 'out_of_range', message: `lines ${start_line} to ${end_line} are no range here: ${count}.` };
  }
  return null;
}

function hashFault(edit: ProposedEdit, lines: readonly string[] | null): Fault | null {
  const [from, to] = targetOf(edit);
  const text = (lines ?? []).slice(from, edit.operation === 'insert' ? from + 1 : to).join('');
  if (text === '' && edit.expected_hash === '') return null;
  const actual_hash = text === '' ? EMPTY_HASH : textHash(text);
  if (actual_hash === edit.expected_hash) return null;
  const end_line = edit.operation === 'insert' ? edit.start_line : to;
  return {
    reason: 'hash_mismatch',
    message: `expected_hash is not that of ${edit.start_line === end_line ? `line ${end_line}` : `lines ${edit.start_line} to ${end_line}`} as they are now: read the file again and make the edit anew.`,
    found: {
      expected_hash: edit.expected_hash,
      actual_hash,
      start_line: edit.start_line,
      end_line,
      text: cut(text),
    },
  };
}

/** Edits of one file, sound by themselves, that want the same lines. */
function overlaps(edits: readonly ProposedEdit[]): EditProblem[] {
  const problems: EditProblem[] = [];
  let furthest: { edit: ProposedEdit; to: number } | null = null;
  for (const edit of inOrder(edits)) {
    const [from, to] = targetOf(edit);
    if (furthest && from < furthest.to) {
      problems.push({
        edit_id: edit.edit_id,
        file_path: edit.file_path,
        reason: 'overlap',
        message: `edit ${edit.edit_id} touches lines of edit ${furthest.edit.edit_id}: make one edit of them.`,
        other_edit_id: furthest.edit.edit_id,
      });
    }
    if (!furthest || to > furthest.to) furthest = { edit, to };
  }
  return problems;
}

/**
 * What is wrong with the edits of one file, by the rules of `proposedEditSchema`; nothing where all can be taken.
 * `seen` has the ids of edits of other files.
 */
export function editProblems(
  file: BaseFile | null,
  edits: readonly ProposedEdit[],
  lines: readonly string[] | null = file && fileLines(file.text),
  seen = new Set<string>(),
): EditProblem[] {
  const problems: EditProblem[] = [];
  const sound: ProposedEdit[] = [];
  for (const edit of edits) {
    const { edit_id, file_path } = edit;
    const fault: Fault | null = seen.has(edit_id)
      ? { reason: 'duplicate_id', message: 'another edit has this edit_id: give each its own.' }
      : (shapeFault(edit, lines) ?? hashFault(edit, lines));
    seen.add(edit_id);
    if (fault) problems.push({ edit_id, file_path, ...fault, message: `edit ${edit_id}: ${fault.message}` });
    else sound.push(edit);
  }
  return [...problems, ...overlaps(sound)];
}
