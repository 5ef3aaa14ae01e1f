import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openLog, withStatuses } from '../../../domain/edits/change-log.ts';
import type { ProposedEdit } from '../../../domain/edits/edit.ts';
import { composeBundle, diffBundleSchema, type Hunk, hunkLines, MAX_HUNK_LINES } from '../../../domain/edits/hunks.ts';
import { withLineEndsOf } from '../../../domain/edits/line-ends.ts';
import { replay } from '../../../domain/edits/replay.ts';
import { BOM, linesOf, rangeHash, textBytes, textHash } from '../../../domain/edits/text.ts';
import { anyText, onDisk } from './any-edits.ts';

let ids = 0;
const replaceIn = (text: string, start_line: number, end_line: number, new_text: string): ProposedEdit => ({
  edit_id: `e_${++ids}`,
  file_path: '/a.md',
  operation: 'replace',
  start_line,
  end_line,
  new_text,
  expected_hash: rangeHash(text, start_line, end_line),
  rationale: `why ${ids}`,
});
const insertIn = (text: string | null, start_line: number, new_text: string): ProposedEdit => ({
  edit_id: `e_${++ids}`,
  file_path: '/a.md',
  operation: 'insert',
  start_line,
  new_text,
  expected_hash: text === null ? '' : rangeHash(text, start_line, start_line),
});
function bundleOf(text: string | null, ...edits: ProposedEdit[]) {
  const composed = composeBundle(edits, () => (text === null ? null : { text }));
  expect(composed.problems).toEqual([]);
  const [file] = composed.files;
  const after = file ? replay(openLog(text, file)).text : text;
  return { ...composed, file, hunks: file?.hunks ?? [], after };
}
const numbered = (count: number, line = (n: number) => `line ${n}`) =>
  Array.from({ length: count }, (_, n) => `${line(n)}\n`).join('');

