import { describe, expect, it } from 'vitest';
import type { Fact } from '../../domain/facts.ts';
import { outputCheck } from '../../domain/output-schema.ts';
import { type Move, nextMove, type Rules } from '../../domain/turn.ts';
import {
  answered,
  asked,
  BEGIN,
  begun,
  budgetOf,
  called,
  cancelled,
  decided,
  delegated,
  failed,
  finished,
  message,
  paused,
  pending,
  replied,
  returned,
  rules,
  stateOf,
  tool,
  unpaused,
} from './told.ts';

const brief = (move: Move) =>
  'calls' in move ? { ...move, calls: move.calls.map(({ call }) => call.tool_call_id) } : move;
const next = (log: Fact[][], more: Partial<Rules> = {}, now = BEGIN + 3_600_000) =>
  brief(nextMove(stateOf(...log), rules(more), now));
const call = (turn: number, attempt = 1, more = {}) => ({ do: 'call', turn, try: attempt, preface: [], ...more });
const ends = (status: string, code?: string) =>
  expect.objectContaining({
    do: 'end',
    status,
    error: code === undefined ? null : expect.objectContaining({ code }),
  });

const scout = tool('d', 'delegate_to_scout', { task: 'Look.' });
const scout2 = tool('e', 'delegate_to_scout', { task: 'Look there.' });
const write = tool('w', 'write_file');
const ask = tool('q', 'clarify_user');
const read = tool('r', 'read_file');
const wants = (...calls: (typeof read)[]): Fact[][] => [begun, [called(1)], [answered(1, { text: 'Well.', calls })]];

describe('[3] work for another agent', () => {
  it.each<[string, Fact[][], unknown]>([
    ['is handed on all at once', wants(scout, scout2), { do: 'delegate', turn: 1, calls: ['d', 'e'] }],
    ['comes after what runs at once', wants(scout, read), { do: 'tools', turn: 1, calls: ['r'] }],
    ['comes before what people are asked', wants(write, scout, ask), { do: 'delegate', turn: 1, calls: ['d'] }],
    [
      'is under way while people are asked',
      [...wants(write, scout, ask), [delegated(1, 'd')]],
      { do: 'ask', turn: 1, calls: ['w', 'q'] },
    ],
    [
      'is waited for together with them',
      [...wants(write, scout, ask), [delegated(1, 'd')], [pending(1, 'w'), asked(1, 'q')]],
      { do: 'wait', ids: ['act_1_w', 'q_1_q'], children: ['run_1_d'] },
    ],
    [
      'does not hold up what was allowed meanwhile',
      [...wants(write, scout), [delegated(1, 'd')], [pending(1, 'w')], [decided(1, 'w')]],
      { do: 'tools', turn: 1, calls: ['w'] },
    ],
    [
      'is waited for until all of it is there',
      [...wants(scout, scout2), [delegated(1, 'd'), delegated(1, 'e')], [returned(1, 'd')]],
      { do: 'wait', ids: [], children: ['run_1_e'] },
    ],
    [
      'is a result like any other',
      [...wants(scout, scout2), [delegated(1, 'd'), delegated(1, 'e')], [returned(1, 'd'), returned(1, 'e')]],
      call(2),
    ],
    [
      'with malformed arguments is answered, not handed on',
      wants({ ...scout, malformed: '{"ta' }),
      { do: 'tools', turn: 1, calls: ['d'] },
    ],
  ])('%s', (_what, log, expected) => expect(next(log)).toEqual(expected));

  it('is put before a person first where the policy says so, and answered where it was denied', () => {
    const confirmation = { policy: { delegate_to_scout: 'always' as const }, notebook_kind: 'folder' as const };
    const asks = [...wants(scout), [pending(1, 'd', 'delegate_to_scout')]];
    expect(next(wants(scout), { confirmation })).toEqual({ do: 'ask', turn: 1, calls: ['d'] });
    expect(next(asks, { confirmation })).toEqual({ do: 'wait', ids: ['act_1_d'], children: [] });
    expect(next([...asks, [decided(1, 'd')]], { confirmation })).toEqual({ do: 'delegate', turn: 1, calls: ['d'] });
    expect(next([...asks, [decided(1, 'd', false)]], { confirmation })).toEqual({ do: 'tools', turn: 1, calls: ['d'] });
  });
});

