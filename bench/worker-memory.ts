import { median, residentWhenIdle, severalAtOnce } from './measure.ts';
import type { Runner } from './sides.ts';
import type { Stack } from './stack.ts';

const BLOCK = 100;
const AT_ONCE = 50;
const WARM_UP_BLOCKS = 5;
/** From the middle of the first samples to the middle of the last: 2,000 runs. */
const BLOCKS = 20;
/** Blocks sampled at each end. One alone says little: the heap is a different one after every collection. */
const SAMPLED = 5;

/** How much more the worker holds after 2,000 runs, sampled while it is idle and always after the same load. */
export async function memoryGrowth(stack: Stack, run: Runner, scale: number, say: (line: string) => void) {
  const block = Math.ceil(BLOCK * scale);
  const after: number[] = [];
  for (let n = 0; n < WARM_UP_BLOCKS + BLOCKS + SAMPLED; n++) {
    await severalAtOnce(block, AT_ONCE, (i) => run(`ours memory ${n}.${i}`));
    const mb = await residentWhenIdle(stack.worker.pid);
    if (n >= WARM_UP_BLOCKS) after.push(mb);
    if (n % SAMPLED === SAMPLED - 1) say(`${(n + 1) * block} runs: the worker has ${Math.round(mb)} MB`);
  }
  const first = median(after.slice(0, SAMPLED));
  const last = median(after.slice(-SAMPLED));
  return { memory_growth: last / first - 1, worker_mb_before: first, worker_mb_after: last };
}
