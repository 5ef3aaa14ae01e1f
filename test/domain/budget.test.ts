import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Budget,
  budgetVerdict,
  type CallSize,
  limitsSet,
  narrower,
  planCall,
  restOf,
} from '../../domain/budget.ts';
import type { Fact, Limit } from '../../domain/facts.ts';
import { inheritedFrom } from '../../domain/inheritance.ts';
import type { RunState } from '../../domain/run-state.ts';
import { spentInTree, unconfirmedBefore } from '../../domain/spending.ts';
import { anyDice, play } from './played-run.ts';
import { answered, BEGIN, begun, budgetOf, called, delegated, failed, returned, stateOf, tool } from './told.ts';

const read = tool('r', 'read_file');
/** One answered turn that used so much. */
const used = (tokens: number, cost_micros = 0): Fact[][] => [
  begun,
  [called(1), answered(1, { calls: [read], usage: { input: tokens - 1, output: 1, cached: 0 }, cost_micros })],
];
const turns = (count: number): Fact[][] => [
  begun,
  ...Array.from({ length: count }, (_, n) => [called(n + 1), answered(n + 1, { calls: [read] })]),
];
const warned = (turn: number): Fact => ({ kind: 'budget_warned', turn, limit: 'tokens', message: 'Finish now.' });

describe('[3] of each limit', () => {
  const cases: [Limit, Partial<Budget>, (part: number) => [RunState, number]][] = [
    ['iterations', { max_iterations: 10 }, (part) => [stateOf(...turns(part / 10)), BEGIN]],
    ['tokens', { max_tokens: 1_000 }, (part) => [stateOf(...used(part * 10)), BEGIN]],
    ['cost', { max_micros: 2_000 }, (part) => [stateOf(...used(5, part * 20)), BEGIN]],
    ['duration', { max_active_ms: 5_000 }, (part) => [stateOf(begun), BEGIN + 1_000 + part * 50]],
  ];
  it.each(cases)('%s: within below 80 %%, a warning from there on, over at 100 %%', (limit, of, at) => {
    const verdict = (part: number) => budgetVerdict(at(part)[0], budgetOf(of), at(part)[1]);
    expect(verdict(70)).toEqual({ is: 'within' });
    expect(verdict(80)).toEqual({ is: 'warn', limit });
    expect(verdict(90)).toEqual({ is: 'warn', limit });
    expect(verdict(100)).toEqual({ is: 'exceeded', limit });
    expect(verdict(110)).toEqual({ is: 'exceeded', limit });
  });

  it('none that is not set is ever reached', () => {
    const state = stateOf(...used(500, 10 ** 12));
    expect(budgetVerdict(state, budgetOf(), BEGIN + 10 ** 12)).toEqual({ is: 'within' });
  });
});

describe('[3] after the warning', () => {
  const near = stateOf(...used(850), [warned(2)]);
  const budget = budgetOf({ max_tokens: 1_000 });
  it('one more call is allowed, and not warned of again', () => {
    expect(budgetVerdict(near, budget, BEGIN)).toEqual({ is: 'within' });
  });
  it('it is over when that call was answered', () => {
    const state = stateOf(...used(850), [warned(2)], [called(2), answered(2, { calls: [read] })]);
    expect(budgetVerdict(state, budget, BEGIN)).toEqual({ is: 'exceeded', limit: 'tokens' });
  });
});

describe('[3] against the budget counts', () => {
  const spent = { iterations: 3, tokens: 400, micros: 70 };
  it('what the runs below have used', () => {
    const calls = [tool('d', 'delegate_to_scout')];
    const state = stateOf(begun, [called(1), answered(1, { calls }), delegated(1, 'd')], [returned(1, 'd', spent)]);
    expect(budgetVerdict(state, budgetOf({ max_tokens: 420 }), BEGIN)).toEqual({ is: 'exceeded', limit: 'tokens' });
    expect(budgetVerdict(state, budgetOf({ max_iterations: 5 }), BEGIN)).toEqual({ is: 'warn', limit: 'iterations' });
    expect(budgetVerdict(state, budgetOf({ max_micros: 70 }), BEGIN)).toEqual({ is: 'exceeded', limit: 'cost' });
  });

  it('what was taken over from another run, through any number of them', () => {
    const first = stateOf(...used(100, 10));
    const second = stateOf([inheritedFrom('run_1', 'resume', 1, first)], begun, [called(2), answered(2)]);
    const third = stateOf([inheritedFrom('run_2', 'resume', 1, second)], begun);
    expect(restOf(third, budgetOf({ max_iterations: 10, max_tokens: 1_000, max_micros: 100 }))).toEqual({
      max_iterations: 8,
      max_tokens: 880,
      max_micros: 90,
      max_active_ms: null,
    });
    expect(budgetVerdict(third, budgetOf({ max_iterations: 2 }), BEGIN)).toEqual({
      is: 'exceeded',
      limit: 'iterations',
    });
  });
});

