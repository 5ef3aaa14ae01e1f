import { expect, test } from 'vitest';
import { statusesIn, wholeNumber } from '../../cli/runs.ts';
import { brief, coloured, uncoloured } from '../../cli/style.ts';
import { tableLines } from '../../cli/table.ts';
import { ago, modelName, statusWord, took } from '../../cli/words.ts';

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1.0 s'],
  [59_949, '59.9 s'],
  [59_950, '1 min 0 s'],
  [60_000, '1 min 0 s'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h 0 min'],
  [7_380_000, '2 h 3 min'],
  [3_599_900, '1 h 0 min'],
])('%i ms is said as %s', (ms, words) => {
  expect(took(ms)).toBe(words);
});

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
test.each([
  ['2026-03-01T12:00:03.000Z', 'just now'],
  ['2026-03-01T11:59:30.000Z', '30 s ago'],
  ['2026-03-01T11:58:01.000Z', '1 min ago'],
  ['2026-03-01T09:00:00.000Z', '3 h ago'],
  ['2026-02-28T11:00:00.000Z', '1 day ago'],
  ['2026-02-20T12:00:00.000Z', '9 days ago'],
  ['2025-12-24T12:00:00.000Z', '2025-12-24'],
])('%s is %s at noon of March the first', (time, words) => {
  expect(ago(time, NOW)).toBe(words);
});

test('a status is a symbol, a word and a colour', () => {
  expect(statusWord('awaiting_confirmation', uncoloured)).toBe('? awaiting_confirmation');
  expect(statusWord('failed', coloured)).toBe('\x1b[31m✗ failed\x1b[39m');
});

test.each([
  ['demo/longhaul-demo', 'demo/longhaul-demo (rule-based demo model, not an LLM)'],
  ['demo:longhaul-demo', 'demo:longhaul-demo (rule-based demo model, not an LLM)'],
  ['gpt-4o', 'gpt-4o'],
  ['ollama/llama3', 'ollama/llama3'],
])('the model %s is named %s', (model, name) => {
  expect(modelName(model)).toBe(name);
});

test('columns are as wide as what stands in them, whatever its colour, and figures stand to the right', () => {
  const rows = [
    [coloured('red', 'a'), '1,000'],
    ['bcd', '7'],
  ];
  expect(tableLines(['X', 'NUMBER'], rows, [1])).toEqual([
    'X    NUMBER',
    `${coloured('red', 'a')}     1,000`,
    'bcd       7',
  ]);
});

test('a text is cut to one line of so many characters, emoji counted as one', () => {
  expect(brief('  one\n two\tthree ', 20)).toBe('one two three');
  expect(brief('🌱🌱🌱🌱', 3)).toBe('🌱🌱…');
});

test('statuses and numbers are checked at the entrance, and the message says what is possible', () => {
  expect(statusesIn('queued, running')).toEqual(['queued', 'running']);
  expect(() => statusesIn('runing')).toThrow('There is no status "runing".');
  expect(wholeNumber('limit', '7', 100)).toBe(7);
  for (const wrong of ['0', '101', '1.5', 'x', '']) {
    expect(() => wholeNumber('limit', wrong, 100)).toThrow('--limit takes a whole number from 1 to 100');
  }
});
