import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { median } from './measure.ts';

/** The same numbers each time: what is measured must not depend on luck. */
export function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const WORDS = 'soak time valve bar seed tray light water root leaf stem sow note week count batch rack pump'.split(' ');

export function prose(next: (below: number) => number, lines: number): string {
  const line = (n: number): string =>
    n % 9 === 8 ? '' : `${n} ${Array.from({ length: 4 + next(8) }, () => WORDS[next(WORDS.length)]).join(' ')}`;
  return `${Array.from({ length: lines }, (_, n) => line(n)).join('\n')}\n`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

/**
 * By turns, and each first in its turn, so that what else the machine does hits both alike; the first turn warms up.
 * Their medians, and the median of the first by the second of each turn.
 */
export async function byTurns(
  rounds: number,
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
): Promise<{ ours: number; theirs: number; ratio: number }> {
  const times: { ours: number; theirs: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const took = { ours: 0, theirs: 0 };
    if (round % 2 === 0) took.ours = await timed(ours);
    took.theirs = await timed(theirs);
    if (round % 2 === 1) took.ours = await timed(ours);
    if (round > 0) times.push(took);
  }
  return {
    ours: median(times.map((took) => took.ours)),
    theirs: median(times.map((took) => took.theirs)),
    ratio: median(times.map((took) => took.ours / took.theirs)),
  };
}

export function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