describe('[3] a cancel', () => {
  const below = [...wants(scout, scout2), [delegated(1, 'd'), delegated(1, 'e')]];
  it.each<[string, Fact[][], unknown]>([
    ['stops all that is below first', below, { do: 'stop_children', children: ['run_1_d', 'run_1_e'] }],
    ['and what is left of it', [...below, [returned(1, 'd')]], { do: 'stop_children', children: ['run_1_e'] }],
    ['then ends the run', [...below, [returned(1, 'd'), returned(1, 'e')]], ends('cancelled')],
    ['ends a paused run', [...wants(read), [paused]], ends('cancelled')],
    [
      'stops what is below a paused run',
      [...below, [paused]],
      { do: 'stop_children', children: ['run_1_d', 'run_1_e'] },
    ],
  ])('%s', (_what, log, expected) => expect(next([...log, [cancelled]])).toEqual(expected));
});

describe('[3] a paused run waits, whatever is due', () => {
  it.each<[string, Fact[][], string[]]>([
    ['its first call', [begun], []],
    ['another try', [begun, [called(1)], [failed(1)]], []],
    ['tools', wants(read), []],
    ['a decided action', [...wants(write), [pending(1, 'w')], [decided(1, 'w')]], []],
    ['its end', [begun, [called(1), answered(1, { text: 'Hi.' })]], []],
    ['a denied call', [begun, [{ kind: 'budget_denied', turn: 1, limit: 'tokens' }]], []],
    ['those below it', [...wants(scout), [delegated(1, 'd')]], ['run_1_d']],
  ])('%s', (_what, log, children) => {
    expect(next([...log, [paused]])).toEqual({ do: 'wait', ids: [], children });
    expect(next([...log, [paused], [unpaused]])).toEqual(next(log));
  });
});

describe('[3] a call that the budget has no room for', () => {
  const denied: Fact = { kind: 'budget_denied', turn: 2, limit: 'cost' };
  it('ends the run with what it has said so far', () => {
    const log = [...wants(read), [finished(1, 'r')], [denied]];
    expect(next(log)).toEqual({ do: 'end', status: 'budget_exceeded', output: 'Well.', error: null });
  });
});

describe('[4] a model that fails is followed by another at once', () => {
  const at = BEGIN + 3_000;
  const failure = (more = {}): Fact[][] => [begun, [called(1)], [failed(1, 1, more)]];
  const switches = () => true;
  it.each<[string, Fact[][], unknown]>([
    ['without a wait', failure({ retry_after_ms: 60_000 }), call(1, 2)],
    ['also where it would fail for good', failure({ code: 'bad_model_request', retryable: false }), call(1, 2)],
    [
      'also where the conversation is too long for it',
      failure({ code: 'context_overflow', retryable: false }),
      call(1, 2),
    ],
  ])('%s', (_what, log, expected) => expect(next(log, { switches }, at)).toEqual(expected));

  it('and only then: a try that was lost is made again by the rules of lost tries', () => {
    const lost = [begun, [called(1)], [failed(1)], [called(1, 2)], [called(1, 3)], [called(1, 4)]];
    expect(next(lost, { switches }, at)).toEqual(ends('failed', 'poison_step'));
  });
});

describe('[3] a conversation that the model finds too long', () => {
  const turns: Fact[][] = Array.from({ length: 6 }, (_, n) => [
    called(n + 1),
    answered(n + 1, { text: `turn ${n + 1}`, calls: [{ ...read }] }),
    finished(n + 1, 'r'),
  ]);
  const tooLong = (turn: number, attempt = 1): Fact =>
    failed(turn, attempt, { code: 'context_overflow', retryable: false });
  const compact = { purpose: 'compact' as const };
  const summary = (attempt: number) => [called(7, attempt, compact), answered(7, { attempt, upto: 4, text: 'so far' })];

  it.each<[string, Fact[][], unknown]>([
    ['is summed up', [[called(7), tooLong(7)]], call(7, 2, compact)],
    [
      'is summed up, also after another failure',
      [
        [called(7), failed(7)],
        [called(7, 2), tooLong(7, 2)],
      ],
      call(7, 3, compact),
    ],
    ['goes on after its summary', [[called(7), tooLong(7)], summary(2)], call(8)],
    [
      'is not summed up twice',
      [
        [called(7), tooLong(7)],
        [called(7, 2, compact), tooLong(7, 2)],
      ],
      ends('failed', 'context_overflow'),
    ],
    [
      'fails where even its summary does not help',
      [[called(7), tooLong(7)], summary(2), [called(8), tooLong(8)]],
      ends('failed', 'context_overflow'),
    ],
    ['is summed up again where that was lost', [[called(7), tooLong(7)], [called(7, 2, compact)]], call(7, 3, compact)],
    [
      'is summed up again where that failed',
      [
        [called(7), tooLong(7)],
        [called(7, 2, compact), failed(7, 2)],
      ],
      call(7, 3, compact),
    ],
  ])('%s', (_what, log, expected) => expect(next([begun, ...turns, ...log])).toEqual(expected));

  it('fails at once where there is too little to sum up', () => {
    expect(next([begun, ...turns.slice(0, 3), [called(4), tooLong(4)]])).toEqual(ends('failed', 'context_overflow'));
  });

  it('is summed up before it comes to that, at the limit', () => {
    expect(next([begun, ...turns], { compact_at: 15 })).toEqual(call(7, 1, compact));
    expect(next([begun, ...turns], { compact_at: 1_000 })).toEqual(call(7));
    expect(next([begun, ...turns, summary(1)], { compact_at: 15 })).toEqual(call(8));
  });

  it('is summed up for as long as that takes: a summary that was lost or failed is asked for again', () => {
    const begunSummary = [begun, ...turns, [called(7, 1, compact)]];
    expect(next(begunSummary, { compact_at: 15 })).toEqual(call(7, 2, compact));
    expect(next([...begunSummary, [failed(7)]], { compact_at: 15 })).toEqual(call(7, 2, compact));
  });

  it('is not summed up by a run that is about to end', () => {
    const budget = budgetOf({ max_iterations: 7 });
    expect(next([begun, ...turns], { compact_at: 15, budget })).toMatchObject({
      do: 'call',
      turn: 7,
      preface: [{ kind: 'budget_warned', limit: 'iterations' }],
    });
    expect(next([begun, ...turns], { compact_at: 15, budget })).not.toHaveProperty('purpose');
  });

  it('a summary that was cut is a summary: only a final answer must be whole', () => {
    const cut = [called(7, 1, compact), answered(7, { upto: 4, text: 'so f', cut: true })];
    expect(next([begun, ...turns, cut])).toEqual(call(8));
  });
});

