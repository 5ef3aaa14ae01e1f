/** The same direction with length 1, so that a cosine is a product; null for what has no direction. */
export function unitVector(values: ArrayLike<number>): Float32Array | null {
  const vector = Float32Array.from(values);
  const length = Math.sqrt(dot(vector, vector));
  if (!Number.isFinite(length) || length === 0) return null;
  return vector.map((value) => value / length);
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** The best of any number, without keeping more than twice as many as are wanted. */
export class Best<T> {
  private kept: { item: T; score: number }[] = [];

  constructor(private readonly most: number) {}

  add(item: T, score: number): void {
    this.kept.push({ item, score });
    if (this.kept.length >= this.most * 2) this.trim();
  }

  /** Best first. */
  items(): T[] {
    this.trim();
    return this.kept.map(({ item }) => item);
  }

  private trim(): void {
    this.kept = this.kept.sort((a, b) => b.score - a.score).slice(0, this.most);
  }
}

/** What the place in a list counts for: large enough that the first of one list does not beat the second of both. */
const RANK_OFFSET = 60;

/** Reciprocal rank fusion: scores of different kinds cannot be compared, places in a list can. */
export function fusedScores(lists: readonly (readonly string[])[]): Map<string, number> {
  const scores = new Map<string, number>();
  for (const list of lists) {
    for (const [place, key] of list.entries()) {
      scores.set(key, (scores.get(key) ?? 0) + 1 / (RANK_OFFSET + place + 1));
    }
  }
  return scores;
}
