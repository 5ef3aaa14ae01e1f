import { beforeAll, describe, expect, it } from 'vitest';
import { boundPatterns } from '../bounded-patterns.ts';
import { argumentCheck } from '../domain/output-schema.ts';

beforeAll(boundPatterns);

const check = (pattern: string, text: string) =>
  argumentCheck({ type: 'object', properties: { text: { type: 'string', pattern } } })({ text });

describe('[13] a pattern in a schema', () => {
  it.each([
    ['^[a-z]+(-[a-z]+)*$', 'a-slug-that-is-long-enough', []],
    ['^[a-z]+(-[a-z]+)*$', 'A slug that is none of them', ['/text must match pattern "^[a-z]+(-[a-z]+)*$"']],
    ['^\\p{L}+$', 'Straßenverkehrsordnung', []],
    ['^a', 'short', ['/text must match pattern "^a"']],
  ])('is matched as ever: %s on %s', (pattern, text, problems) => {
    expect(check(pattern, text)).toEqual(problems);
  });

  // Without a bound each of these would take longer than anybody lives.
  it.each([
    ['(a+)+$', `${'a'.repeat(60)}!`],
    ['(?:a*){9}b$', 'a'.repeat(1_000)],
  ])('that takes for ever is given up on, and does not fit: %s', (pattern, text) => {
    expect(check(pattern, text)).toEqual([`the pattern ${pattern} takes too long on this text`]);
  });

  it('is given no more time for many texts than for one', () => {
    const slow = argumentCheck({ type: 'array', items: { type: 'string', pattern: '^(a|aa)+$' } });
    // Each by itself would do in less than the time for one.
    const texts = Array.from({ length: 200 }, () => `${'a'.repeat(34)}!`);
    expect(slow(texts)).toEqual(['the pattern ^(a|aa)+$ takes too long on this text']);
  });

  it('that is none is refused with the schema', () => {
    expect(() => check('(', 'x')).toThrow('This is not a JSON Schema');
  });
});
