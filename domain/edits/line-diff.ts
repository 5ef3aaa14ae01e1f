import { diffArrays } from 'diff';

/** So many lines from `old_at` on became so many from `new_at` on; both count from 0. */
export interface Block {
  old_at: number;
  old_count: number;
  new_at: number;
  new_count: number;
}

/** Beyond so many differing lines the shortest way is not looked for: it takes their square in time. */
const MOST_DIFFERENCES = 1500;

/** Where two lists of lines differ, top to bottom; blocks never touch. */
export function diffOfLines(old: readonly string[], now: readonly string[]): Block[] {
  const blocks: Block[] = [];
  within(old, 0, old.length, now, 0, now.length, blocks);
  return blocks;
}

function push(blocks: Block[], old_at: number, old_count: number, new_at: number, new_count: number): void {
  const last = blocks.at(-1);
  if (last && last.old_at + last.old_count === old_at && last.new_at + last.new_count === new_at) {
    last.old_count += old_count;
    last.new_count += new_count;
  } else blocks.push({ old_at, old_count, new_at, new_count });
}

function within(
  a: readonly string[],
  aFrom: number,
  aTo: number,
  b: readonly string[],
  bFrom: number,
  bTo: number,
  blocks: Block[],
): void {
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) {
    aFrom++;
    bFrom++;
  }
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) {
    aTo--;
    bTo--;
  }
  if (aFrom === aTo && bFrom === bTo) return;
  if (aFrom === aTo || bFrom === bTo) {
    push(blocks, aFrom, aTo - aFrom, bFrom, bTo - bFrom);
    return;
  }
  const { anchors, shared } = anchorsIn(a, aFrom, aTo, b, bFrom, bTo);
  if (!shared) {
    push(blocks, aFrom, aTo - aFrom, bFrom, bTo - bFrom);
    return;
  }
  if (anchors.length === 0) {
    shortest(a, aFrom, aTo, b, bFrom, bTo, blocks);
    return;
  }
  let [i, j] = [aFrom, bFrom];
  for (const [x, y] of anchors) {
    within(a, i, x, b, j, y, blocks);
    [i, j] = [x + 1, y + 1];
  }
  within(a, i, aTo, b, j, bTo, blocks);
}

/**
 * Lines that occur once on each side hold the rest in place: the most of them that keep their order. And whether the
 * sides have any line in common.
 */
function anchorsIn(
  a: readonly string[],
  aFrom: number,
  aTo: number,
  b: readonly string[],
  bFrom: number,
  bTo: number,
): { anchors: [number, number][]; shared: boolean } {
  const MANY = -1;
  const inA = new Map<string, number>();
  for (let i = aFrom; i < aTo; i++) inA.set(a[i] ?? '', inA.has(a[i] ?? '') ? MANY : i);
  const inB = new Map<string, number>();
  for (let j = bFrom; j < bTo; j++) inB.set(b[j] ?? '', inB.has(b[j] ?? '') ? MANY : j);
  const pairs: [number, number][] = [];
  let shared = false;
  for (const [line, i] of inA) {
    const j = inB.get(line);
    if (j === undefined) continue;
    shared = true;
    if (i !== MANY && j !== MANY) pairs.push([i, j]);
  }
  return { anchors: longestRise(pairs.sort(([x], [y]) => x - y)), shared };
}

/** The longest part of the pairs in which the second numbers rise too. */
function longestRise(pairs: readonly [number, number][]): [number, number][] {
  const tails: number[] = [];
  const before: number[] = [];
  for (const [k, [, j]] of pairs.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < j) low = middle + 1;
      else high = middle;
    }
    before[k] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = k;
  }
  const rise: [number, number][] = [];
  for (let k = tails.at(-1) ?? -1; k !== -1; k = before[k] ?? -1) {
    const pair = pairs[k];
    if (pair) rise.push(pair);
  }
  return rise.reverse();
}

function shortest(
  a: readonly string[],
  aFrom: number,
  aTo: number,
  b: readonly string[],
  bFrom: number,
  bTo: number,
  blocks: Block[],
): void {
  const options = { maxEditLength: MOST_DIFFERENCES };
  const parts = diffArrays(a.slice(aFrom, aTo), b.slice(bFrom, bTo), options);
  if (!parts) {
    push(blocks, aFrom, aTo - aFrom, bFrom, bTo - bFrom);
    return;
  }
  let [i, j] = [aFrom, bFrom];
  for (const { added, removed, count } of parts) {
    if (removed) push(blocks, i, count, j, 0);
    else if (added) push(blocks, i, 0, j, count);
    if (!added) i += count;
    if (!removed) j += count;
  }
}