describe('[15.1] the worst case of a call', () => {
  const size = (more: Partial<CallSize> = {}): CallSize => ({ input: 100, max_output: 500, price: () => 0, ...more });
  const perToken = (input: number, output: number) => input + 4 * output;
  const plan = (budget: Partial<Budget>, of: Partial<CallSize> = {}, state = stateOf(begun)) =>
    planCall(state, budgetOf(budget), size(of));

  it.each<[string, Partial<Budget>, Partial<CallSize>, unknown]>([
    ['is all that the agent allows', {}, {}, { max_tokens: 500, reserve: { tokens: 600, micros: 0 } }],
    ['is cut to the tokens left', { max_tokens: 400 }, {}, { max_tokens: 300, reserve: { tokens: 400, micros: 0 } }],
    [
      'may be just enough to say something',
      { max_tokens: 164 },
      {},
      { max_tokens: 64, reserve: { tokens: 164, micros: 0 } },
    ],
    ['is denied where tokens are too few for that', { max_tokens: 163 }, {}, { denied: 'tokens' }],
    ['is denied where the request alone is too long', { max_tokens: 50 }, {}, { denied: 'tokens' }],
    [
      'may be less for an agent that says little',
      { max_tokens: 105 },
      { max_output: 5 },
      { max_tokens: 5, reserve: { tokens: 105, micros: 0 } },
    ],
    [
      'is priced',
      { max_micros: 5_000 },
      { price: perToken },
      { max_tokens: 500, reserve: { tokens: 600, micros: 2_100 } },
    ],
    [
      'is cut to the money left',
      { max_micros: 1_500 },
      { price: perToken },
      { max_tokens: 250, reserve: { tokens: 350, micros: 1_100 } },
    ],
    ['is denied where money is too little', { max_micros: 355 }, { price: perToken }, { denied: 'cost' }],
    [
      'costs what it costs where money is no limit',
      {},
      { price: perToken },
      { max_tokens: 500, reserve: { tokens: 600, micros: 2_100 } },
    ],
  ])('%s', (_what, budget, of, planned) => expect(plan(budget, of)).toEqual(planned));

  it.each<[string, Fact[]]>([
    ['a try that was lost', [called(1, 1, { reserved: { tokens: 600, micros: 60 } })]],
    [
      'a try that broke off',
      [called(1, 1, { reserved: { tokens: 600, micros: 60 } }), failed(1, 1, { code: 'stream_cut' })],
    ],
  ])('leaves room for %s, which may have been billed', (_what, log) => {
    const state = stateOf(begun, log);
    expect(plan({ max_tokens: 1_000 }, {}, state)).toMatchObject({ max_tokens: 300 });
    expect(plan({ max_tokens: 700 }, {}, state)).toEqual({ denied: 'tokens' });
    expect(plan({ max_micros: 100 }, { price: () => 41 }, state)).toEqual({ denied: 'cost' });
  });

  it('takes no account of a try that the provider refused', () => {
    const state = stateOf(begun, [called(1, 1, { reserved: { tokens: 600, micros: 0 } }), failed(1)]);
    expect(plan({ max_tokens: 600 }, {}, state)).toMatchObject({ max_tokens: 500 });
  });

  const anySize = fc.record({ input: fc.nat(2_000), max_output: fc.integer({ min: 1, max: 5_000 }), rate: fc.nat(40) });
  const anyLimit = fc.record({ tokens: fc.integer({ min: 1, max: 3_000 }), micros: fc.option(fc.nat(50_000)) });
  it('is never more than what is left, in any run; what is denied really does not fit', () => {
    fc.assert(
      fc.property(
        anyDice,
        fc.nat(),
        anySize,
        anyLimit,
        (dice, cutAt, { input, max_output, rate }, { tokens, micros }) => {
          const { log } = play(dice);
          const state = stateOf(...log.slice(0, 1 + (cutAt % log.length)));
          const price = (i: number, o: number) => Math.ceil(((i + 4 * o) * rate) / 10);
          const budget = budgetOf({ max_tokens: tokens, max_micros: micros });
          const planned = planCall(state, budget, { input, max_output, price });
          const [spent, lost] = [spentInTree(state), unconfirmedBefore(state)];
          const left = {
            tokens: tokens - spent.tokens - lost.tokens,
            micros: micros === null ? Number.POSITIVE_INFINITY : micros - spent.micros - lost.micros,
          };
          const least = Math.min(64, max_output);
          if ('denied' in planned) {
            const short = planned.denied === 'tokens' ? input + least > left.tokens : price(input, least) > left.micros;
            expect(short).toBe(true);
            return;
          }
          expect(planned.reserve).toEqual({
            tokens: input + planned.max_tokens,
            micros: price(input, planned.max_tokens),
          });
          expect(planned.reserve.tokens).toBeLessThanOrEqual(left.tokens);
          expect(planned.reserve.micros).toBeLessThanOrEqual(left.micros);
          expect(planned.max_tokens).toBeGreaterThanOrEqual(least);
          expect(planned.max_tokens).toBeLessThanOrEqual(max_output);
        },
      ),
    );
  });
});

