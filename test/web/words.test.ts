import { describe, expect, it } from 'vitest';
import { rightsInWords } from '../../web/agent-words.ts';
import { changed, diffLines } from '../../web/diff-lines.ts';
import { ago, duration, firstLine, inputLine, isDemo, money, short, size } from '../../web/format.ts';
import { fileProblem, typeOf } from '../../web/knowledge-files.ts';
import { quoteWords } from '../../web/quote-words.ts';
import { isOn, PAGES } from '../../web/screens/frame/pages.ts';
import { marked, snippetLines } from '../../web/snippet.ts';

const NONE = {
  scope: {},
  can_read: true,
  can_write: false,
  can_create: false,
  can_delete: false,
  can_execute_code: false,
  confirmation: {},
};

describe('what an agent may do, in words', () => {
  it.each([
    ['nothing without a notebook', NONE, ['May not touch any notebook.']],
    ['reading only', { ...NONE, scope: { notebooks: ['*'] } }, ['Reads everything.', 'Changes nothing.']],
    [
      'changes wait for a person unless it says otherwise',
      { ...NONE, scope: { notebooks: ['*'] }, can_write: true, can_create: true },
      ['Reads everything.', 'Writes and creates, after asking.'],
    ],
    [
      'folders and file types bound both',
      { ...NONE, scope: { notebooks: ['n'], folders: ['/drafts/*', '/notes'], file_types: ['*.md'] }, can_write: true },
      ['Reads *.md files under /drafts and /notes.', 'Writes *.md files under /drafts and /notes, after asking.'],
    ],
    [
      'a policy that never asks is said plainly, also for files that are made by writing',
      {
        ...NONE,
        scope: { notebooks: ['*'] },
        can_write: true,
        can_create: true,
        confirmation: { write_file: 'never' as const },
      },
      ['Reads everything.', 'Writes and creates, without asking.'],
    ],
    [
      'commands know no folders and types, and long lists of those are not told',
      {
        ...NONE,
        scope: {
          notebooks: ['*'],
          folders: ['/src', '/a-folder-with-a-long-name', '/another-one-with-a-long-name', '/lib'],
          file_types: ['*.{ts,tsx,js,jsx,mjs,cjs}', '*.{py,rb,go,rs,java,kt,cs}', '*.{json,yaml,toml}'],
        },
        can_write: true,
        can_execute_code: true,
      },
      [
        'Reads some kinds of files under 4 folders.',
        'Writes some kinds of files under 4 folders, after asking.',
        'Runs commands, after asking.',
      ],
    ],
    [
      'operations the scope leaves out are not promised',
      { ...NONE, scope: { notebooks: ['*'], operations: ['read' as const] }, can_write: true },
      ['Reads everything.', 'Changes nothing.'],
    ],
  ])('%s', (_, agent, sentences) => {
    expect(rightsInWords(agent)).toEqual(sentences);
  });
});

describe('a diff', () => {
  const patch = '--- a/x.md\n+++ b/x.md\n@@ -1,3 +1,3 @@\n # Title\n-old\n+new\n same\n\\ No newline at end of file\n';

  it('is read with the line numbers of both sides', () => {
    const lines = diffLines(patch) ?? [];
    expect(lines.map(({ kind, old, new: after }) => [kind, old, after])).toEqual([
      ['meta', null, null],
      ['meta', null, null],
      ['hunk', null, null],
      ['same', 1, 1],
      ['removed', 2, null],
      ['added', null, 2],
      ['same', 3, 3],
      ['meta', null, null],
    ]);
    expect(changed(lines)).toEqual({ added: 1, removed: 1 });
  });

  it('keeps a removed line that looks like a file header', () => {
    const lines = diffLines('@@ -1,1 +1,1 @@\n--- old rule\n+++ new rule\n') ?? [];
    expect(lines.slice(1)).toMatchObject([
      { kind: 'removed', text: '-- old rule' },
      { kind: 'added', text: '++ new rule' },
    ]);
  });

  it('without a hunk changes nothing', () => {
    expect(diffLines('=====\n--- a/x.md\n+++ b/x.md\n')).toEqual([]);
  });

  it('is not seen in ordinary text', () => {
    expect(diffLines('rm -rf build\n+ more')).toBeNull();
  });
});

