import { median, peakMemory } from './measure.ts';
import { ours, type Runner, startBare, stepsPerSecond, type Timed } from './sides.ts';
import { killChild, makeAgent, type Stack, startStack } from './stack.ts';
import { readsFiles, type StubModel, startStubModel } from './stub-model.ts';

const TURNS = 20;
/** Turns with a tool call, and the answer that ends the run: both sides make the same calls. */
const STEPS = 2 * TURNS + 1;
const PAIRS = 101;
const ROUNDS = 3;
const CONCURRENT = 50;

const throughput = (side: string, round: number, run: Runner): Promise<number> =>
  stepsPerSecond(
    run,
    Array.from({ length: CONCURRENT }, (_, i) => `${side} conc ${round}.${i}`),
    STEPS,
  );

/** Kills the worker in the middle of a model call, starts the next one as the supervisor would, and waits for the end. */
async function recovery(stack: Stack, stub: StubModel, run: Runner): Promise<number> {
  const name = 'ours recovery';
  const hanging = stub.hang(name, TURNS / 2);
  const done = run(name);
  await hanging;
  const begun = performance.now();
  await killChild(stack.worker);
  await stack.startWorker();
  await done;
  return performance.now() - begun;
}

const repeatedCalls = (stub: StubModel): number =>
  [...stub.answers.entries()]
    .filter(([name]) => name.startsWith('ours'))
    .flatMap(([, turns]) => turns)
    .reduce((sum, count) => sum + Math.max(0, count - 1), 0);

export async function overhead(say: (line: string) => void): Promise<Record<string, number>> {
  const stub = await startStubModel(readsFiles(TURNS));
  const stack = await startStack(stub.url);
  try {
    const bare = await startBare(stack, stub);
    const run = ours(stack, stub, await makeAgent(stack));
    for (let i = 0; i < 3; i++) {
      await run(`ours warm ${i}`);
      await bare.run(`bare warm ${i}`);
    }
    const pairs: { ours: Timed; bare: Timed }[] = [];
    for (let i = 0; i < PAIRS; i++) {
      pairs.push({ ours: await run(`ours seq ${i}`), bare: await bare.run(`bare seq ${i}`) });
    }
    say(`one run at a time: ${PAIRS} pairs done`);

    const rates: { ours: number; bare: number }[] = [];
    let ourPeak = 0;
    let barePeak = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const rate = { ours: 0, bare: 0 };
      const our = await peakMemory(
        () => [stack.api.pid, stack.worker.pid],
        async () => {
          rate.ours = await throughput('ours', round, run);
        },
      );
      const theirs = await peakMemory(
        () => [bare.pid],
        async () => {
          rate.bare = await throughput('bare', round, bare.run);
        },
      );
      ourPeak = Math.max(ourPeak, our);
      barePeak = Math.max(barePeak, theirs);
      rates.push(rate);
      say(
        `${CONCURRENT} runs at once, round ${round + 1}: ${Math.round(rate.ours)} and ${Math.round(rate.bare)} steps/s`,
      );
    }
    const recover_ms = await recovery(stack, stub, run);
    await bare.close();
    const ms = (side: 'ours' | 'bare') => median(pairs.map((pair) => pair[side].ms / STEPS));
    const first = (side: 'ours' | 'bare') => median(pairs.map((pair) => pair[side].first_ms));
    const rate = (side: 'ours' | 'bare') => median(rates.map((each) => each[side]));
    return {
      seq_ratio: median(pairs.map((pair) => pair.ours.ms / pair.bare.ms)),
      throughput_ratio: median(rates.map((each) => each.ours / each.bare)),
      recover_ms,
      repeated_calls: repeatedCalls(stub),
      first_step_ratio: median(pairs.map((pair) => pair.ours.first_ms / pair.bare.first_ms)),
      memory_ratio: ourPeak / barePeak,
      ms_per_step: ms('ours'),
      bare_ms_per_step: ms('bare'),
      steps_per_s: rate('ours'),
      bare_steps_per_s: rate('bare'),
      first_step_ms: first('ours'),
      bare_first_step_ms: first('bare'),
      memory_mb: ourPeak,
      bare_memory_mb: barePeak,
    };
  } finally {
    await stack.stop();
    stub.close();
  }
}
