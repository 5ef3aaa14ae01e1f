import { describe, expect, it } from 'vitest';
import { compareThree } from '../../domain/edits/compare.ts';
import { editRowWords, fileRow, MOST_ROWS, selectionRow, withEditRow, withoutEditRow } from '../../web/edit-rows.ts';
import { hunkLine, takenFrom, threeParts } from '../../web/three-way.ts';

const numbered = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');

describe('Three versions of a file', () => {
  it('stand line beside line, each with its own numbers, and what is the same for long is folded', () => {
    const base = numbered(40);
    const current = base.replace('line 20\n', 'line 20\nmine\n');
    const proposed = base.replace('line 30\n', 'theirs\n');
    const parts = threeParts(compareThree(current, base, proposed));
    const gaps = parts.flatMap((part) => (part.type === 'gap' ? [part.lines] : []));
    expect(gaps, 'three lines stay on each side of what differs').toEqual([17, 7]);
    const rows = parts.flatMap((part) => (part.type === 'rows' ? part.rows : []));
    const mine = rows.find(({ kind }) => kind === 'current');
    expect(mine?.cells).toEqual({ current: { line: 21, text: 'mine' }, base: null, proposed: null });
    const theirs = rows.find(({ kind }) => kind === 'proposed');
    expect(theirs?.cells.current).toEqual({ line: 31, text: 'line 30' });
    expect(theirs?.cells.proposed).toEqual({ line: 30, text: 'theirs' });
  });

  it('show a file that is not there as nothing, and lose no line that differs', () => {
    const rows = threeParts(compareThree(null, null, 'a\r\nb')).flatMap((part) =>
      part.type === 'rows' ? part.rows : [],
    );
    expect(rows.map(({ cells }) => cells.proposed?.text)).toEqual(['a', 'b']);
    expect(rows.every(({ cells }) => cells.current === null && cells.base === null)).toBe(true);
  });

  it('name the hunks that can still be taken back, by the line they brought', () => {
    const reverse_patch = '--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-  new();\n+  old();\n';
    const hunk = (hunk_id: string, status: 'accepted' | 'rejected' | 'rolled_back') =>
      ({ hunk_id, origin: 'agent', status, reverse_patch }) as const;
    const file = {
      file_path: 'x',
      base_snapshot_hash: null,
      applied_hash: null,
      hunks: [hunk('h1', 'accepted'), hunk('h2', 'rejected'), hunk('h3', 'rolled_back')],
    };
    expect(takenFrom([file])).toEqual(['h1']);
    expect(hunkLine(reverse_patch)).toBe('new();');
    expect(hunkLine('@@ -1,0 +1,1 @@\n+gone\n')).toBe('gone');
  });
});

describe('What the agent is given', () => {
  it('names lines and files, the same ones once, and no more than the server takes', () => {
    const lines = selectionRow({ path: '/src/a.ts', start_line: 3, end_line: 8, content: 'x' });
    expect(lines).toEqual({ kind: 'selection', file_path: 'src/a.ts', start_line: 3, end_line: 8, content: 'x' });
    expect(editRowWords(lines)).toBe('src/a.ts:3–8');
    const again = { ...lines, content: 'y' };
    expect(withEditRow([lines, fileRow('/b.md')], again)).toEqual([fileRow('/b.md'), again]);
    expect(withoutEditRow([lines, fileRow('/b.md')], again)).toEqual([fileRow('/b.md')]);
    const many = Array.from({ length: MOST_ROWS + 5 }, (_, at) => fileRow(`/${at}.md`)).reduce(withEditRow, [lines]);
    expect(many).toHaveLength(MOST_ROWS);
  });

  it('leaves out a text that is too long to send; the agent reads the lines', () => {
    const row = selectionRow({ path: '/a', start_line: 1, end_line: 9, content: 'x'.repeat(65_537) });
    expect(row).not.toHaveProperty('content');
  });
});
