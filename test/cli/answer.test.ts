import { expect, test } from 'vitest';
import { runAndText } from '../../cli/answer.ts';

const RUN = `run_${'0'.repeat(26)}`;

test.each([
  [[RUN, 'the', 'second'], { id: RUN, text: 'the second' }],
  [[RUN], { id: RUN, text: '' }],
  [['the second'], { id: undefined, text: 'the second' }],
  [[], { id: undefined, text: '' }],
])('%j is understood as a run and an answer', (words, meant) => {
  expect(runAndText(words)).toEqual(meant);
});

test('a word that wants to be the id of a run and is none is refused, never sent as an answer', () => {
  expect(() => runAndText(['run_1', 'yes'])).toThrow('"run_1" is not the id of a run.');
});
