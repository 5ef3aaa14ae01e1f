import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { editProblems, type ProposedEdit, proposedEditSchema } from '../../../domain/edits/edit.ts';
import { composeBundle } from '../../../domain/edits/hunks.ts';
import { BOM, EMPTY_HASH, rangeHash, textHash } from '../../../domain/edits/text.ts';

const TEXT = 'one\ntwo\r\nthree';
const edit = (more: Partial<ProposedEdit>): ProposedEdit => ({
  edit_id: 'e_1',
  file_path: '/a.md',
  operation: 'replace',
  start_line: 2,
  end_line: 2,
  new_text: 'x',
  expected_hash: rangeHash(TEXT, 2, 2),
  ...more,
});
const reasons = (edits: ProposedEdit[], text: string | null = TEXT) =>
  editProblems(text === null ? null : { text }, edits).map(({ edit_id, reason }) => `${edit_id} ${reason}`);

describe('[5] expected_hash', () => {
  it('is over the raw bytes of the lines with their line ends', () => {
    const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
    expect(rangeHash(TEXT, 2, 2)).toBe(sha256('two\r\n'));
    expect(rangeHash(TEXT, 2, 3)).toBe(sha256('two\r\nthree'));
    expect(rangeHash(`${BOM}ü\n`, 1, 1)).toBe(sha256('\uFEFFü\n'));
    expect(EMPTY_HASH).toBe(sha256(''));
  });

  const SOUND: [string, Partial<ProposedEdit>, string | null][] = [
    ['a replace of what is there', {}, TEXT],
    ['a delete', { operation: 'delete', new_text: '' }, TEXT],
    ['an insert, with the hash of the line it goes before', { operation: 'insert', end_line: undefined }, TEXT],
    [
      'an insert at the end, with that of nothing',
      { operation: 'insert', start_line: 4, expected_hash: EMPTY_HASH },
      TEXT,
    ],
    ['an insert at the end, with no hash', { operation: 'insert', start_line: 4, expected_hash: '' }, TEXT],
    ['an insert into an empty file', { operation: 'insert', start_line: 1, expected_hash: EMPTY_HASH }, ''],
    ['an insert into a file that is a BOM', { operation: 'insert', start_line: 1, expected_hash: '' }, BOM],
    ['a new file', { operation: 'insert', start_line: 1, expected_hash: EMPTY_HASH }, null],
  ];
  it.each(SOUND)('lets %s through', (_what, more, text) => {
    expect(reasons([edit(more)], text)).toEqual([]);
    expect(proposedEditSchema.parse(edit(more))).toEqual(edit(more));
  });

  it('that is another one is refused, with what is there now', () => {
    const [problem] = editProblems({ text: TEXT }, [edit({ start_line: 1, end_line: 2 })]);
    expect(problem).toMatchObject({
      edit_id: 'e_1',
      reason: 'hash_mismatch',
      found: { start_line: 1, end_line: 2, text: 'one\ntwo\r\n', actual_hash: textHash('one\ntwo\r\n') },
    });
    expect(problem?.message).toMatch(/edit e_1: expected_hash is not that of lines 1 to 2 .* read the file again/);
  });
});

describe('[5] an edit is refused, and named,', () => {
  const CASES: [string, string, Partial<ProposedEdit>, string | null][] = [
    ['where the lines differ', 'hash_mismatch', { expected_hash: EMPTY_HASH }, TEXT],
    ['without a hash where there are lines', 'hash_mismatch', { expected_hash: '' }, TEXT],
    ['past the end', 'out_of_range', { end_line: 4 }, TEXT],
    ['with its ends the wrong way round', 'out_of_range', { start_line: 3, end_line: 2 }, TEXT],
    ['as an insert further than the end', 'out_of_range', { operation: 'insert', start_line: 5 }, TEXT],
    ['without its end', 'missing_end_line', { end_line: undefined }, TEXT],
    ['as a delete with text', 'new_text_on_delete', { operation: 'delete' }, TEXT],
    ['as an insert of nothing', 'nothing_to_insert', { operation: 'insert', new_text: '' }, TEXT],
    ['as a replace in no file', 'no_such_file', {}, null],
    ['as an insert in the middle of no file', 'no_such_file', { operation: 'insert' }, null],
    ['with a NUL', 'not_text', { new_text: 'a\0' }, TEXT],
    ['with half a character', 'not_text', { new_text: '\ud83d' }, TEXT],
  ];
  it.each(CASES)('%s: %s', (_what, reason, more, text) => {
    expect(reasons([edit(more)], text)).toEqual([`e_1 ${reason}`]);
  });

  it('where it shares lines with another one, or stands within', () => {
    const whole = edit({ edit_id: 'e_2', start_line: 1, end_line: 3, expected_hash: textHash(TEXT) });
    expect(reasons([edit({}), whole])).toEqual(['e_1 overlap']);
    const within = edit({ operation: 'insert' });
    expect(editProblems({ text: TEXT }, [within, whole])).toMatchObject([{ edit_id: 'e_1', other_edit_id: 'e_2' }]);
    const before = edit({ operation: 'insert', start_line: 1, expected_hash: rangeHash(TEXT, 1, 1) });
    expect(
      reasons([before, whole, edit({ edit_id: 'e_3', operation: 'insert', start_line: 4, expected_hash: '' })]),
    ).toEqual([]);
  });

  it('where another one has its id, in whatever file', () => {
    const { problems, files } = composeBundle([edit({}), edit({ file_path: '/b.md' })], () => ({ text: TEXT }));
    expect(problems).toMatchObject([{ file_path: '/b.md', reason: 'duplicate_id' }]);
    expect(files.map(({ file_path }) => file_path)).toEqual(['/a.md']);
  });
});
