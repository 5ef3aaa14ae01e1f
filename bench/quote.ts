import type { Quote } from '../domain/quote.ts';
import type { Run } from '../domain/run.ts';
import { type Dice, diceOf } from './chaos/dice.ts';
import { severalAtOnce } from './measure.ts';
import { makeAgent, startStack } from './stack.ts';
import { READ, type Script, startStubModel } from './stub-model.ts';

const FITTED = 300;
const LATER = 400;
const AT_ONCE = 20;
const SEED = 15;
const WAIT_S = 120;
/** One with a price. */
const MODEL = 'gpt-4o';

/** A bell, summed of twelve throws, around 0 with a deviation of 1. */
const bell = (dice: Dice): number => Array.from({ length: 12 }, () => dice(1_000) / 1_000).reduce((a, b) => a + b) - 6;

/** Most jobs are small, some are large, and a few run away: turns and texts alike. */
function jobOf(n: number): { turns: number; words: (turn: number) => number } {
  const dice = diceOf(SEED * 1_000_003 + n);
  const size = bell(dice);
  const turns = Math.min(30, Math.max(0, Math.round(2.5 * Math.exp(0.7 * size))));
  const words = Array.from({ length: turns + 1 }, () => Math.ceil(40 * Math.exp(0.4 * size + 0.6 * bell(dice))));
  return { turns, words: (turn) => Math.min(3_000, words[turn] ?? 1) };
}

const script: Script = (run, turn) => {
  const { turns, words } = jobOf(Number(run.split(' ').at(-1)));
  const content = 'word '.repeat(words(turn));
  return { content, counted: true, ...(turn < turns ? { tool: READ } : {}) };
};

const part = (of: Run[], isWithin: (run: Run) => boolean): number => of.filter(isWithin).length / of.length;

/** A quote that rests on the first runs of an agent, and how many of later ones stay within it. */
export async function quote(say: (line: string) => void, scale: number): Promise<Record<string, number>> {
  const stub = await startStubModel(script);
  const stack = await startStack(stub.url);
  try {
    const about = await makeAgent(stack, MODEL);
    const carry = async (first: number, count: number): Promise<Run[]> => {
      const ended: Run[] = [];
      await severalAtOnce(count, AT_ONCE, async (i) => {
        const run = await stack.call<Run>('POST', '/runs', { ...about, input: `job ${first + i}`, wait: WAIT_S });
        if (run.status !== 'completed') throw new Error(`job ${first + i}: ${run.status} ${JSON.stringify(run.error)}`);
        ended.push(run);
      });
      return ended;
    };
    const fitted = Math.ceil(FITTED * scale);
    await carry(0, fitted);
    say(`${fitted} runs to rest on have ended`);
    const told = await stack.call<Quote>('POST', '/runs/quote', { ...about, input: 'job 0' });
    if (told.basis !== 'agent' || told.n !== fitted) throw new Error(`it rests on ${told.n} runs (${told.basis})`);
    const { p50_usd, p90_usd } = told;
    if (p50_usd === null || p90_usd === null) throw new Error(`${MODEL} has no price`);
    const later = await carry(fitted, Math.ceil(LATER * scale));
    return {
      p90_coverage: part(later, ({ tree }) => tree.cost_usd <= p90_usd),
      p50_coverage: part(later, ({ tree }) => tree.cost_usd <= p50_usd),
      p90_tokens_coverage: part(later, ({ tree }) => tree.tokens <= told.tokens.p90),
      p50_usd,
      p90_usd,
      dearest_usd: Math.max(...later.map(({ tree }) => tree.cost_usd)),
      fitted_on: fitted,
      later_runs: later.length,
    };
  } finally {
    await stack.stop();
    stub.close();
  }
}
