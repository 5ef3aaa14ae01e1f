import { describe, expect, it } from 'vitest';
import type { Fact } from '../../domain/facts.ts';
import { backoffMs, type Move, nextMove } from '../../domain/turn.ts';
import {
  answered,
  asked,
  BEGIN,
  begun,
  budgetOf,
  called,
  cancelled,
  decided,
  ended,
  failed,
  finished,
  message,
  pending,
  replied,
  rules,
  stateOf,
  tool,
  toolBegun,
} from './told.ts';

const call = (turn: number, attempt = 1): Move => ({ do: 'call', turn, try: attempt, preface: [] });
const end = (status: string, output: unknown, code?: string) => ({
  do: 'end',
  status,
  output,
  error: code === undefined ? null : expect.objectContaining({ code }),
});
/** Tool calls by their ids: the rest of a call is not what is decided here. */
const brief = (move: Move) =>
  'calls' in move ? { ...move, calls: move.calls.map(({ call }) => call.tool_call_id) } : move;
const next = (log: Fact[][], now = BEGIN + 3_600_000, more = {}) => brief(nextMove(stateOf(...log), rules(more), now));

const read = tool('r', 'read_file', { path: '/a.md' });
const write = tool('w', 'write_file', { path: '/a.md', content: 'a' });
const write2 = tool('w2', 'write_file', { path: '/b.md', content: 'b' });
const ask = tool('q', 'clarify_user', { question: 'Which?' });
const wants = (...calls: (typeof read)[]): Fact[][] => [begun, [called(1)], [answered(1, { text: 'Well.', calls })]];

describe('[3] the next move of a run', () => {
  const cases: [string, Fact[][], unknown][] = [
    ['an empty log: the first model call', [], call(1)],
    ['begun: the first model call', [begun], call(1)],
    ['an answer without calls: the end', [begun, [called(1)], [answered(1, { text: 'Hi.' })]], end('completed', 'Hi.')],
    ['ended: nothing, ever', [begun, [ended]], { do: 'nothing' }],
    ['ended, though somebody cancelled: nothing', [begun, [cancelled], [ended]], { do: 'nothing' }],
    [
      'an answer cut short: failed, with what was said',
      [begun, [called(1)], [answered(1, { text: 'Half', cut: true })]],
      end('failed', 'Half', 'answer_cut'),
    ],
    [
      'a cut answer that still has whole calls: its calls',
      [begun, [called(1)], [answered(1, { calls: [read], cut: true })]],
      { do: 'tools', turn: 1, calls: ['r'] },
    ],
    ['all results there: the next model call', [...wants(read), [finished(1, 'r')]], call(2)],
    [
      'a message after the final answer: another turn',
      [begun, [called(1)], [message('and b?'), answered(1, { text: 'a' })]],
      call(2),
    ],
    [
      'a message that was read already: the end',
      [begun, [message('be brief')], [called(1)], [answered(1, { text: 'a' })]],
      end('completed', 'a'),
    ],
    [
      'a message during a try that failed was read by the next one: the end',
      [
        begun,
        [called(1)],
        [message('be brief')],
        [failed(1)],
        [called(1, 2)],
        [answered(1, { text: 'a', attempt: 2 })],
      ],
      end('completed', 'a'),
    ],
  ];
  it.each(cases)('%s', (_what, log, expected) => expect(next(log)).toEqual(expected));
});

describe('[4] after a failed try', () => {
  const at = BEGIN + 3_000;
  const once = (more = {}): Fact[][] => [begun, [called(1)], [failed(1, 1, more)]];
  const times = (count: number): Fact[][] => [
    begun,
    ...Array.from({ length: count }, (_, n) => [called(1, n + 1), failed(1, n + 1)]),
  ];
  const cases: [string, Fact[][], number, unknown][] = [
    ['it waits for the rest of the back-off', once(), at, { do: 'retry', after_ms: 250 }],
    ['whoever comes later waits less', once(), at + 100, { do: 'retry', after_ms: 150 }],
    ['the last millisecond is waited for too', once(), at + 249, { do: 'retry', after_ms: 1 }],
    ['then it tries again', once(), at + 250, call(1, 2)],
    ['Retry-After is honoured', once({ retry_after_ms: 7_000 }), at, { do: 'retry', after_ms: 7_000 }],
    ['a short Retry-After is no reason to hurry', once({ retry_after_ms: 1 }), at, { do: 'retry', after_ms: 250 }],
    [
      'what will not pass fails at once',
      once({ code: 'bad_model_key', retryable: false }),
      at,
      end('failed', null, 'bad_model_key'),
    ],
    ['seven times is not too often', times(7), BEGIN + 3_600_000, call(1, 8)],
    ['eight times is', times(8), BEGIN + 3_600_000, end('failed', null, 'provider_unavailable')],
    ['a try lost since then is made up for at once', [...once(), [called(1, 2)]], at, call(1, 3)],
  ];
  it.each(cases)('%s', (_what, log, now, expected) => expect(next(log, now)).toEqual(expected));

  it('the back-off doubles from 250 ms to 30 s', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 20].map(backoffMs)).toEqual([
      250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
  });

  it('what was said in earlier turns is the partial result', () => {
    const log = [...wants(read), [finished(1, 'r')], [called(2)], [failed(2, 1, { retryable: false })]];
    expect(next(log)).toMatchObject({ do: 'end', status: 'failed', output: 'Well.' });
  });
});

