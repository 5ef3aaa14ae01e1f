import { describe, expect, it } from 'vitest';
import { isSameValue } from '../../domain/json-value.ts';

describe('two values are the same', () => {
  it.each([
    ['by what they hold', { a: [1, { b: 'x' }] }, { a: [1, { b: 'x' }] }],
    ['whatever the order of their fields', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['where a field has no value in one and is not there in the other', { a: 1, b: undefined }, { a: 1 }],
  ])('%s', (_, a, b) => {
    expect(isSameValue(a, b)).toBe(true);
    expect(isSameValue(b, a)).toBe(true);
  });

  it.each([
    ['a list in another order', [1, 2], [2, 1]],
    ['a list and an object with the same keys', ['x'], { 0: 'x' }],
    ['nothing and an empty object', null, {}],
    ['a number and its digits', 1, '1'],
    ['a field more', { a: 1 }, { a: 1, b: null }],
    ['a field of that name that only every object has', { toString: undefined, a: 1 }, { a: 2 }],
  ])('not: %s', (_, a, b) => {
    expect(isSameValue(a, b)).toBe(false);
    expect(isSameValue(b, a)).toBe(false);
  });
});
