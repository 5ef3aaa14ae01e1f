import { calcPrice } from '@pydantic/genai-prices';
import { Failure } from './failures.ts';
import { isLocalModel, type ModelRef, type ProviderName, parseModel, type Usage } from './model.ts';

/** What the price table calls the providers that charge; it comes with the library and is never fetched. */
const TABLES: Partial<Record<ProviderName, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
  azure: 'azure',
  bedrock: 'aws',
};

/** As Google states them; the table has their prices alone. */
const UNLISTED_WINDOWS: [RegExp, number][] = [[/^gemini-(2\.5|3(\.\d+)?)-(pro|flash)/, 1_048_576]];

const MICROS_PER_USD = 1_000_000;

const tableOf = ({ provider }: ModelRef): string | undefined => TABLES[provider];

/**
 * What a call costs in millionths of a dollar; null where the table has no price, 0 where nobody charges by the
 * token. Rounded up, so that a sum of calls never promises less than the bill; the worst case of a call counts its
 * whole input as `cache_write`. `at` chooses among prices that changed over time.
 */
export function costMicros(model: string, usage: Usage, at?: Date): number | null {
  if (isLocalModel(model)) return 0;
  const ref = parseModel(model);
  const providerId = tableOf(ref);
  if (providerId === undefined) return null;
  // A server that counts more in its cache than in all must not cost a finished call its settlement.
  const cache_read_tokens = Math.min(usage.cached, usage.input);
  const cache_write_tokens = Math.min(usage.cache_write ?? 0, usage.input - cache_read_tokens);
  const counted = { input_tokens: usage.input, output_tokens: usage.output, cache_read_tokens, cache_write_tokens };
  const price = calcPrice(counted, ref.model, { providerId, ...(at ? { timestamp: at } : {}) });
  // The table is in floating point: a hair above a whole number is that number.
  return price ? Math.ceil(Number((price.total_price * MICROS_PER_USD).toFixed(6))) : null;
}

/** A limit in money that nobody could keep is refused instead of being forgotten. */
export function demandPrice(model: string): void {
  if (costMicros(model, { input: 1, output: 1, cached: 0 }) !== null) return;
  throw new Failure('unknown_price', `No price is known for ${model}.`, { model });
}

/** How many tokens a conversation with the model may have; null where nobody knows. */
export function contextWindow(model: string): number | null {
  const ref = parseModel(model);
  const providerId = tableOf(ref);
  const price = providerId === undefined ? null : calcPrice({ input_tokens: 1 }, ref.model, { providerId });
  return price?.model.context_window ?? UNLISTED_WINDOWS.find(([pattern]) => pattern.test(ref.model))?.[1] ?? null;
}
