import { describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { globMatcher, isTameGlob } from '../../domain/glob.ts';

describe('a glob', () => {
  it.each<[string, string, boolean]>([
    ['/*.md', '/a.md', true],
    ['/*.md', '/a/b.md', false],
    ['/**/*.md', '/a/b/c.md', true],
    ['/**/*.md', '/a.md', true],
    ['/**', '/.hidden/a', true],
    ['/a?c', '/abc', true],
    ['/a?c', '/a/c', false],
    ['/[ab].md', '/b.md', true],
    ['/*.{md,txt}', '/a.txt', true],
    ['/*.{md,txt}', '/a.exe', false],
    ['/report (1).md', '/report (1).md', true],
    ['/c++/*.h', '/c++/a.h', true],
    ['/+(a)', '/aaa', false],
    ['/(a|b)', '/a', false],
    ['/', '/a', false],
    ['[', '/a', false],
  ])('%s matches %s: %s', (pattern, path, expected) => expect(globMatcher(pattern)(path)).toBe(expected));

  const long = `/${'a'.repeat(250)}!`;
  it.each([
    '/(a+)+b',
    '/((a+)+)+b',
    '/[a]+[a]+[a]+[a]+[a]+b',
    '/*a*a*a*a*a*a*a*a*a*a*b',
    `/${'{a,aa}'.repeat(60)}b`,
    '/+(+(+(a)))b',
    '/\\((a+)+b',
    `/${'**/'.repeat(100)}b`,
  ])('cannot be made to run away: %s', (pattern) => {
    const begun = Date.now();
    expect(globMatcher(pattern)(long)).toBe(false);
    expect(Date.now() - begun).toBeLessThan(1_000);
  });

  it('that is not taken covers nothing, and no agent can be given one', () => {
    const takes = (scope: object) =>
      createAgentBody.safeParse({ workspace_id: 'ws_1', name: 'A', model: 'gpt-test', scope }).success;
    const wild = '/*a*b*c*d*e*f';
    expect([isTameGlob(wild), globMatcher(wild)('/abcdef')]).toEqual([false, false]);
    expect(takes({ folders: [wild] })).toBe(false);
    expect(takes({ file_types: ['{a,b}{c,d}{e,f}{g,h}'] })).toBe(false);
    expect(takes({ folders: ['/docs/**/*.md'], file_types: ['*.{md,txt}'] })).toBe(true);
  });
});
