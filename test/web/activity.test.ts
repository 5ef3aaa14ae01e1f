import { describe, expect, it } from 'vitest';
import { openRuns, rowsOf } from '../../web/activity.ts';
import { callWords, foldWords } from '../../web/call-words.ts';
import { commandOutcome } from '../../web/command-outcome.ts';
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
const of = (name: string, operation: string): CallItem => call(name, { arguments: { operation, args: {} } });
/** A command with the beginning of what came of it. */
const ran = (summary: string, operation = 'run'): CallItem => {
  const item = of('command', operation);
  return { ...item, result: item.result && { ...item.result, summary } };
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
      'operations of one domain fold only with their like',
      [
        of('git', 'commit'),
        of('git', 'push'),
        of('git', 'open_pr'),
        ...['a', 'b', 'c'].map(() => of('workspace', 'read')),
      ],
      ['call', 'call', 'call', 'fold 3'],
    ],
    [
      'a command that did not go well stays open',
      [ran('{"exit_code":0,'), ran('{"exit_code":0,'), ran('{"exit_code":2,"duration_ms":3')],
      ['call', 'call', 'call'],
    ],
    ['those that went well fold', [ran('{"exit_code":0,'), ran('{"exit_code":0,'), ran('{"exit_code":0,')], ['fold 3']],
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
    ['workspace', { operation: 'write', args: { path: '/a.md' } }, { verb: 'Write', object: '/a.md' }],
    ['deterministic_git', { operation: 'commit', args: { message: 'Fix' } }, { verb: 'Commit', object: 'Fix' }],
    ['git.push', { operation: 'push', args: {} }, { verb: 'Push', object: '' }],
    ['command', { operation: 'run', args: { command: 'ls -l' } }, { verb: 'Run', object: 'ls -l' }],
  ])('%s with %j', (name, args, words) => {
    expect(callWords({ name, arguments: args })).toEqual(words);
  });

  it.each([
    ['{"exit_code":0,"duration_ms":1,"output":"', 'run', null],
    ['{"exit_code":3,"duration_ms":1,"output":"', 'run', { isGood: false, words: 'Exit 3' }],
    ['{"exit_code":null,"signal":"SIGKILL","cut":"timeout"', 'run', { isGood: false, words: 'Ended: time was up' }],
    ['{"passed":true,"tests":{"runner":"node","passed":4,"failed":0', 'test', { isGood: true, words: '4 passed' }],
    [
      '{"passed":false,"tests":{"runner":"go","passed":4,"failed":2',
      'test',
      { isGood: false, words: '2 failed, 4 passed' },
    ],
    ['{"passed":false,"tests":null,"exit_code":1', 'test', { isGood: false, words: 'Failed' }],
  ])('a command that gave back %s', (summary, operation, outcome) => {
    expect(commandOutcome(ran(summary, operation))).toEqual(outcome);
  });

  it('a fold is counted in what it did', () => {
    expect(foldWords(Array.from({ length: 12 }, () => call('read_file')))).toBe('Read 12 files');
    expect(foldWords(Array.from({ length: 3 }, () => call('frobnicate')))).toBe('frobnicate × 3');
  });
});