describe('a step that takes its worker down', () => {
  const lost = (times: number): Fact[][] => Array.from({ length: times }, (_, n) => [called(1, n + 1)]);
  const poison = end('failed', null, 'poison_step');
  const cases: [string, Fact[][], unknown][] = [
    ['a call lost once is made again', [begun, ...lost(1)], call(1, 2)],
    ['lost twice is made again', [begun, ...lost(2)], call(1, 3)],
    ['lost three times is poison', [begun, ...lost(3)], poison],
    [
      'a failure between does not make it whole',
      [begun, ...lost(1), [called(1, 2)], [failed(1, 2)], [called(1, 3)], [called(1, 4)]],
      poison,
    ],
    [
      'failures are not losses',
      [begun, ...[1, 2, 3].map((n) => [called(1, n), failed(1, n)]), [called(1, 4)]],
      call(1, 5),
    ],
    [
      'a tool begun twice is looked at again',
      [...wants(write), [pending(1, 'w')], [decided(1, 'w')], [toolBegun(1, 'w')], [toolBegun(1, 'w')]],
      { do: 'tools', turn: 1, calls: ['w'] },
    ],
    [
      'a tool begun three times is poison',
      [...wants(write), [pending(1, 'w')], [decided(1, 'w')], ...[1, 2, 3].map(() => [toolBegun(1, 'w')])],
      end('failed', 'Well.', 'poison_step'),
    ],
  ];
  it.each(cases)('%s', (_what, log, expected) => expect(next(log)).toEqual(expected));
});

describe('a cancel wins over', () => {
  it.each<[string, Fact[][], unknown]>([
    ['the first call', [begun], null],
    ['a call under way', [begun, [called(1)]], null],
    ['a wait for another try', [begun, [called(1)], [failed(1)]], null],
    ['tools to run', wants(read), 'Well.'],
    ['a person who is awaited', [...wants(write), [pending(1, 'w')]], 'Well.'],
    ['an allowed action', [...wants(write), [pending(1, 'w')], [decided(1, 'w')]], 'Well.'],
    ['a final answer', [begun, [called(1)], [answered(1, { text: 'Hi.' })]], 'Hi.'],
  ])('%s', (_what, log, output) => expect(next([...log, [cancelled]])).toEqual(end('cancelled', output)));
});

