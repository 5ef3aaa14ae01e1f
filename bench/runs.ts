import { median } from './measure.ts';
import { ours, type Runner, startBare, stepsPerSecond } from './sides.ts';
import { makeAgent, startStack } from './stack.ts';
import { readsFiles, type Script, startStubModel } from './stub-model.ts';
import { ASKING, asksFirst, waitingRuns } from './waiting-runs.ts';
import { memoryGrowth } from './worker-memory.ts';

const TURNS = 10;
/** Turns with a tool call, and the answer that ends the run: both sides make the same calls. */
const STEPS = 2 * TURNS + 1;
const CONCURRENT = 200;
const ROUNDS = 3;

const reads = readsFiles(TURNS);
const script: Script = (run, turn) => (run.startsWith(ASKING) ? asksFirst(run, turn) : reads(run, turn));

/** One API and one worker for all of it: many runs at once, thousands one after another, thousands that wait. */
export async function runs(say: (line: string) => void, scale: number): Promise<Record<string, number>> {
  const stub = await startStubModel(script);
  const stack = await startStack(stub.url);
  try {
    const bare = await startBare(stack, stub);
    const about = await makeAgent(stack);
    const run = ours(stack, stub, about);
    const concurrent = Math.ceil(CONCURRENT * scale);
    const round = (side: string, n: number, runner: Runner) =>
      stepsPerSecond(
        runner,
        Array.from({ length: concurrent }, (_, i) => `${side} ${n}.${i}`),
        STEPS,
      );
    const rates: { ours: number; bare: number }[] = [];
    // The first warms both sides up and is not counted.
    for (let n = 0; n <= ROUNDS; n++) {
      const rate = { ours: await round('ours', n, run), bare: await round('bare', n, bare.run) };
      if (n > 0) rates.push(rate);
      const which = n === 0 ? 'to warm up' : `round ${n}`;
      say(`${concurrent} runs at once, ${which}: ${Math.round(rate.ours)} and ${Math.round(rate.bare)} steps/s`);
    }
    await bare.close();
    const memory = await memoryGrowth(stack, run, scale, say);
    const waiting = await waitingRuns(stack, stub, about, scale, say);
    return {
      throughput_ratio: median(rates.map((each) => each.ours / each.bare)),
      ...memory,
      ...waiting,
      steps_per_s: median(rates.map((each) => each.ours)),
      bare_steps_per_s: median(rates.map((each) => each.bare)),
    };
  } finally {
    await stack.stop();
    stub.close();
  }
}
