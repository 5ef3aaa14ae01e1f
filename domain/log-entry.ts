import type { Fact } from './facts.ts';

/** Who writes: an activity attempt. A later schedule or attempt fences all earlier ones out of the log. */
export interface Token {
  scheduled: number;
  attempt: number;
}

export const isOlder = (a: Token, b: Token): boolean =>
  a.scheduled < b.scheduled || (a.scheduled === b.scheduled && a.attempt < b.attempt);

/** One append: a slot `n` of the run's log. */
export interface Entry {
  n: number;
  /** null for people and the API, who take part without claiming the run. */
  token: Token | null;
  at: string;
  facts: Fact[];
  first_step: number;
  first_cursor: number;
}
