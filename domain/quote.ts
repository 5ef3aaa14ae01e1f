import { z } from 'zod';

/** What a run will probably cost, told before it starts. */
export const quoteSchema = z.object({
  currency: z.literal('USD'),
  /** null where no price is known for the model. */
  p50_usd: z.number().nullable(),
  p90_usd: z.number().nullable(),
  /** What the limits of the run allow at most. */
  worst_case_usd: z.number().nullable(),
  /** Past runs it rests on. */
  n: z.int(),
  /** Runs of the same agent, runs of the same model, or a guess from the size of the input. */
  basis: z.enum(['agent', 'model', 'estimate']),
  tokens: z.object({ p50: z.int(), p90: z.int() }),
});
export type Quote = z.infer<typeof quoteSchema>;

/** A run that has ended: what it and all below it used. */
export interface PastRun {
  tokens: number;
  /** null where somebody used a model without a price. */
  usd: number | null;
}

/** With fewer, the ninth of ten is an accident of the runs there happen to be. */
const LEAST_RUNS = 20;

/**
 * The split-conformal quantile: the value that the next run, if it is like the past ones, stays within with the
 * probability `share`, whatever the distribution is. Null where there are too few to say it of.
 */
export function conformal(past: readonly number[], share: number): number | null {
  const sorted = [...past].sort((a, b) => a - b);
  return sorted[Math.ceil((sorted.length + 1) * share) - 1] ?? null;
}

export interface Limits {
  max_iterations: number;
  max_tokens: number;
  max_usd: number | null;
}

/** Dollars for so many tokens in and out; null where no price is known. */
export type Price = (input: number, output: number) => number | null;

/** Every token the run may use, at the dearest of its prices. */
export function worstCase({ max_tokens, max_usd }: Limits, prices: Price[]): number | null {
  const each = prices.flatMap((price) => [price(max_tokens, 0), price(0, max_tokens)]);
  const known = each.flatMap((usd) => usd ?? []);
  const atMost = known.length === each.length && known.length > 0 ? Math.max(...known) : null;
  if (max_usd === null) return atMost;
  return atMost === null ? max_usd : Math.min(atMost, max_usd);
}

const CHARS_PER_TOKEN = 4;
/** Tools and their descriptions, which every call sends along. */
const FRAME_TOKENS = 1_500;
const GROWTH_TOKENS = 800;
const ANSWER_TOKENS = 300;
const USUAL_CALLS = 4;
const MANY_CALLS = 15;

/** Without any experience: a conversation of a few calls, each of which sends all before it again. */
function guess(promptChars: number, calls: number, { max_iterations, max_tokens }: Limits) {
  const made = Math.min(calls, max_iterations);
  const first = FRAME_TOKENS + Math.ceil(promptChars / CHARS_PER_TOKEN);
  const input = made * first + (GROWTH_TOKENS * made * (made - 1)) / 2;
  const share = Math.min(1, max_tokens / (input + made * ANSWER_TOKENS));
  return { input: Math.floor(input * share), output: Math.floor(made * ANSWER_TOKENS * share) };
}

export interface Situation {
  ofAgent: PastRun[];
  ofModel: PastRun[];
  limits: Limits;
  /** Of the agent itself first, then of all it may hand work to. */
  prices: [Price, ...Price[]];
  /** Characters of the input and the system prompt. */
  prompt_chars: number;
}

const withCost = (runs: PastRun[]): number[] => runs.flatMap(({ usd }) => usd ?? []);

/** From the narrowest basis that has enough runs; what a limit cuts off is cut off here too. */
export function quoteFor({ ofAgent, ofModel, limits, prices, prompt_chars }: Situation): Quote {
  const worst_case_usd = worstCase(limits, prices);
  const within = (usd: number | null) =>
    usd === null || worst_case_usd === null ? usd : Math.min(usd, worst_case_usd);
  const common = { currency: 'USD', worst_case_usd } as const;
  const bases = [
    { basis: 'agent', runs: ofAgent },
    { basis: 'model', runs: ofModel },
  ] as const;
  const found = bases.find(({ runs }) => runs.length >= LEAST_RUNS);
  if (found) {
    const tokens = found.runs.map((run) => run.tokens);
    // A price that was not known of some of them says nothing of the next.
    const costs = withCost(found.runs);
    const usd = (share: number) => (costs.length === found.runs.length ? within(conformal(costs, share)) : null);
    const count = (share: number) => Math.min(conformal(tokens, share) ?? limits.max_tokens, limits.max_tokens);
    return {
      ...common,
      p50_usd: usd(0.5),
      p90_usd: usd(0.9),
      n: found.runs.length,
      basis: found.basis,
      tokens: { p50: count(0.5), p90: count(0.9) },
    };
  }
  const [price] = prices;
  const [usual, many] = [USUAL_CALLS, MANY_CALLS].map((calls) => guess(prompt_chars, calls, limits));
  const told = (used = { input: 0, output: 0 }) => ({
    usd: within(price(used.input, used.output)),
    tokens: used.input + used.output,
  });
  return {
    ...common,
    p50_usd: told(usual).usd,
    p90_usd: told(many).usd,
    n: 0,
    basis: 'estimate',
    tokens: { p50: told(usual).tokens, p90: told(many).tokens },
  };
}
