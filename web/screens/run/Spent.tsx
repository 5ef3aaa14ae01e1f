import { cost, count, duration, money, short } from '../../format.ts';
import type { Spending } from '../../transcript-items.ts';
import { Fact } from './Section.tsx';

/** `1.2k tok · $0.0031 · 2.1 s`, of what is known; a price of nothing is not worth a word. */
export function figures({
  tokens,
  cost_usd,
  duration_ms,
}: {
  tokens?: number | undefined;
  cost_usd?: number | null | undefined;
  duration_ms?: number | null | undefined;
}): string {
  return [
    ...(tokens ? [`${short(tokens)} tok`] : []),
    ...(cost_usd ? [money(cost_usd)] : []),
    ...(duration_ms === null || duration_ms === undefined ? [] : [duration(duration_ms)]),
  ].join(' · ');
}

/** Money and tokens, always together. */
export function SpentFacts({ spent }: { spent: Spending }) {
  return (
    <>
      <Fact name="Iterations">{count(spent.iterations)}</Fact>
      <Fact name="Tokens">{count(spent.tokens)}</Fact>
      <Fact name="Cost">{cost(spent.cost_usd)}</Fact>
    </>
  );
}
