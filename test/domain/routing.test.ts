import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../bench/routing-set/catalogue.ts';
import { fitConfidence, lossOf } from '../../bench/routing-set/fit.ts';
import { QUERIES, TUNED, UNTOUCHED } from '../../bench/routing-set/queries.ts';
import { asQuery, decidedOf, score } from '../../bench/routing-set/score.ts';
import { routeByRelevance, Shortlist } from '../../domain/routing.ts';
import { CONFIDENCE } from '../../domain/routing-weights.ts';

const shortlist = new Shortlist(CATALOGUE);
const scored = (queries: typeof QUERIES) =>
  score(queries.map((labelled) => ({ labelled, decided: decidedOf(routeByRelevance(shortlist, asQuery(labelled))) })));

describe('REQ-001 relevance alone, over the routing set', () => {
  it('has at least 120 labelled queries, with attachments, several requests, nothing that fits, and too little said', () => {
    expect(QUERIES.length).toBeGreaterThanOrEqual(120);
    for (const half of [TUNED, UNTOUCHED]) {
      expect(half.some(({ attachments }) => attachments !== undefined)).toBe(true);
      expect(half.some(({ expect: wanted, unclear }) => wanted.length > 1 && !unclear)).toBe(true);
      expect(half.some(({ expect: wanted }) => wanted.length === 0)).toBe(true);
      expect(half.some(({ unclear }) => unclear)).toBe(true);
    }
  });

  it.each([
    ['the half that was looked at while tuning', TUNED],
    ['the half that never was', UNTOUCHED],
  ])('is right at least 85 times in a hundred, and says how sure it is within 0.1: %s', (name, half) => {
    const { accuracy, ece } = scored(half);
    console.info(`${name}: accuracy ${accuracy.toFixed(3)}, expected calibration error ${ece.toFixed(3)}`);
    expect(accuracy).toBeGreaterThanOrEqual(0.85);
    expect(ece).toBeLessThanOrEqual(0.1);
  });

  it('goes by weights that fit the half that may be looked at about as well as new ones would', () => {
    expect(lossOf(CONFIDENCE) - lossOf(fitConfidence(20_000))).toBeLessThan(0.03);
  });
});
