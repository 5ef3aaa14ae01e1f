import { logistic, Shortlist, signals } from '../../domain/routing.ts';
import { CATALOGUE } from './catalogue.ts';
import { TUNED } from './queries.ts';
import { asQuery } from './score.ts';

const STEPS = 200_000;
const RATE = 0.02;
const RIDGE = 0.004;

type Weights = { bias: number; weights: readonly number[] };

/** What the first one says, and whether it is what is wanted, for single requests of the half that may be looked at. */
const known = (): { x: number[]; y: number }[] => {
  const shortlist = new Shortlist(CATALOGUE);
  return TUNED.filter(({ expect, unclear }) => expect.length < 2 || unclear).flatMap((labelled) => {
    const scored = shortlist.find(asQuery(labelled));
    const [first] = scored;
    if (!first) return [];
    const isWanted = !labelled.unclear && labelled.expect.length === 1 && labelled.expect[0] === first.candidate.id;
    return [{ x: [1, ...signals(scored)], y: isWanted ? 1 : 0 }];
  });
};

const likely = (x: readonly number[], weights: readonly number[]): number =>
  logistic(x.reduce((total, value, n) => total + value * (weights[n] ?? 0), 0));

/** The mean logarithmic loss there: what the fitting makes small. */
export function lossOf({ bias, weights }: Weights): number {
  const losses = known().map(({ x, y }) => {
    const p = likely(x, [bias, ...weights]);
    return -Math.log(y === 1 ? p : 1 - p);
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

/**
 * The weights of `domain/routing-weights.ts`: logistic regression of “the first one is what is wanted” on the signals,
 * over single requests of the half of the routing set that may be looked at.
 */
export function fitConfidence(steps = STEPS): { bias: number; weights: number[] } {
  const data = known();
  let weights = [0, 0, 0, 0, 0];
  for (let step = 0; step < steps; step++) {
    const slope = weights.map(() => 0);
    for (const { x, y } of data) {
      const off = likely(x, weights) - y;
      for (const [n, value] of x.entries()) slope[n] = (slope[n] ?? 0) + off * value;
    }
    // The bias alone is left free.
    weights = weights.map((w, n) => w - RATE * ((slope[n] ?? 0) / data.length + (n > 0 ? RIDGE * w : 0)));
  }
  const [bias = 0, ...rest] = weights;
  return { bias, weights: rest };
}
