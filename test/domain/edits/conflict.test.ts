import { describe, expect, it } from 'vitest';
import { conflictsOf, type ExpectingEdit, lastReading, type Reading } from '../../../domain/edits/conflict.ts';
import { editProblems, type ProposedEdit } from '../../../domain/edits/edit.ts';
import { textHash } from '../../../domain/edits/text.ts';
import { type CallState, emptyState, newCall, newTurn, type RunState } from '../../../domain/run-state.ts';

const NOW = 'one\ntwo\nthree\n';
const hashed = (over: Partial<ProposedEdit> = {}): ExpectingEdit => ({
  edit: {
    edit_id: 'e_1',
    file_path: 'a.md',
    operation: 'replace',
    start_line: 2,
    end_line: 2,
    new_text: 'x',
    expected_hash: textHash('zwei\n'),
    ...over,
  },
  quoted: null,
});
const quoted = (text: string, over: Partial<ProposedEdit> = {}): ExpectingEdit => ({
  ...hashed({ expected_hash: textHash(text), ...over }),
  quoted: text,
});
const reading = (text: string): Reading => ({ hash: textHash(text), text });

function conflicts(edits: ExpectingEdit[], read: Reading | null, now: string | null = NOW) {
  const file = now === null ? null : { text: now };
  const problems = editProblems(
    file,
    edits.map(({ edit }) => edit),
  );
  return conflictsOf(
    problems,
    edits,
    () => file,
    () => read,
  );
}

describe('[5] what a proposal finds otherwise than it expects', () => {
  it.each<[string, ExpectingEdit, Reading | null, string | null, string | null]>([
    ['a hash, of a file nobody read', hashed(), null, NOW, 'not read the file before'],
    ['a hash, of a file that is as it was read', hashed(), reading(NOW), NOW, 'is as the agent read it'],
    ['a hash, of a file that has changed', hashed(), reading('old\n'), NOW, 'has changed since the agent read it'],
    ['a hash that is none', hashed({ expected_hash: 'sha256:abc' }), reading(NOW), NOW, null],
    ['no hash where there is a line', hashed({ expected_hash: '' }), null, NOW, null],
    ['lines quoted wrongly', quoted('zwei\n'), reading(NOW), NOW, null],
    ['lines quoted wrongly, of a file nobody read', quoted('zwei\n'), null, NOW, null],
    ['lines quoted as they were', quoted('zwei\n'), reading('one\nzwei\n'), NOW, 'has changed since'],
    ['lines that were there', quoted('x\n', { start_line: 9, end_line: 9 }), reading('x\n'.repeat(9)), NOW, 'line 9'],
    ['lines that never were', quoted('x\n', { start_line: 9, end_line: 9 }), reading(NOW), NOW, null],
    ['a file that is gone', quoted('two\n'), reading(NOW), null, 'is gone'],
    ['a file that never was', hashed(), null, null, null],
    ['a delete with text', hashed({ operation: 'delete' }), reading('old\n'), NOW, null],
  ])('%s', (_what, edit, read, now, reason) => {
    const found = conflicts([edit], read, now);
    expect(found.map((each) => each.reason)).toEqual(reason === null ? [] : [expect.stringContaining(reason)]);
  });

  it('shows what has changed in the file as it was read', () => {
    const [found] = conflicts([hashed()], reading('one\nzwei\nthree\n'));
    expect(found?.diff).toContain(' one\n-zwei\n+two\n three\n');
    expect([found?.expected_hash, found?.actual_hash]).toEqual([textHash('one\nzwei\nthree\n'), textHash(NOW)]);
    expect(found?.edits).toEqual([
      { edit_id: 'e_1', start_line: 2, end_line: 2, expected_hash: textHash('zwei\n'), actual_hash: textHash('two\n') },
    ]);
  });

  it('shows the quoted lines against those that are there, where the file was read in part', () => {
    const second = quoted('drei', { edit_id: 'e_2', start_line: 3, end_line: 3 });
    const [found] = conflicts([quoted('zwei'), second], { hash: textHash('other'), text: null });
    expect(found?.diff).toContain('-zwei\n-drei\n+two\n+three\n');
    expect(found?.reason).toContain('line 2 (e_1), line 3 (e_2)');
  });

  it('finds the newest reading of a file in the log, whole or in part', () => {
    const call = (name: string, result: unknown, ok = true): CallState => ({
      ...newCall({ tool_call_id: 'c_1', name, arguments: {} }),
      finished: { ok, result, error: null },
    });
    const read = (text: string, hash = textHash(text)) => call('read_file', { path: '/a.md', content: text, hash });
    const state = (...turns: CallState[][]): RunState => ({
      ...emptyState(),
      turns: turns.map((calls, index) => ({ ...newTurn(index + 1), calls })),
    });
    expect(lastReading(state([read('1')], [read('2')], [call('list_files', {})]), '/a.md')?.text).toBe('2');
    expect(lastReading(state([read('part', 'sha256:whole')]), '/a.md')).toEqual({ hash: 'sha256:whole', text: null });
    const failed = call('read_file', null, false);
    expect(lastReading(state([read('1'), failed], [call('read_file', { path: '/b.md' })]), '/a.md')?.text).toBe('1');
    expect(lastReading(state([failed]), '/a.md')).toBeNull();
  });
});
