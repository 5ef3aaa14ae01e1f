import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOf, linesOfPages, type Passage, pageOf, passagesOf, plainQuery, rank } from '../../domain/passages.ts';

function restored(passages: Passage[]): string[] {
  const lines: string[] = [];
  for (const { text, joins } of passages) {
    if (joins) lines.push(`${lines.pop() ?? ''}${text}`);
    else lines.push(...text.split('\n'));
  }
  return lines;
}

const anyLine = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.constantFrom('', '# Heading', '## 𝒜'),
  fc.nat(9_000).map((n) => '😀'.repeat(n / 2)),
);
const anyLines = fc.array(
  anyLine.map((line) => line.replace(/[\r\n\0]/g, ' ')),
  { minLength: 1, maxLength: 80 },
);

describe('passages', () => {
  it('hold every line of a source once, in its order, with the numbers it has there', () => {
    fc.assert(
      fc.property(anyLines, fc.constantFrom('text', 'markdown', 'pdf'), (lines, kind) => {
        const passages = passagesOf(lines, kind);
        expect(restored(passages)).toEqual(lines);
        for (const { first_line, last_line, text, joins } of passages) {
          expect(last_line - first_line + 1).toBe(text.split('\n').length);
          if (!joins && last_line > first_line) expect(text).toBe(lines.slice(first_line - 1, last_line).join('\n'));
          expect(text.length).toBeLessThanOrEqual(2_020);
          expect(Buffer.from(text).toString()).toBe(text);
        }
      }),
    );
  });

  it('end where a page does, so that each is on one page', () => {
    const { lines, page_starts } = linesOfPages(['one\ntwo\n', 'three', '', 'five']);
    expect(lines).toEqual(['one', 'two', 'three', '', 'five']);
    expect(page_starts).toEqual([1, 3, 4, 5]);
    const pages = passagesOf(lines, 'pdf', page_starts).map(({ first_line }) => pageOf(first_line, page_starts));
    expect(pages).toEqual([1, 2, 3, 4]);
    expect(pageOf(1, [])).toBeNull();
  });

  it('begin at a heading of Markdown once there is enough before it', () => {
    const lines = [...Array.from({ length: 10 }, (_, n) => `line ${n}`), '# Next', 'more'];
    expect(passagesOf(lines, 'markdown').map(({ first_line }) => first_line)).toEqual([1, 11]);
    expect(passagesOf(lines, 'text').map(({ first_line }) => first_line)).toEqual([1]);
  });

  it.each([
    ['a\r\nb\rc\n', ['a', 'b', 'c']],
    ['\uFEFFa', ['a']],
    ['a\n\n', ['a', '']],
    ['a\0b', ['ab']],
    ['', ['']],
  ])('%j is taken apart as %j', (text, lines) => expect(linesOf(text)).toEqual(lines));
});

describe('a passage', () => {
  const passage = (text: string) => ({ text, first_line: 10 });

  it('with the words as they were asked for comes before one that has them scattered, before one that lacks some', () => {
    const score = (text: string) => rank('Soak time', passage(text), 1).score;
    expect(score('the soak,\ntime was long')).toBeGreaterThan(score('time to soak'));
    expect(score('time to soak')).toBeGreaterThan(score('time to go'));
  });

  it('is shown at the line that has most of the words', () => {
    expect(rank('soak time', passage('a soak\nnothing\nthe soak time\nsoak time'), 1).line).toBe(12);
    expect(rank('absent', passage('a\nb'), 1).line).toBe(10);
  });
});

it.each([
  ['"exact words"', ' exact words '],
  ['-not this --that', 'not this that'],
  ['well-known', 'well-known'],
])('%s is searched for as it stands: nothing in it is an operator', (query, plain) => {
  expect(plainQuery(query)).toBe(plain);
});