it('[15.1] what was billed never exceeds the cap, whatever is lost, refused, cut or answered', () => {
  const anyTry = fc.record({
    input: fc.integer({ min: 1, max: 400 }),
    comes: fc.constantFrom('lost', 'refused', 'cut', 'answered'),
    part: fc.integer({ min: 0, max: 100 }),
  });
  fc.assert(
    fc.property(fc.array(anyTry, { maxLength: 40 }), fc.integer({ min: 100, max: 5_000 }), (tries, cap) => {
      const budget = budgetOf({ max_tokens: cap, max_micros: cap * 3 });
      const log: Fact[][] = [begun];
      let [turn, attempt, billed] = [1, 1, 0];
      for (const { input, comes, part } of tries) {
        const size = { input, max_output: 500, price: (i: number, o: number) => i + 4 * o };
        const planned = planCall(stateOf(...log), budget, size);
        if ('denied' in planned) break;
        log.push([called(turn, attempt, { reserved: planned.reserve })]);
        const output = Math.floor((planned.max_tokens * part) / 100);
        if (comes !== 'refused') billed += input + output;
        if (comes === 'refused') log.push([failed(turn, attempt)]);
        if (comes === 'cut') log.push([failed(turn, attempt, { code: 'stream_cut' })]);
        if (comes === 'answered') {
          const usage = { input, output, cached: 0 };
          log.push([answered(turn, { attempt, usage, cost_micros: size.price(input, output) })]);
        }
        [turn, attempt] = comes === 'answered' ? [turn + 1, 1] : [turn, attempt + 1];
      }
      const state = stateOf(...log);
      const [settled, lost] = [spentInTree(state), unconfirmedBefore(state)];
      expect(settled.tokens).toBeLessThanOrEqual(billed);
      expect(billed).toBeLessThanOrEqual(settled.tokens + lost.tokens);
      expect(settled.tokens + lost.tokens).toBeLessThanOrEqual(cap);
      expect(settled.micros + lost.micros).toBeLessThanOrEqual(cap * 3);
    }),
  );
});

describe('[3] what a child may use', () => {
  it('is what is left after all that was used or may have been', () => {
    const lost = called(2, 1, { reserved: { tokens: 300, micros: 30 } });
    const state = stateOf(...used(200, 20), [lost, called(2, 2), answered(2, { attempt: 2, cost_micros: 0 })]);
    expect(
      restOf(state, budgetOf({ max_iterations: 9, max_tokens: 1_000, max_micros: 100, max_active_ms: 7 })),
    ).toEqual({
      max_iterations: 7,
      max_tokens: 480,
      max_micros: 50,
      max_active_ms: 7,
    });
  });

  it('is never less than nothing', () => {
    const rest = restOf(stateOf(...used(200, 20)), budgetOf({ max_iterations: 1, max_tokens: 5, max_micros: 5 }));
    expect(rest).toMatchObject({ max_iterations: 0, max_tokens: 0, max_micros: 0 });
  });

  const anyBudget = fc.record<Budget>({
    max_iterations: fc.nat(),
    max_tokens: fc.nat(),
    max_micros: fc.option(fc.nat()),
    max_active_ms: fc.option(fc.nat()),
  });
  it('is the smaller of its own and the rest, limit by limit, whichever is named first', () => {
    const orAll = (limit: number | null) => limit ?? Number.POSITIVE_INFINITY;
    fc.assert(
      fc.property(anyBudget, anyBudget, (a, b) => {
        const both = narrower(a, b);
        expect(narrower(b, a)).toEqual(both);
        for (const limit of ['max_iterations', 'max_tokens', 'max_micros', 'max_active_ms'] as const) {
          expect(orAll(both[limit])).toBe(Math.min(orAll(a[limit]), orAll(b[limit])));
        }
      }),
    );
  });
});

describe('the limits that somebody has set', () => {
  const all = { budget_max_iterations: 100_000, budget_max_tokens: 1_000_000_000 };
  it.each([
    ['of a workflow without a budget are none', { ...all, definition_id: 'wf' }, { iterations: null, tokens: null }],
    [
      'of a workflow with one are those in it',
      { ...all, definition_id: 'wf', budget_max_tokens: 5_000 },
      { iterations: null, tokens: 5_000 },
    ],
    ['of an agent are there always', { ...all, definition_id: null }, { iterations: 100_000, tokens: 1_000_000_000 }],
  ])('%s', (_what, run, limits) => {
    expect(limitsSet(run)).toEqual(limits);
  });
});
