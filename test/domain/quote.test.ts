import { describe, expect, it } from 'vitest';
import { conformal, type Limits, type PastRun, type Price, quoteFor, worstCase } from '../../domain/quote.ts';

/** The same numbers every time: a share of all calibrations lies outside by chance, and a test must not be one of them. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const gauss = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** What runs cost, in several worlds. */
const WORLDS: [string, (random: () => number) => number][] = [
  ['all about the same', (random) => 0.05 + 0.001 * gauss(random)],
  ['uniform', (random) => random()],
  ['exponential', (random) => -Math.log(1 - random())],
  ['log-normal', (random) => Math.exp(1.5 * gauss(random))],
  ['heavy-tailed', (random) => (1 - random()) ** (-1 / 1.1)],
  ['two kinds of runs', (random) => (random() < 0.8 ? 0.01 + 0.002 * random() : 1 + random())],
];

const CALIBRATIONS = 60;
const FRESH = 2_000;

function coverages(n: number, draw: (random: () => number) => number): number[] {
  return Array.from({ length: CALIBRATIONS }, (_, round) => {
    const random = seeded(1 + round * 7919 + n);
    const p90 = conformal(
      Array.from({ length: n }, () => draw(random)),
      0.9,
    );
    const fresh = Array.from({ length: FRESH }, () => draw(random));
    return fresh.filter((cost) => p90 !== null && cost <= p90).length / FRESH;
  });
}

describe('[15.12] the p90 of past runs', () => {
  it.each(WORLDS)('covers 85 to 95 %% of runs it was not fitted on, in a world that is %s', (_world, draw) => {
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const isWithin = (share: number) => share >= 0.85 && share <= 0.95;
    for (const [n, least] of [
      [200, 0.95],
      [500, 1],
      [2_000, 1],
    ] as const) {
      const found = coverages(n, draw);
      expect(mean(found), `on average, n=${n}`).toBeGreaterThan(0.89);
      expect(mean(found), `on average, n=${n}`).toBeLessThan(0.915);
      expect(found.filter(isWithin).length / found.length, `n=${n}`).toBeGreaterThanOrEqual(least);
    }
  });

  it('is the ceil((n+1)·0.9)-th smallest', () => {
    const past = Array.from({ length: 20 }, (_, n) => 20 - n);
    expect(conformal(past, 0.9)).toBe(19);
    expect(conformal(past, 0.5)).toBe(11);
    expect(conformal([1, 2, 3], 0.9)).toBeNull();
  });
});

const limits: Limits = { max_iterations: 50, max_tokens: 100_000, max_usd: null };
const price: Price = (input, output) => (input * 2 + output * 8) / 1_000_000;
const runs = (n: number, usd: number | null): PastRun[] => Array.from({ length: n }, () => ({ tokens: 1_000, usd }));
const quote = (more: Partial<Parameters<typeof quoteFor>[0]>) =>
  quoteFor({ ofAgent: [], ofModel: [], limits, prices: [price], prompt_chars: 400, ...more });

describe('a quote', () => {
  it.each([
    ['the agent', runs(20, 0.1), runs(100, 0.5), { basis: 'agent', n: 20, p90_usd: 0.1 }],
    ['the model, where the agent has too few', runs(19, 0.1), runs(20, 0.5), { basis: 'model', n: 20, p90_usd: 0.5 }],
    ['a guess, where both have', runs(19, 0.1), runs(19, 0.5), { basis: 'estimate', n: 0 }],
  ])('rests on %s', (_what, ofAgent, ofModel, expected) => {
    expect(quote({ ofAgent, ofModel })).toMatchObject(expected);
  });

  it('says nothing of a cost that nobody knows', () => {
    const nobody: Price = () => null;
    const told = quote({ ofAgent: [...runs(30, 0.1), ...runs(1, null)], prices: [nobody] });
    expect(told).toMatchObject({ p50_usd: null, p90_usd: null, worst_case_usd: null, tokens: { p50: 1_000 } });
    expect(quote({ prices: [nobody] })).toMatchObject({ p90_usd: null, basis: 'estimate' });
  });

  it('never goes beyond the limits of the run', () => {
    const tight = quote({ ofAgent: runs(30, 0.7), limits: { ...limits, max_tokens: 500, max_usd: 0.01 } });
    expect(tight).toMatchObject({ p90_usd: 0.004, worst_case_usd: 0.004, tokens: { p50: 500, p90: 500 } });
    const guessed = quote({ limits: { ...limits, max_tokens: 100 }, prompt_chars: 1_000_000 });
    expect(guessed.tokens.p90).toBeLessThanOrEqual(100);
    expect(guessed.p90_usd).toBeLessThanOrEqual(guessed.worst_case_usd ?? 0);
  });

  it('guesses more where there is more to read, and more for the many calls than for the usual', () => {
    const [small, large] = [quote({}), quote({ prompt_chars: 40_000 })];
    expect(large.p50_usd).toBeGreaterThan(small.p50_usd ?? 0);
    expect(small.p90_usd).toBeGreaterThan(small.p50_usd ?? 0);
  });

  it.each<[string, Price[], number | null, number | null]>([
    ['the dearest of all tokens', [price], null, 0.8],
    ['the dearest of all models', [price, (i, o) => 10 * (i + o)], null, 1_000_000],
    ['the limit on cost, where it is lower', [price], 0.3, 0.3],
    ['the limit on cost, where a price is missing', [price, () => null], 5, 5],
    ['not known, where a price is missing', [price, () => null], null, null],
  ])('has as its worst case %s', (_what, prices, max_usd, expected) => {
    expect(worstCase({ ...limits, max_usd }, prices)).toBe(expected);
  });
});
