import { describe, expect, it } from 'vitest';
import { callWords, foldWords, openRuns, rowsOf } from '../../web/activity.ts';
import type { CallItem, Item, ModelItem } from '../../web/transcript-items.ts';

const AT = '2024-05-01T10:00:00.000Z';
let made = 0;
const call = (name: string, over: Partial<CallItem> = {}): CallItem => {
  made += 1;
  return {
    kind: 'call',
    key: `call-${made}`,
    turn: 1,
    step: made,
    call_id: `c${made}`,
    name,
    arguments: { path: '/a.md' },
    malformed: null,
    action: null,
    question: null,
    delegation: null,
    result: { ok: true, step: made, summary: '', error: null, was_allowed: true, duration_ms: 5, at: AT },
    at: AT,
    ...over,
  };
};
const turn = (text: string): ModelItem => {
  made += 1;
  return {
    kind: 'model',
    key: `turn-${made}`,
    turn: made,
    step: made,
    try: 1,
    state: 'done',
    sums_up: false,
    model: 'm',
    text,
    calls: [],
    tokens: null,
    cost_usd: null,
    duration_ms: 1,
    failures: [],
    at: AT,
  };
};
const shape = (items: Item[], opened: string[] = []) =>
  rowsOf(items, new Set(opened)).map((row) => (row.type === 'fold' ? `fold ${row.calls.length}` : row.item.kind));

describe('the rows of the activity map', () => {
  const failed = {
    ok: false,
    step: 1,
    summary: '',
    error: { code: 'x', message: 'y' },
    was_allowed: true,
    duration_ms: 1,
    at: AT,
  };
  it.each([
    ['three calls of one tool fold', [call('read_file'), call('read_file'), call('read_file')], ['fold 3']],
    ['two do not', [call('read_file'), call('read_file')], ['call', 'call']],
    [
      'they fold over turns without a word',
      [call('read_file'), turn(''), call('read_file'), turn(''), call('read_file'), turn('')],
      ['fold 3', 'model'],
    ],
    [
      'what the model says is never folded away',
      [call('read_file'), call('read_file'), turn('Look!'), call('read_file')],
      ['call', 'call', 'model', 'call'],
    ],
    [
      'a failed call stays open',
      [call('read_file'), call('read_file'), call('read_file', { result: failed }), call('read_file')],
      ['call', 'call', 'call', 'call'],
    ],
    [
      'calls of different tools do not fold',
      [call('read_file'), call('list_files'), call('read_file')],
      ['call', 'call', 'call'],
    ],
    [
      'a call that still runs stays open',
      [call('read_file'), call('read_file'), call('read_file'), call('read_file', { result: null })],
      ['fold 3', 'call'],
    ],
  ] satisfies [string, Item[], string[]][])('%s', (_, items, expected) => {
    expect(shape(items)).toEqual(expected);
  });

  it('an opened fold is followed by what it holds', () => {
    const items = [call('read_file'), turn(''), call('read_file'), call('read_file')];
    expect(shape(items, [`fold-${items[0]?.key}`])).toEqual(['fold 3', 'call', 'model', 'call', 'call']);
  });

  it('the key of a fold stays the same while it grows', () => {
    const items = Array.from({ length: 5 }, () => call('read_file'));
    expect(rowsOf(items.slice(0, 3), new Set())[0]?.key).toBe(rowsOf(items, new Set())[0]?.key);
  });
});

describe('the rows of a run that has handed work to others', () => {
  const handed = (run_id: string): CallItem =>
    call('delegate_to_helper', {
      arguments: { task: 'Count the lamps' },
      delegation: { run_id, agent_name: 'Helper', status: 'completed', spent: null },
    });
  const root = handed('run_a');
  const child = handed('run_b');
  const leaf = turn('Three lamps.');
  const below = (id: string) => ({ run_a: [turn('Asks on.'), child], run_b: [leaf] })[id];
  const shown = (opened: string[]) =>
    rowsOf([root], new Set(opened), below).map((row) => `${' '.repeat(row.depth)}${row.key}`);

  it('hold those of a run below where it is open, and of the runs below that one', () => {
    expect(shown([])).toEqual([root.key]);
    expect(shown([root.key])).toEqual([root.key, expect.stringMatching(/^ run_a\/turn-/), ` run_a/${child.key}`]);
    expect(shown([root.key, `run_a/${child.key}`]).at(-1)).toBe(`  run_b/${leaf.key}`);
  });

  it('name the runs to follow, as far as they are open and known', () => {
    const all = new Set([root.key, `run_a/${child.key}`]);
    expect(openRuns([root], all, below)).toEqual(['run_a', 'run_b']);
    expect(openRuns([root], all, () => undefined)).toEqual(['run_a']);
    expect(openRuns([root], new Set(), below)).toEqual([]);
  });

  it('never fold several such calls into one, and call them by who does the work', () => {
    const rows = rowsOf([handed('run_a'), handed('run_b'), handed('run_c')], new Set());
    expect(rows.map(({ type }) => type)).toEqual(['item', 'item', 'item']);
    expect(callWords(root)).toEqual({ verb: 'Helper', object: 'Count the lamps' });
  });
});

describe('words for calls', () => {
  it.each([
    ['read_file', { path: '/a.md' }, { verb: 'Read', object: '/a.md' }],
    ['list_files', {}, { verb: 'List', object: '/' }],
    ['search_content', { query: 'lamp' }, { verb: 'Search', object: 'lamp' }],
    ['frobnicate', { depth: 3 }, { verb: 'frobnicate', object: '' }],
  ])('%s with %j', (name, args, words) => {
    expect(callWords({ name, arguments: args })).toEqual(words);
  });

  it('a fold is counted in what it did', () => {
    expect(foldWords(Array.from({ length: 12 }, () => call('read_file')))).toBe('Read 12 files');
    expect(foldWords(Array.from({ length: 3 }, () => call('frobnicate')))).toBe('frobnicate × 3');
  });
});