describe('tool calls', () => {
  const cases: [string, Fact[][], unknown][] = [
    ['reads run together', wants(read, { ...read, tool_call_id: 'r2' }), { do: 'tools', turn: 1, calls: ['r', 'r2'] }],
    [
      'one that does not exist is answered, not asked about',
      wants(tool('x', 'launch_rocket')),
      { do: 'tools', turn: 1, calls: ['x'] },
    ],
    [
      'one with malformed arguments is answered, not asked about',
      wants({ ...write, malformed: '{"pa' }),
      { do: 'tools', turn: 1, calls: ['w'] },
    ],
    ['a change is put before a person', wants(write), { do: 'ask', turn: 1, calls: ['w'] }],
    ['a question is put before a person', wants(ask), { do: 'ask', turn: 1, calls: ['q'] }],
    ['what needs nobody runs first', wants(write, read, ask), { do: 'tools', turn: 1, calls: ['r'] }],
    [
      'then everything that needs a person is asked at once',
      [...wants(write, read, ask), [finished(1, 'r')]],
      { do: 'ask', turn: 1, calls: ['w', 'q'] },
    ],
    [
      'then it waits for all of them',
      [...wants(write, ask), [pending(1, 'w'), asked(1, 'q')]],
      { do: 'wait', ids: ['act_1_w', 'q_1_q'], children: [] },
    ],
    [
      'one decision lets one call run',
      [...wants(write, write2), [pending(1, 'w'), pending(1, 'w2')], [decided(1, 'w2')]],
      { do: 'tools', turn: 1, calls: ['w2'] },
    ],
    [
      'and the other is waited for',
      [...wants(write, write2), [pending(1, 'w'), pending(1, 'w2')], [decided(1, 'w2')], [finished(1, 'w2')]],
      { do: 'wait', ids: ['act_1_w'], children: [] },
    ],
    [
      'a denied call is answered like any other',
      [...wants(write), [pending(1, 'w')], [decided(1, 'w', false)]],
      { do: 'tools', turn: 1, calls: ['w'] },
    ],
    [
      'an answered question is a result',
      [...wants(ask), [asked(1, 'q')], [replied(1, 'q')]],
      { do: 'tools', turn: 1, calls: ['q'] },
    ],
    [
      'an empty answer is an answer',
      [...wants(ask), [asked(1, 'q')], [replied(1, 'q', '')]],
      expect.objectContaining({ do: 'tools' }),
    ],
    [
      'an answer that came before its question was told is kept',
      [...wants(ask), [asked(1, 'q'), replied(1, 'q')]],
      expect.objectContaining({ do: 'tools' }),
    ],
  ];
  it.each(cases)('%s', (_what, log, expected) => expect(next(log)).toEqual(expected));
});

describe('[3] the budget', () => {
  const usage = (tokens: number) => ({ input: tokens - 1, output: 1, cached: 0 });
  /** So many turns that each call a tool. */
  const busy = (turns: number, tokens = 20): Fact[][] =>
    Array.from({ length: turns }, (_, n) => [
      called(n + 1),
      answered(n + 1, { text: `Turn ${n + 1}`, calls: [{ ...read }], usage: usage(tokens) }),
      finished(n + 1, 'r'),
    ]);
  const budget = budgetOf({ max_iterations: 10, max_tokens: 1_000 });
  const warned = (turn: number, limit: 'iterations' | 'tokens'): Fact => ({
    kind: 'budget_warned',
    turn,
    limit,
    message: 'Finish now.',
  });
  const warning = (turn: number, limit: string) => ({
    ...call(turn),
    preface: [expect.objectContaining({ kind: 'budget_warned', turn, limit })],
  });
  const cases: [string, Fact[][], unknown][] = [
    ['below 80 % nothing is said', [begun, ...busy(7)], call(8)],
    ['at 80 % of the iterations the next call carries a warning', [begun, ...busy(8)], warning(9, 'iterations')],
    ['at 80 % of the tokens too', [begun, ...busy(4, 200)], warning(5, 'tokens')],
    ['just below 80 % of the tokens not', [begun, ...busy(4, 199)], call(5)],
    ['at 100 % of the tokens it is over', [begun, ...busy(5, 200)], end('budget_exceeded', 'Turn 5')],
    ['at 100 % of the iterations it is over', [begun, ...busy(10)], end('budget_exceeded', 'Turn 10')],
    [
      'the call after the warning was the last: tools called in it are the end',
      [begun, ...busy(8), [warned(9, 'iterations'), ...(busy(9).at(-1) ?? [])]],
      end('budget_exceeded', 'Turn 9'),
    ],
    [
      'a warned call that was lost is made again, without another warning',
      [begun, ...busy(8), [warned(9, 'iterations'), called(9)]],
      call(9, 2),
    ],
    [
      'a final answer at 100 % completes',
      [begun, ...busy(9), [called(10), answered(10, { text: 'Done.' })]],
      end('completed', 'Done.'),
    ],
    [
      'a message after the last answer does not buy another',
      [begun, ...busy(9), [called(10), message('more'), answered(10, { text: 'Done.' })]],
      end('budget_exceeded', 'Done.'),
    ],
    [
      'tools of the last allowed answer still run',
      [begun, ...busy(9), [called(10), answered(10, { calls: [read] })]],
      { do: 'tools', turn: 10, calls: ['r'] },
    ],
  ];
  it.each(cases)('%s', (_what, log, expected) => expect(next(log, BEGIN, { budget })).toEqual(expected));
});
