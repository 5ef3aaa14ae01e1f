import type { Quote } from '../domain/quote.ts';
import { isDemo, money, plural, short } from './format.ts';

function basisWords({ basis, n }: Pick<Quote, 'basis' | 'n'>): string {
  if (basis === 'agent') return `from ${plural(n, 'past run')} of this agent`;
  if (basis === 'model') return `from ${plural(n, 'past run')} with this model`;
  return 'a guess from the size of the task';
}

export const FREE = 'Costs nothing: the demo model runs on this machine.';

/** What a run may cost, in one line: "About $0.02, at most $0.10 for nine of ten; from 40 past runs of this agent." */
export function quoteWords(quote: Quote, model: string): string {
  if (isDemo(model)) return FREE;
  const { p50_usd, p90_usd, worst_case_usd, tokens } = quote;
  const basis = basisWords(quote);
  if (p50_usd === null || p90_usd === null) {
    return `About ${short(tokens.p50)} tokens (${basis}). The price of this model is not known.`;
  }
  if (p90_usd === 0 && !worst_case_usd) return `About ${short(tokens.p50)} tokens, at no cost.`;
  const most = worst_case_usd === null ? '' : `, never more than ${money(worst_case_usd)}`;
  return `About ${money(p50_usd)} and ${short(tokens.p50)} tokens, at most ${money(p90_usd)} for nine of ten (${basis})${most}.`;
}