describe('[3] an output schema', () => {
  const output = { check: outputCheck({ n: { type: 'integer' } }), max_retries: 2 };
  const says = (turn: number, text: string): Fact[] => [called(turn), answered(turn, { text })];
  const rejected = (turn: number): Fact => ({ kind: 'output_rejected', turn, errors: ['no'], message: 'Again.' });
  const again = (turn: number) => ({
    do: 'call',
    turn,
    try: 1,
    preface: [
      {
        kind: 'output_rejected',
        turn,
        errors: [expect.stringContaining('not JSON')],
        message: expect.stringContaining('not JSON'),
      },
    ],
  });

  it.each<[string, Fact[][], unknown]>([
    [
      'an answer that fits completes, as a value',
      [says(1, '{"n":1}')],
      { do: 'end', status: 'completed', output: { n: 1 }, error: null },
    ],
    ['one that does not goes back with the errors', [says(1, 'one')], again(2)],
    ['and again', [says(1, 'one'), [rejected(2), ...says(2, 'two')]], again(3)],
    ['one that fits then completes', [says(1, 'one'), [rejected(2), ...says(2, '{"n":2}')]], ends('completed')],
    [
      'after the last retry the run fails, with the last answer as its output',
      [says(1, 'one'), [rejected(2), ...says(2, 'two')], [rejected(3), ...says(3, 'three')]],
      {
        do: 'end',
        status: 'failed',
        output: 'three',
        error: expect.objectContaining({ code: 'invalid_output', retryable: true }),
      },
    ],
    ['an answer with calls is not an output', wants(read).slice(1), { do: 'tools', turn: 1, calls: ['r'] }],
    [
      'a message that came meanwhile is answered first',
      [[called(1), message('and?'), answered(1, { text: 'one' })]],
      call(2),
    ],
  ])('%s', (_what, log, expected) => expect(next([begun, ...log], { output })).toEqual(expected));

  it('allows no retry where none is wanted', () => {
    expect(next([begun, says(1, 'one')], { output: { ...output, max_retries: 0 } })).toEqual(
      ends('failed', 'invalid_output'),
    );
  });

  it('does not buy what the budget does not hold', () => {
    const budget = budgetOf({ max_iterations: 1 });
    expect(next([begun, says(1, 'one')], { output, budget })).toEqual(ends('budget_exceeded'));
  });

  it('near the limit the errors and the warning go together', () => {
    const budget = budgetOf({ max_tokens: 25 });
    expect(next([begun, says(1, 'one')], { output, budget })).toMatchObject({
      preface: [{ kind: 'output_rejected' }, { kind: 'budget_warned', limit: 'tokens' }],
    });
  });
});

it('a question below does not end a wait above: who asked is answered there', () => {
  const log = [...wants(scout, ask), [delegated(1, 'd')], [asked(1, 'q')], [replied(1, 'q')], [finished(1, 'q')]];
  expect(next(log)).toEqual({ do: 'wait', ids: [], children: ['run_1_d'] });
});
