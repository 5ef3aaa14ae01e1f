import { expect, it } from 'vitest';
import { asTyped, typedProblem, typedValue } from '../../web/json-text.ts';

it.each([
  ['', null],
  ['  ', null],
  ['sum up the week', 'sum up the week'],
  ['[urgent] sum up the week', '[urgent] sum up the week'],
  ['{{ payload.ticket.id }}', '{{ payload.ticket.id }}'],
  ['{"a": 1}', { a: 1 }],
  ['[1, 2]', [1, 2]],
  ['[]', []],
  ['42', 42],
  ['"42"', '42'],
  ['true', true],
])('%s is taken for what it looks like', (text, value) => expect(typedValue(text)).toEqual(value));

it.each(['{"a": }', '[1, 2', '"open'])('%s is said to be no JSON', (text) =>
  expect(typedProblem(text)).toMatch(/begins like JSON/),
);

it.each([null, 'words', '[urgent] words', '{{ payload }}', '42', 42, true, 'null', '"', { a: ['b'] }, [], ''])(
  'what is shown of %j is taken for the same again',
  (value) => expect(typedValue(asTyped(value)) ?? '').toEqual(value ?? ''),
);
