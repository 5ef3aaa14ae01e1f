import { type Query, type Routing, SURE } from '../../domain/routing.ts';
import type { Labelled } from './queries.ts';

export const asQuery = ({ query, attachments = [] }: Labelled): Query => ({ text: query, attachments, history: [] });

/** What was decided, as labels name it. */
export interface Decided {
  selected: string[];
  alternatives: string[];
  confidence: number;
}

export const decidedOf = ({ selected, alternatives, confidence }: Routing): Decided => ({
  selected: selected.map(({ id }) => id),
  alternatives: alternatives.map(({ id }) => id),
  confidence,
});

/** All that is wanted and nothing else; where too little is said, asked rather than guessed. */
function isRight({ expect, unclear }: Labelled, { selected, alternatives, confidence }: Decided): boolean {
  if (unclear) return confidence < SURE && [...selected, ...alternatives].some((id) => expect.includes(id));
  return selected.length === expect.length && expect.every((id) => selected.includes(id));
}

const BINS = 10;

/**
 * Accuracy over all, and the expected calibration error over those that have a right answer: how far what is said of
 * the confidence lies from how often it is right, on average over ten bins.
 */
export function score(cases: readonly { labelled: Labelled; decided: Decided }[]): { accuracy: number; ece: number } {
  const judged = cases.map(({ labelled, decided }) => ({
    unclear: labelled.unclear === true,
    confidence: decided.confidence,
    right: isRight(labelled, decided) ? 1 : 0,
  }));
  const clear = judged.filter(({ unclear }) => !unclear);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const gaps = Array.from({ length: BINS }, (_, bin) => {
    const within = clear.filter(({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)) === bin);
    return Math.abs(sum(within.map(({ confidence, right }) => confidence - right)));
  });
  return { accuracy: sum(judged.map(({ right }) => right)) / judged.length, ece: sum(gaps) / clear.length };
}
