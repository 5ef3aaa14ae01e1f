import { describe, expect, it } from 'vitest';
import type { Hunk } from '../../domain/edits/wire.ts';
import {
  acceptable,
  acceptedIds,
  applyWords,
  hunkBeside,
  hunkWord,
  leftOutWords,
  NO_STEPS,
  nextOpen,
  type ReviewedFile,
  sizeOf,
  stepped,
  steppedBack,
  steppedForth,
  tally,
} from '../../web/edit-review.ts';

const hunk = (hunk_id: string, accepted: boolean | null, more: Partial<Hunk> = {}): Hunk => ({
  hunk_id,
  origin: 'agent',
  patch: '',
  accepted,
  edit_ids: [],
  rationales: [],
  comment: null,
  oversized_hunk: false,
  blocked: null,
  old_start: 1,
  ...more,
});
const file = (file_path: string, ...hunks: Hunk[]): ReviewedFile => ({ file_path, base_file_hash: 'sha256:0', hunks });

const FILES = [
  file('a.ts', hunk('h1', true), hunk('h2', false)),
  file('b.ts', hunk('h3', null), hunk('h4', null)),
  file('c.ts', hunk('h5', null), hunk('h6', false), hunk('h7', null, { oversized_hunk: true })),
];

describe('A review', () => {
  it('counts what is decided, and says what an apply would write', () => {
    expect(tally(FILES)).toEqual({ all: 7, accepted: 1, rejected: 2, pending: 4 });
    expect(acceptedIds(FILES)).toEqual(['h1']);
    expect(applyWords({ all: 14, accepted: 12, rejected: 1, pending: 1 })).toBe('Apply 12 of 14 hunks');
    expect(applyWords({ all: 3, accepted: 3, rejected: 0, pending: 0 })).toBe('Apply all 3 hunks');
    expect(applyWords({ all: 1, accepted: 1, rejected: 0, pending: 0 })).toBe('Apply the hunk');
  });

  it('says how many are left out before it is applied', () => {
    expect(leftOutWords({ all: 3, accepted: 3, rejected: 0, pending: 0 })).toBe('');
    expect(leftOutWords({ all: 3, accepted: 2, rejected: 0, pending: 1 })).toBe('1 undecided is left out');
    expect(leftOutWords({ all: 9, accepted: 2, rejected: 3, pending: 4 })).toBe('4 undecided are left out');
  });

  it('accepts all that is undecided at once, never what was rejected or is too large', () => {
    expect(acceptable(FILES)).toEqual(['h3', 'h4', 'h5']);
    expect(acceptable(FILES.slice(0, 1))).toEqual([]);
  });

  it('moves from hunk to hunk over the ends of files, and stops at both ends', () => {
    const at = (hunk_id: string, file_path: string) => ({ hunk_id, file_path });
    expect(hunkBeside(FILES, null, 1)).toEqual(at('h1', 'a.ts'));
    expect(hunkBeside(FILES, at('h2', 'a.ts'), 1)).toEqual(at('h3', 'b.ts'));
    expect(hunkBeside(FILES, at('h3', 'b.ts'), -1)).toEqual(at('h2', 'a.ts'));
    expect(hunkBeside(FILES, at('h1', 'a.ts'), -1)).toEqual(at('h1', 'a.ts'));
    expect(hunkBeside(FILES, at('h7', 'c.ts'), 1)).toEqual(at('h7', 'c.ts'));
    expect(hunkBeside([], null, 1)).toBeNull();
  });

  it('goes to the next that is undecided after a decision, from the top again at the end', () => {
    expect(nextOpen(FILES, null)?.hunk_id).toBe('h3');
    expect(nextOpen(FILES, { file_path: 'b.ts', hunk_id: 'h4' })?.hunk_id).toBe('h5');
    expect(nextOpen(FILES, { file_path: 'c.ts', hunk_id: 'h7' })?.hunk_id).toBe('h3');
    const last = { file_path: 'a.ts', hunk_id: 'h2' };
    expect(nextOpen(FILES.slice(0, 1), last), 'where nothing is left, one stays').toEqual(last);
  });

  it('undoes what was done last, in its file or in all of its files, and redoes it there', () => {
    const done = [['a.ts'], ['b.ts', 'c.ts'], ['a.ts']].reduce(stepped, NO_STEPS);
    const back = steppedBack(steppedBack(done, ['a.ts']), ['b.ts', 'c.ts']);
    expect(back).toEqual({ done: [['a.ts']], undone: [['a.ts'], ['b.ts', 'c.ts']] });
    expect(steppedForth(back, ['b.ts', 'c.ts'])).toEqual({ done: [['a.ts'], ['b.ts', 'c.ts']], undone: [['a.ts']] });
    expect(stepped(back, ['c.ts']).undone, 'what is done anew ends the way forth').toEqual([]);
    expect(steppedBack(NO_STEPS, ['x.ts']), 'also what an earlier visit has done').toEqual({
      done: [],
      undone: [['x.ts']],
    });
  });

  it('says in a word how a hunk stands', () => {
    expect(hunkWord(hunk('h', null))).toBe('Undecided');
    expect(hunkWord(hunk('h', true))).toBe('Accepted');
    expect(hunkWord(hunk('h', true, { blocked: 'its line is gone' }))).toBe('Left out');
    expect(hunkWord(hunk('h', false, { blocked: 'its line is gone' }))).toBe('Rejected');
  });

  it('knows how many lines a hunk brings and takes, not counting the names of files', () => {
    expect(sizeOf('--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n same\n-old\n+new\n+newer\n')).toEqual({ added: 2, removed: 1 });
  });
});
