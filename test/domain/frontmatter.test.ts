import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertiesOf, withProperties } from '../../domain/frontmatter.ts';

const PAGE = `---
# kept by hand
title:   "Soak time"   # as printed

tags: [seeds,water]
author:
    name: Ana   # lead
    role:  grower
date: 2025-03-19
# before status
status: draft # not yet
---
# Soak time

---
status: not this one
`;

describe('[2] properties of a file', () => {
  it.each<[string, Record<string, unknown>, (page: string) => string]>([
    ['a word', { status: 'final' }, (page) => page.replace('status: draft #', 'status: final #')],
    ['a word that is quoted', { title: 'Soak' }, (page) => page.replace('title:   "Soak time"   #', 'title: "Soak" #')],
    ['a number', { status: 3 }, (page) => page.replace('status: draft', 'status: 3')],
    ['a list', { tags: ['a'] }, (page) => page.replace('tags: [seeds,water]\n', 'tags:\n  - a\n')],
    ['one that is new', { reviewed: true }, (page) => page.replace('yet\n---', 'yet\nreviewed: true\n---')],
    ['none of it', { nothing: null }, (page) => page],
    ['less of it', { tags: null }, (page) => page.replace('tags: [seeds,water]\n', '')],
    ['the first', { title: null }, (page) => page.replace('title:   "Soak time"   # as printed\n', '')],
    ['the last', { status: null }, (page) => page.replace('status: draft # not yet\n', '')],
    [
      'several',
      { date: '2025-03-20', tags: null, status: 'x' },
      (page) => page.replace('2025-03-19', '2025-03-20').replace('tags: [seeds,water]\n', '').replace('draft', 'x'),
    ],
  ])('%s changes and everything else stays, byte for byte', (_what, properties, expected) => {
    expect(withProperties(PAGE, properties)).toBe(expected(PAGE));
    const crlf = (text: string) => text.replaceAll('\n', '\r\n');
    expect(withProperties(crlf(PAGE), properties)).toBe(crlf(expected(PAGE)));
  });

  it('in a block of their own keep its comments', () => {
    const text = withProperties(PAGE, { author: { name: 'Ben', role: 'grower' } });
    expect(text).toContain('author:\n  name: Ben');
    expect(text.replace(/author:[\s\S]*?date:/, '')).toBe(PAGE.replace(/author:[\s\S]*?date:/, ''));
  });

  it.each<[string, string, Record<string, unknown>, string]>([
    ['where there are none', '# Title\n', { a: 1 }, '---\na: 1\n---\n\n# Title\n'],
    ['in an empty file', '', { a: 'x: y' }, '---\na: "x: y"\n---\n'],
    ['behind a byte order mark', '\ufeff# T\n', { a: 1 }, '\ufeff---\na: 1\n---\n\n# T\n'],
    ['in an empty block', '---\n---\ntext\n', { a: 1 }, '---\na: 1\n---\ntext\n'],
    ['in a block of comments', '---\n# none yet\n---\n', { a: 1 }, '---\n# none yet\na: 1\n---\n'],
    ['in braces', '---\n{ a: 1, b: 2 }\n---\n', { a: 3 }, '---\n{ a: 3, b: 2 }\n---\n'],
    ['with anchors', '---\na: &x 1\nb: *x\n---\n', { c: 2 }, '---\na: &x 1\nb: *x\nc: 2\n---\n'],
    ['under a number', '---\n2024: a\n---\n', { '2024': 'b' }, '---\n2024: b\n---\n'],
    ['removed where there is no block', 'text\n', { a: null }, 'text\n'],
    ['without an end to the last line', '---\na: 1\n---', { a: 2 }, '---\na: 2\n---'],
  ])('%s', (_what, before, properties, after) => expect(withProperties(before, properties)).toBe(after));

  it.each(['---\na: [1\n---\n', '---\n- a\n---\n', '---\na: 1\na: 2\n---\n'])(
    'that cannot be read are not written over: %j',
    (text) => {
      expect(() => withProperties(text, { a: 1 })).toThrow(expect.objectContaining({ code: 'bad_frontmatter' }));
      expect(propertiesOf(text)).toBeNull();
    },
  );

  it('are read as values', () => {
    expect(propertiesOf(PAGE)).toMatchObject({ title: 'Soak time', tags: ['seeds', 'water'], status: 'draft' });
    expect([propertiesOf('# no\n'), propertiesOf('---\n---\n'), propertiesOf('text\n---\na: 1\n---\n')]).toEqual([
      null,
      {},
      null,
    ]);
  });

  it('are what they were set to, and the text behind them is untouched, whatever they are', () => {
    const name = fc.string({ minLength: 1, maxLength: 10, unit: 'grapheme' }).filter((text) => text !== '__proto__');
    const value = fc.oneof(fc.string(), fc.boolean(), fc.integer(), fc.array(fc.string(), { maxLength: 3 }));
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }), (properties) => {
        for (const before of [PAGE, '# Title\n', '']) {
          const after = withProperties(before, properties);
          expect(propertiesOf(after) ?? {}).toEqual({ ...(propertiesOf(before) ?? {}), ...properties });
          expect(after.endsWith(before.replace(/^---[\s\S]*?\n---\n/, ''))).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
