import { conflictsOf, lastReading } from '../../domain/edits/conflict.ts';
import type { BaseFile, EditProblem, ProposedEdit } from '../../domain/edits/edit.ts';
import type { EditFactOf } from '../../domain/edits/facts.ts';
import { composeBundle, type FileBundle, HUNK_LIMITS } from '../../domain/edits/hunks.ts';
import type { ProposalFile } from '../../domain/edits/review.ts';
import { HASH, linesOf, rangeHash, textHash } from '../../domain/edits/text.ts';
import { Failure, isFailure } from '../../domain/failures.ts';
import type { CallState } from '../../domain/run-state.ts';
import { notebookPath } from '../../domain/scope.ts';
import { checkpointIdOf } from '../../store/checkpoints.ts';
import { writeProposal } from '../../store/proposals.ts';
import type { Segment } from '../segment.ts';
import type { ToolContext } from '../tools/contract.ts';
import type { EditInput } from '../tools/propose-edits.ts';
import { needNotebook } from './effect-once.ts';

/** As bundles and clients name files: from the notebook root, without a slash before it. */
const bare = (path: string): string => path.replace(/^\/+/, '');

interface Target {
  file: BaseFile | null;
  problem: string | null;
}

/** A file as an edit finds it. Links are not edited: what is behind one has a name of its own. */
async function targetAt(path: string, { files, guard, may }: ToolContext): Promise<Target> {
  const wanted = notebookPath(path);
  const at = await files.actual(wanted);
  // Who may do neither is not told by the refusal whether there is such a file.
  if (!may('create', at)) guard('write', at);
  if (at !== wanted) return { file: null, problem: `${path} is a link to ${bare(at)}; edit that file itself.` };
  try {
    const { text, hash } = await files.read(at);
    guard('write', at);
    return { file: { text, hash }, problem: null };
  } catch (error) {
    if (!isFailure(error) || error.code === 'scope_violation') throw error;
    if (error.code !== 'no_such_file') return { file: null, problem: error.message };
    guard('create', at);
    return { file: null, problem: null };
  }
}

const plain = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(/^\uFEFF/, '')
    .replace(/\n$/, '');

/** The lines as the model quotes them, unless it vouches for their hash; some fill in every field there is. */
const quotedIn = ({ expected_hash, expected_text }: Partial<EditInput>): string | null =>
  expected_text !== undefined && !HASH.test(expected_hash ?? '') ? expected_text : null;

/** Models copy lines better than they count hashes: what they say is there is held against what is. */
function expectedHash(edit: EditInput, file: BaseFile | null): string {
  const { expected_hash, operation, start_line, end_line } = edit;
  const quoted = quotedIn(edit);
  if (expected_hash !== undefined && quoted === null) return expected_hash;
  const text = file?.text ?? '';
  const last = operation === 'insert' ? start_line : (end_line ?? start_line);
  const actual = linesOf(text)
    .slice(start_line - 1, last)
    .join('');
  if (quoted === null || plain(quoted) === plain(actual)) return rangeHash(text, start_line, last);
  return textHash(quoted);
}

const MOST_PROBLEMS = 20;

function refuse(problems: EditProblem[]): never {
  const said = problems.map(({ file_path, edit_id, message }) => `${file_path} (${edit_id}): ${message}`);
  throw new Failure('invalid_edits', `The edits cannot be made as they are. ${said.slice(0, 5).join(' ')}`, {
    // What is there now is read with read_file: it is data, and told as such there.
    problems: problems.slice(0, MOST_PROBLEMS).map(({ found, ...problem }) => ({
      ...problem,
      ...(found ? { start_line: found.start_line, end_line: found.end_line, actual_hash: found.actual_hash } : {}),
    })),
  });
}

/** A job is one change with one checkpoint before it: a message that came in the review does not begin a second one. */
function refuseSecondApply({ log, run }: Segment): void {
  const own = checkpointIdOf(run._id);
  const isApplied = ({ review }: CallState) => review?.applied?.checkpoint_id === own;
  if (!log.state.turns.some(({ calls }) => calls.some(isApplied))) return;
  throw new Failure(
    'invalid_edits',
    'What was proposed in this job is applied, and the job is over: sum up what was done. Further edits are for the next instruction.',
  );
}

