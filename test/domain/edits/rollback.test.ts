import fc from 'fast-check';
import { diff3MergeRegions } from 'node-diff3';
import { describe, expect, it } from 'vitest';
import { openLog, recordUserEdit, withStatuses } from '../../../domain/edits/change-log.ts';
import { compareThree } from '../../../domain/edits/compare.ts';
import { replay } from '../../../domain/edits/replay.ts';
import { rollbackAll, rollbackSelected } from '../../../domain/edits/rollback.ts';
import { linesOf, rangeHash } from '../../../domain/edits/text.ts';
import { anyText, onDisk, PATH, proposalOf } from './any-edits.ts';

const BASE = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`).join('');
/** A run that changed lines 5, 15 and 25, and was applied. */
function applied() {
  const edits = [5, 15, 25].map((line, n) => ({
    edit_id: `e_${n + 1}`,
    file_path: PATH,
    operation: 'replace' as const,
    start_line: line,
    end_line: line,
    new_text: `CHANGED ${line}`,
    expected_hash: rangeHash(BASE, line, line),
  }));
  const log = openLog(BASE, proposalOf(BASE, edits).bundle);
  return withStatuses(log, { h_1: 'accepted', h_2: 'accepted', h_3: 'accepted' });
}
/** Of three lines, so that what is changed by hand can lie within. */
const widened = {
  edit_id: 'e_1',
  file_path: PATH,
  operation: 'replace' as const,
  start_line: 14,
  end_line: 16,
  new_text: 'CHANGED 14\nCHANGED 15\nCHANGED 16\n',
  expected_hash: rangeHash(BASE, 14, 16),
};
const AFTER = BASE.replace('line 5\n', 'CHANGED 5\n')
  .replace('line 15\n', 'CHANGED 15\n')
  .replace('line 25\n', 'CHANGED 25\n');

describe('[5] a scoped rollback', () => {
  it('takes back what was selected and keeps what was written since', () => {
    const current = `new first line\n${AFTER.replace('line 20\n', 'edited later\n')}`;
    const { text, reverted_hunk_ids, conflicts } = rollbackSelected(current, applied(), ['h_1', 'h_3']);
    expect(text).toBe(current.replace('CHANGED 5\n', 'line 5\n').replace('CHANGED 25\n', 'line 25\n'));
    expect([reverted_hunk_ids, conflicts]).toEqual([['h_1', 'h_3'], []]);
  });

  it('keeps a line that was changed right beside it, where git would give up', () => {
    const current = AFTER.replace('line 16\n', 'edited later\n').replace('line 14\n', '');
    expect(rollbackSelected(current, applied(), ['h_2']).text).toBe(current.replace('CHANGED 15\n', 'line 15\n'));
  });

  it('names the hunks whose lines were changed since, and leaves them as they are', () => {
    const current = AFTER.replace('CHANGED 15\n', 'CHANGED 15, and again\n');
    const { text, reverted_hunk_ids, conflicts } = rollbackSelected(current, applied(), ['h_1', 'h_2']);
    expect(text).toBe(current.replace('CHANGED 5\n', 'line 5\n'));
    expect(reverted_hunk_ids).toEqual(['h_1']);
    expect(conflicts).toEqual([
      {
        hunk_id: 'h_2',
        message: 'h_2 was not taken back: its lines were changed since. Change it by hand.',
        start_line: 15,
        end_line: 15,
        current: 'CHANGED 15, and again\n',
        wanted: 'line 15\n',
      },
    ]);
  });

  it('finds the right one of many equal places', () => {
    const same = 'head\nbody\n'.repeat(12);
    const edits = [4, 12, 20].map((line, n) => ({
      edit_id: `e_${n}`,
      file_path: PATH,
      operation: 'replace' as const,
      start_line: line,
      end_line: line,
      new_text: 'BODY',
      expected_hash: rangeHash(same, line, line),
    }));
    const open = openLog(same, proposalOf(same, edits).bundle);
    const log = withStatuses(open, { h_1: 'accepted', h_2: 'accepted', h_3: 'accepted' });
    const current = `${'head\nbody\n'.repeat(4)}${replay(log).text}`;
    const lines = linesOf(rollbackSelected(current, log, ['h_2']).text ?? '');
    expect(lines.flatMap((line, n) => (line === 'BODY\n' ? [n + 1] : []))).toEqual([12, 28]);
  });

  it('says so where something that stays was made on it, and takes both where both are selected', () => {
    const { log } = recordUserEdit(applied(), AFTER.replace('CHANGED 15', 'CHANGED 15 by hand'), () => 'u_1');
    const { text = '' } = replay(log);
    expect(rollbackSelected(text, log, ['h_2'])).toMatchObject({
      text,
      reverted_hunk_ids: [],
      conflicts: [{ hunk_id: 'h_2', message: expect.stringContaining('u_1') }],
    });
    expect(rollbackSelected(text, log, ['h_2', 'u_1']).text).toBe(AFTER.replace('CHANGED 15\n', 'line 15\n'));
  });

  it.each([
    ['changed', 'CHANGED 15 by hand\n', 15, 'CHANGED 15 by hand\n'],
    ['added to', 'CHANGED 15\nand by hand\n', 16, 'CHANGED 15\nand by hand\n'],
    ['removed', '', 14, ''],
  ])('says where that is, also where lines came in above since: what was %s', (_what, by, end_line, there) => {
    const before = withStatuses(openLog(BASE, proposalOf(BASE, [widened]).bundle), { h_1: 'accepted' });
    const left = replay(before).text ?? '';
    const { log } = recordUserEdit(before, left.replace('CHANGED 15\n', by), () => 'u_1');
    const { text = '' } = replay(log);
    const at = { start_line: 15, end_line, current: there, wanted: 'line 15\n' };
    const surrounded = (found: typeof at) => ({
      ...{ start_line: found.start_line - 1, end_line: found.end_line + 1 },
      ...{ current: `CHANGED 14\n${found.current}CHANGED 16\n`, wanted: 'line 14\nline 15\nline 16\n' },
    });
    expect(rollbackSelected(text, log, ['h_1']).conflicts).toMatchObject([surrounded(at)]);
    const later = { ...at, start_line: 17, end_line: end_line + 2 };
    expect(rollbackSelected(`new\nlines\n${text}`, log, ['h_1']).conflicts).toMatchObject([surrounded(later)]);
  });

  it('of a file that is gone is a conflict; of one that the run made, no file', () => {
    expect(rollbackSelected(null, applied(), ['h_1'])).toMatchObject({ text: null, conflicts: [{ hunk_id: 'h_1' }] });
    const made = proposalOf(null, [
      { edit_id: 'e', file_path: PATH, operation: 'insert', start_line: 1, new_text: 'new\n', expected_hash: '' },
    ]);
    const log = withStatuses(openLog(null, made.bundle), { h_1: 'accepted' });
    expect(rollbackSelected('new\n', log, ['h_1'])).toMatchObject({ text: null, conflicts: [] });
    expect(rollbackSelected('new\nmine\n', log, ['h_1'])).toMatchObject({ text: 'mine\n', conflicts: [] });
  });

  it('of what was taken back before has nothing to do, and no conflict', () => {
    const back = AFTER.replace('CHANGED 15\n', 'line 15\n');
    expect(rollbackSelected(back, applied(), ['h_2'])).toEqual({ text: back, reverted_hunk_ids: [], conflicts: [] });
    expect(rollbackSelected(back, applied(), ['h_1', 'h_2'])).toMatchObject({
      text: back.replace('CHANGED 5\n', 'line 5\n'),
      conflicts: [],
    });
  });

  it('leaves alone what it does not know', () => {
    expect(rollbackSelected(AFTER, applied(), ['h_9'])).toEqual({ text: AFTER, reverted_hunk_ids: [], conflicts: [] });
  });
});

it('[5] a hard rollback gives the base, and drops what came after it', () => {
  const { log } = recordUserEdit(applied(), `${AFTER}mine\n`, () => 'u_1');
  expect(rollbackAll(log)).toEqual({ text: BASE, log: { ...log, changes: [] }, dropped: ['h_1', 'h_2', 'h_3', 'u_1'] });
});

describe('[5] the three-way compare', () => {
  it('tells who changed what', () => {
    const current = BASE.replace('line 3\n', 'mine\n').replace('line 10\n', 'same\n').replace('line 20\n', 'my 20\n');
    const proposed = BASE.replace('line 6\n', 'theirs\n')
      .replace('line 10\n', 'same\n')
      .replace('line 20\n', 'their 20\n');
    const regions = compareThree(current, BASE, proposed).filter(({ kind }) => kind !== 'same');
    expect(regions.map(({ kind, base, current: c, proposed: p }) => [kind, base.start_line, c.lines, p.lines])).toEqual(
      [
        ['current', 3, ['mine\n'], ['line 3\n']],
        ['proposed', 6, ['line 6\n'], ['theirs\n']],
        ['both', 10, ['same\n'], ['same\n']],
        ['conflict', 20, ['my 20\n'], ['their 20\n']],
      ],
    );
    expect(compareThree(null, BASE, null)).toMatchObject([{ kind: 'both', current: { lines: [] } }]);
    expect(compareThree(BASE, null, BASE)).toMatchObject([{ kind: 'both', base: { lines: [] } }]);
  });

  it('has all of each side, in order, and says the truth about every stretch', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (current, base, proposed) => {
        const regions = compareThree(current, base, proposed);
        for (const [side, text] of [
          ['current', current],
          ['base', base],
          ['proposed', proposed],
        ] as const) {
          expect(onDisk(regions.flatMap((region) => region[side].lines).join(''))).toEqual(onDisk(text));
          let line = 1;
          for (const region of regions) {
            expect(region[side].start_line).toBe(line);
            line += region[side].lines.length;
          }
        }
        for (const { kind, base: b, current: c, proposed: p } of regions) {
          const [o, mine, theirs] = [b, c, p].map(({ lines }) => lines.join(''));
          if (kind === 'same') expect([mine, theirs]).toEqual([o, o]);
          if (kind === 'current') expect([theirs, mine === o]).toEqual([o, false]);
          if (kind === 'proposed') expect([mine, theirs === o]).toEqual([o, false]);
          if (kind === 'both') expect(mine).toBe(theirs);
          if (kind === 'conflict') expect(mine).not.toBe(theirs);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('finds the same conflicts as diff3 where lines do not repeat', () => {
    const anySide = fc.array(fc.tuple(fc.nat(19), fc.constantFrom('', 'x\n', 'y\n')), { maxLength: 4 }).map((spots) => {
      const lines = linesOf(BASE).slice(0, 20);
      for (const [n, end] of spots) lines[n] = end === '' ? '' : `${n} ${end}`;
      return lines.filter((line) => line !== '');
    });
    const base = linesOf(BASE).slice(0, 20);
    fc.assert(
      fc.property(anySide, anySide, (ours, theirs) => {
        const conflicts = compareThree(ours.join(''), base.join(''), theirs.join('')).flatMap(
          ({ kind, current, proposed }) => (kind === 'conflict' ? [[current.lines, proposed.lines]] : []),
        );
        const expected = diff3MergeRegions(ours, base, theirs).flatMap((region) =>
          !region.stable && region.aContent.join('') !== region.bContent.join('')
            ? [[region.aContent, region.bContent]]
            : [],
        );
        expect(conflicts).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });
});