describe('figures', () => {
  it.each([
    [5, '5 ms'],
    [1_250, '1.2 s'],
    [9_999, '9.9 s'],
    [59_999, '59 s'],
    [185_000, '3 min 5 s'],
    [7_200_000, '2 h'],
    [266_400_000, '3 d 2 h'],
  ])('%d ms is %s', (ms, text) => expect(duration(ms)).toBe(text));

  it.each([
    [999, '999'],
    [1_234, '1.2k'],
    [99_960, '100k'],
    [999_960, '1.0M'],
    [1_000_000_000, '1.0B'],
  ])('%d is short as %s', (value, text) => expect(short(value)).toBe(text));

  it.each([
    [0, '$0'],
    [0.00001, '<$0.0001'],
    [0.00312, '$0.0031'],
    [0.5, '$0.50'],
    [12.345, '$12.35'],
    [1234.5, '$1,235'],
  ])('%d dollars are %s', (usd, text) => expect(money(usd)).toBe(text));

  it.each([
    [820, '820 B'],
    [12_300, '12 KB'],
    [3_400_000, '3.4 MB'],
  ])('%d bytes are %s', (bytes, text) => expect(size(bytes)).toBe(text));

  it('a moment is told by how long ago it was', () => {
    const now = Date.parse('2024-05-01T10:00:00Z');
    expect(ago('2024-05-01T09:59:58Z', now)).toBe('just now');
    expect(ago('2024-05-01T09:48:00Z', now)).toBe('12 min ago');
    expect(ago('2024-04-29T10:00:00Z', now)).toBe('2 d ago');
  });

  it('the first line that says something stands for a text', () => {
    expect(firstLine('\n---\n## **Lamp** `B`\nmore')).toBe('Lamp B');
  });

  it('the demo model is known by its name', () => {
    expect(['demo/longhaul', 'demo:longhaul', 'gpt-4o', 'demolition/x'].map(isDemo)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('a quote', () => {
  const quote = {
    currency: 'USD' as const,
    p50_usd: 0.02,
    p90_usd: 0.1,
    worst_case_usd: 2,
    n: 40,
    basis: 'agent' as const,
    tokens: { p50: 12_300, p90: 40_000 },
  };
  it.each([
    [
      'with a price and a past',
      quote,
      'About $0.02 and 12k tokens, at most $0.10 for nine of ten (from 40 past runs of this agent), never more than $2.00.',
    ],
    [
      'of a new agent',
      { ...quote, n: 0, basis: 'estimate' as const, worst_case_usd: null },
      'About $0.02 and 12k tokens, at most $0.10 for nine of ten (a guess from the size of the task).',
    ],
    [
      'without a price',
      { ...quote, p50_usd: null, p90_usd: null, worst_case_usd: null, basis: 'model' as const },
      'About 12k tokens (from 40 past runs with this model). The price of this model is not known.',
    ],
    ['of nothing', { ...quote, p50_usd: 0, p90_usd: 0, worst_case_usd: 0 }, 'About 12k tokens, at no cost.'],
  ])('%s is told in one line', (_, given, words) => expect(quoteWords(given, 'gpt-4o')).toBe(words));

  it('of the demo model says that it costs nothing', () => {
    expect(quoteWords(quote, 'demo/longhaul-demo')).toMatch(/^Costs nothing/);
  });
});

describe('the menu', () => {
  it.each([
    ['/', ['Home']],
    ['/runs/run_1/tree', ['Runs']],
    ['/edits/run_1', ['Files']],
    ['/checkpoints', ['Files']],
    ['/integrations/new', ['Tools']],
    ['/mcp-servers', ['Tools']],
    ['/toolshed', []],
  ])('marks at %s where one is: %j', (path, names) =>
    expect(PAGES.filter((page) => isOn(path, page)).map(({ name }) => name)).toEqual(names),
  );

  it('has one key for each page', () => {
    expect(new Set(PAGES.map(({ key }) => key)).size).toBe(PAGES.length);
  });
});

describe('what a run was given, in one line', () => {
  it.each([
    ['# Do it\n\nNow.', 'Do it'],
    [{ path: '/a.md', times: 2 }, 'path: /a.md, times: 2'],
    [['a', 'b'], '"a",'],
    [null, ''],
  ])('%j is told as %j', (input, line) => expect(inputLine(input)).toBe(line));
});

describe('a document', () => {
  it.each([
    ['notes.md', '', 'text/markdown'],
    ['Notes.TXT', '', 'text/plain'],
    ['paper.pdf', 'application/pdf', 'application/pdf'],
    ['main.py', 'text/x-python', 'text/plain'],
    ['photo.png', 'image/png', null],
  ])('%s of type "%s" is %s', (name, type, expected) => expect(typeOf({ name, type })).toBe(expected));

  it('is refused with the reason before it is sent', () => {
    const file = { name: 'a.md', type: '', size: 10 };
    expect(fileProblem(file)).toBeNull();
    expect(fileProblem({ ...file, size: 0 })).toBe('a.md is empty.');
    expect(fileProblem({ ...file, size: 11 * 1024 * 1024 })).toBe('a.md is larger than 10 MB.');
    expect(fileProblem({ ...file, name: 'a.png' })).toBe('a.png is neither text, Markdown nor PDF.');
  });

  it('shows of a hit the best line and a few around it', () => {
    const lines = snippetLines({ snippet: 'a\nb\nc\nd\ne\nf', start_line: 10, line: 14 });
    expect(lines.map(({ number, isBest }) => [number, isBest])).toEqual([
      [12, false],
      [13, false],
      [14, true],
      [15, false],
    ]);
  });

  it('has the words of the query marked, however they are spelt, and nothing else', () => {
    const hits = (text: string, query: string) =>
      marked(text, query).flatMap((piece) => (piece.isHit ? [piece.text] : []));
    expect(hits('Lamp and LAMPS', 'lamp?')).toEqual(['Lamp', 'LAMP']);
    expect(hits('a.b', '. * (')).toEqual([]);
    expect(
      marked('no words', '')
        .map(({ text }) => text)
        .join(''),
    ).toBe('no words');
  });
});