/**
 * Checks what the model proposes against the files as they are, and makes of it what people are shown. Where they are
 * not what it was made for, that is a conflict: people are shown what differs, and have it made anew.
 */
export async function proposeEdits(
  segment: Segment,
  turn: number,
  call: CallState,
  input: unknown,
  review_id: string,
): Promise<EditFactOf<'edits_proposed' | 'conflict_detected'>> {
  refuseSecondApply(segment);
  const context = await needNotebook(segment.tools);
  const { edits: wanted } = input as { edits: EditInput[] };
  const targets = new Map<string, Target>();
  for (const path of new Set(wanted.map(({ file_path }) => bare(notebookPath(file_path))))) {
    targets.set(path, await targetAt(path, context));
  }
  const edits = wanted.map((edit, index): ProposedEdit => {
    const { expected_text: _text, edit_id = `e_${index + 1}`, end_line, rationale, ...rest } = edit;
    const file_path = bare(notebookPath(edit.file_path));
    return {
      ...rest,
      edit_id,
      file_path,
      ...(end_line === undefined ? {} : { end_line }),
      ...(rationale === undefined ? {} : { rationale }),
      expected_hash: expectedHash(edit, targets.get(file_path)?.file ?? null),
    };
  });
  const unreadable = edits.flatMap(({ edit_id, file_path }): EditProblem[] => {
    const message = targets.get(file_path)?.problem;
    return message ? [{ edit_id, file_path, reason: 'not_text', message }] : [];
  });
  if (unreadable.length > 0) refuse(unreadable);
  const fileAt = (path: string) => targets.get(path)?.file ?? null;
  const { files, problems } = composeBundle(edits, fileAt, segment.run.edit_job?.hunks ?? HUNK_LIMITS);
  const earlier = segment.log.state.turns.flatMap(({ calls }) => calls).filter(({ review }) => review).length;
  const about = { turn, call_id: call.call.tool_call_id, review_id };
  const numbers = { proposal: earlier + 1, edits: edits.length };
  const keep = (bundles: readonly FileBundle[]): Promise<string> =>
    writeProposal(
      segment.run._id,
      bundles.map(
        ({ file_path, base_file_hash, hunks }): ProposalFile => ({
          file_path,
          base_file_hash,
          base_snapshot: fileAt(file_path)?.text ?? null,
          edits: edits.filter((edit) => edit.file_path === file_path),
          hunks,
        }),
      ),
    );
  const expecting = edits.map((edit, index) => ({ edit, quoted: quotedIn(wanted[index] ?? {}) }));
  const readingOf = (path: string) => lastReading(segment.log.state, notebookPath(path));
  const conflicts = conflictsOf(problems, expecting, fileAt, readingOf);
  if (conflicts.length > 0) {
    const bundles = [...targets].map(([file_path, { file }]) => ({
      ...{ file_path, base_file_hash: file?.hash ?? null, hunks: [] },
    }));
    const named = bundles.map(({ file_path, base_file_hash }) => ({
      ...{ file_path, is_new: base_file_hash === null, hunk_ids: [] },
    }));
    const refused = { ...numbers, files: named, stored: await keep(bundles) };
    return { kind: 'conflict_detected', ...about, files: conflicts, refused };
  }
  if (problems.length > 0) refuse(problems);
  if (files.length === 0)
    throw new Failure('invalid_edits', 'The files say all of this already: nothing would change.');
  return {
    kind: 'edits_proposed',
    ...about,
    ...numbers,
    files: files.map(({ file_path, base_file_hash, hunks }) => {
      const oversized = hunks.filter((hunk) => hunk.oversized).map(({ hunk_id }) => hunk_id);
      return {
        file_path,
        is_new: base_file_hash === null,
        hunk_ids: hunks.map(({ hunk_id }) => hunk_id),
        edit_ids: Object.fromEntries(hunks.map(({ hunk_id, edit_ids }) => [hunk_id, edit_ids])),
        ...(oversized.length > 0 ? { oversized } : {}),
      };
    }),
    stored: await keep(files),
  };
}