describe('[5] hunks', () => {
  it('have what the contract names, and the same ids for the same edits', () => {
    const edits = [replaceIn('a\nb\n', 2, 2, 'B')];
    const make = () => composeBundle(edits, () => ({ text: 'a\nb\n' })).files;
    expect(make()).toEqual(make());
    const parsed = diffBundleSchema.parse({ job_id: 'run_1', files: make() });
    expect(parsed.files).toEqual([
      {
        file_path: '/a.md',
        base_file_hash: textHash('a\nb\n'),
        hunks: [
          {
            hunk_id: 'h_1',
            patch: '@@ -1,2 +1,2 @@\n a\n-b\n+B\n',
            accepted: null,
            edit_ids: [edits[0]?.edit_id],
            rationales: [edits[0]?.rationale],
            oversized: false,
            old_start: 2,
            old_lines: 1,
            new_lines: 1,
          },
        ],
      },
    ]);
    expect(hunkLines(parsed.files[0]?.hunks[0] as Hunk)).toEqual({ removed: ['b\n'], added: ['B\n'] });
  });

  it('are one where edits touch, and as many as there are places where they do not', () => {
    const text = numbered(20);
    const edits = [replaceIn(text, 3, 3, 'x'), replaceIn(text, 4, 4, 'y'), replaceIn(text, 6, 6, 'z')];
    const { hunks } = bundleOf(text, ...edits);
    expect(hunks.map(({ edit_ids }) => edit_ids.length)).toEqual([2, 1]);
    expect(hunks[0]?.rationales).toEqual([edits[0]?.rationale, edits[1]?.rationale]);
  });

  it('leave out what a large edit only repeats, and say which edits change nothing', () => {
    const text = numbered(60);
    const same = replaceIn(text, 1, 60, text.replace('line 5\n', 'LINE 5\n').replace('line 50\n', 'LINE 50\n'));
    expect(bundleOf(text, same).hunks.map(({ old_start, old_lines }) => [old_start, old_lines])).toEqual([
      [6, 1],
      [51, 1],
    ]);
    const nothing = replaceIn(text, 1, 60, text);
    expect(bundleOf(text, nothing)).toMatchObject({ files: [], unchanged_edit_ids: [nothing.edit_id] });
  });

  const sizes = ({ patch }: Hunk) => {
    const changed = linesOf(patch).filter((line) => /^[-+]/.test(line));
    return { lines: changed.length, bytes: textBytes(changed.map((line) => line.slice(1)).join('')).length };
  };
  const small = (hunk: Hunk) => sizes(hunk).lines <= MAX_HUNK_LINES && sizes(hunk).bytes <= 8192;

  it('of 80 lines stay whole, and larger ones are split at edits first', () => {
    const text = numbered(300);
    expect(bundleOf(text, insertIn(text, 10, numbered(80))).hunks).toMatchObject([{ oversized: false }]);
    const edits = [1, 2, 3, 4].map((n) =>
      replaceIn(
        text,
        n * 15,
        n * 15 + 14,
        numbered(15, (i) => `new ${n} ${i}`),
      ),
    );
    const { hunks, after } = bundleOf(text, ...edits);
    expect(hunks.map(({ edit_ids }) => edit_ids.length)).toEqual([2, 2]);
    expect(hunks.every(small)).toBe(true);
    expect(linesOf(after ?? '')).toHaveLength(300);
  });

  it('are split at blank lines, then where sentences end', () => {
    const blanks = numbered(200, (n) => (n % 30 === 29 ? '' : `code ${n}`));
    const { hunks: byBlank, after } = bundleOf('', insertIn('', 1, blanks));
    expect(byBlank.length).toBeGreaterThan(2);
    expect(byBlank.every((hunk) => small(hunk) && !hunk.oversized)).toBe(true);
    for (const hunk of byBlank.slice(0, -1)) expect(hunkLines(hunk).added.at(-1)).toBe('\n');
    expect(after).toBe(blanks);
    const sentences = numbered(200, (n) => (n % 10 === 9 ? `so it ends ${n}.` : `and goes on ${n}`));
    const { hunks: bySentence } = bundleOf('', insertIn('', 1, sentences));
    expect(bySentence.every((hunk) => small(hunk) && !hunk.oversized)).toBe(true);
    for (const hunk of bySentence) expect(hunkLines(hunk).added.at(-1)).toMatch(/ends \d+\.\n$/);
  });

  it('that cannot be cut anywhere say so, by lines and by bytes', () => {
    const { hunks } = bundleOf(
      '',
      insertIn(
        '',
        1,
        numbered(81, (n) => `x${n}`),
      ),
    );
    expect(hunks).toMatchObject([{ oversized: true, new_lines: 81 }]);
    const { hunks: wide } = bundleOf('', insertIn('', 1, `${'ü'.repeat(4097)}\n`));
    expect(wide).toMatchObject([{ oversized: true }]);
    expect(bundleOf('', insertIn('', 1, `${'ü'.repeat(4000)}\n`)).hunks).toMatchObject([{ oversized: false }]);
  });

  it('of any size give the whole when all are taken, the base when none is, and each by itself', () => {
    const anyBlock = fc.array(fc.constantFrom('', 'a', 'b.', 'c', '# d', '- e', 'f'.repeat(900)), { maxLength: 260 });
    fc.assert(
      fc.property(anyBlock, anyBlock, (old, now) => {
        const text = `first\n${old.map((line) => `${line}\n`).join('')}last\n`;
        const new_text = now.map((line) => `${line}\n`).join('');
        fc.pre(old.length > 0);
        const { hunks, after, file } = bundleOf(text, replaceIn(text, 2, old.length + 1, new_text));
        expect(onDisk(after)).toEqual(onDisk(`first\n${new_text}last\n`));
        for (const hunk of hunks) expect(hunk.oversized || small(hunk)).toBe(true);
        if (!file) return;
        const log = openLog(text, file);
        const none = withStatuses(log, Object.fromEntries(hunks.map(({ hunk_id }) => [hunk_id, 'rejected'])));
        expect(onDisk(replay(none).text)).toEqual(onDisk(text));
        for (const { hunk_id, old_lines, new_lines } of hunks) {
          const alone = withStatuses(none, { [hunk_id]: 'accepted' });
          expect(linesOf(replay(alone).text ?? '')).toHaveLength(old.length + 2 - old_lines + new_lines);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('[5] what a file has is kept', () => {
  const CASES: [string, string, (text: string) => ProposedEdit[], string][] = [
    ['CRLF', 'a\r\nb\r\n', (t) => [replaceIn(t, 2, 2, 'x\ny\n')], 'a\r\nx\r\ny\r\n'],
    ['LF, where CRLF is proposed', 'a\nb\n', (t) => [replaceIn(t, 2, 2, 'x\r\ny\r\n')], 'a\nx\ny\n'],
    ['the ends of mixed lines', 'a\r\nb\nc\r\n', (t) => [replaceIn(t, 1, 2, 'x\ny')], 'x\r\ny\nc\r\n'],
    ['the end of the line above an insert', 'a\r\nb\n', (t) => [insertIn(t, 2, 'x')], 'a\r\nx\r\nb\n'],
    ['no final newline', 'a\nb', (t) => [replaceIn(t, 2, 2, 'x\n')], 'a\nx'],
    ['no final newline, after an insert at the end', 'a\nb', (t) => [insertIn(t, 3, 'x\n')], 'a\nb\nx'],
    ['a final newline', 'a\nb\n', (t) => [replaceIn(t, 2, 2, 'x')], 'a\nx\n'],
    ['a BOM', `${BOM}a\nb\n`, (t) => [replaceIn(t, 1, 1, 'x')], `${BOM}x\nb\n`],
    ['a BOM, before an insert at the top', `${BOM}a\n`, (t) => [insertIn(t, 1, 'x')], `${BOM}x\na\n`],
    ['one BOM of two', `${BOM}a\n`, (t) => [replaceIn(t, 1, 1, `${BOM}x`)], `${BOM}x\n`],
    ['a lone carriage return', 'a\rb\nc\n', (t) => [replaceIn(t, 2, 2, 'x\ry')], 'a\rb\nx\ry\n'],
  ];
  it.each(CASES)('%s', (_what, text, edits, after) => {
    expect(onDisk(bundleOf(text, ...edits(text)).after)).toEqual(onDisk(after));
  });

  it('no final newline, whichever hunks are taken', () => {
    const text = 'a\nb\nc';
    const { file } = bundleOf(text, replaceIn(text, 1, 1, 'A'), replaceIn(text, 3, 3, 'C\nD'));
    if (!file) throw new Error('no hunks');
    const log = openLog(text, file);
    expect(replay(withStatuses(log, { h_1: 'rejected' })).text).toBe('a\nb\nC\nD');
    expect(replay(withStatuses(log, { h_2: 'rejected' })).text).toBe('A\nb\nc');
  });

  it('and a new file is exactly what was written', () => {
    for (const text of ['x', 'x\r\ny\r\n', `${BOM}x\n`, 'a\nb'])
      expect(onDisk(bundleOf(null, insertIn(null, 1, text)).after)).toEqual(onDisk(text));
    expect(bundleOf(null, insertIn(null, 1, 'a'), insertIn(null, 1, 'b')).after).toBe('a\nb');
    expect(bundleOf(null, insertIn(null, 1, 'x')).file?.base_file_hash).toBeNull();
  });

  it('when an editor that knows only one line end gives the text back', () => {
    expect(withLineEndsOf(`${BOM}a\r\nb\nc\r\n`, 'a\nx\nb\nc\nd\n')).toBe(`${BOM}a\r\nx\r\nb\nc\r\nd\r\n`);
    expect(withLineEndsOf('a\r\nb\r\n', 'a\nB\nc')).toBe('a\r\nB\r\nc');
    fc.assert(
      fc.property(anyText, (text) => {
        expect(onDisk(withLineEndsOf(text, text.replaceAll('\r\n', '\n')))).toEqual(onDisk(text));
      }),
      { numRuns: 200 },
    );
  });
});
