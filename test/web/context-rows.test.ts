import { describe, expect, it } from 'vitest';
import { matching, readRange, rowWords, withoutRow, withRow } from '../../web/context-rows.ts';

describe('rows pinned to a conversation', () => {
  it.each([
    ['notes', { words: 'notes' }],
    ['notes.md:12', { words: 'notes.md', start_line: 12, end_line: 12 }],
    ['notes.md:12-40', { words: 'notes.md', start_line: 12, end_line: 40 }],
    ['notes.md: ', { words: 'notes.md' }],
    ['notes.md:40-12', { words: 'notes.md', start_line: 40, end_line: 40 }],
    ['notes.md:0', { words: 'notes.md', start_line: 1, end_line: 1 }],
    ['a:b.md', { words: 'a:b.md' }],
  ])('reads %s as a file and lines of it', (text, expected) => {
    expect(readRange(text)).toEqual(expected);
  });

  it('says which lines are meant', () => {
    expect(rowWords({ path: '/a.md' })).toBe('/a.md');
    expect(rowWords({ path: '/a.md', start_line: 3, end_line: 3 })).toBe('/a.md:3');
    expect(rowWords({ path: '/a.md', start_line: 3, end_line: 9 })).toBe('/a.md:3–9');
    expect(rowWords({ path: '/a.md', start_line: 3 })).toBe('/a.md:3–');
  });

  it('holds each only once, and lets go of exactly the one meant', () => {
    const whole = { path: '/a.md' };
    const part = { path: '/a.md', start_line: 1, end_line: 2 };
    const rows = withRow(withRow(withRow([], whole), part), { ...part });
    expect(rows).toEqual([whole, part]);
    expect(withoutRow(rows, whole)).toEqual([part]);
  });

  it('finds files by words of their path, those that begin with the first word before the others', () => {
    const paths = ['/drafts/my-notes.md', '/notes/lamp.md', '/notes.md', '/data/heights.csv'];
    expect(matching(paths, 'notes', 10)).toEqual(['/notes.md', '/drafts/my-notes.md', '/notes/lamp.md']);
    expect(matching(paths, 'NOTES lamp', 10)).toEqual(['/notes/lamp.md']);
    expect(matching(paths, '', 2)).toEqual(['/drafts/my-notes.md', '/notes/lamp.md']);
  });
});
