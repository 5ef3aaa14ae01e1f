import { cpuTimeOf, median, severalAtOnce } from './measure.ts';
import { ours, type Runner, startBare } from './sides.ts';
import { makeAgent, startStack } from './stack.ts';
import { readsFiles, startStubModel } from './stub-model.ts';

const TURNS = 10;
/** Turns with a tool call, and the answer that ends the run: both sides make the same calls. */
const STEPS = 2 * TURNS + 1;
const RUNS = 200;
const AT_ONCE = 50;
const ROUNDS = 5;

type Spent = Record<string, number>;

/**
 * Processor time a durable step takes in each process, which is what throughput comes down to where all of them share
 * the cores. Unlike the time on the clock it is nearly the same on a machine that has other things to do.
 */
export async function cpu(say: (line: string) => void, scale: number): Promise<Record<string, number>> {
  const stub = await startStubModel(readsFiles(TURNS));
  const stack = await startStack(stub.url);
  try {
    const bare = await startBare(stack, stub);
    const run = ours(stack, stub, await makeAgent(stack));
    const engines = stack.engines.processes.map(({ name, pid }) => [name, pid ?? 0] as const);
    const sides = {
      ours: { runner: run, pids: [['api', stack.api.pid], ['worker', stack.worker.pid], ...engines] as const },
      bare: { runner: bare.run, pids: [['worker', bare.pid], ...engines] as const },
    };
    const round = async (
      name: string,
      { runner, pids }: { runner: Runner; pids: readonly (readonly [string, number])[] },
    ) => {
      const before = pids.map(([, pid]) => cpuTimeOf(pid));
      const count = Math.ceil(RUNS * scale);
      await severalAtOnce(count, AT_ONCE, (i) => runner(`${name}.${i}`));
      const spent = pids.map(([of, pid], i): [string, number] => [
        of,
        (cpuTimeOf(pid) - (before[i] ?? 0)) / (count * STEPS),
      ]);
      const all: Spent = { ...Object.fromEntries(spent), total: spent.reduce((sum, [, ms]) => sum + ms, 0) };
      say(
        `${name}: ${Object.entries(all)
          .map(([of, ms]) => `${of} ${ms.toFixed(2)}`)
          .join(', ')} ms a step`,
      );
      return all;
    };
    const spent: { ours: Spent; bare: Spent }[] = [];
    // The first warms both sides up and is not counted.
    for (let n = 0; n <= ROUNDS; n++) {
      const both = { ours: await round(`ours ${n}`, sides.ours), bare: await round(`bare ${n}`, sides.bare) };
      if (n > 0) spent.push(both);
    }
    await bare.close();
    const of = (side: 'ours' | 'bare', name: string) => median(spent.map((each) => each[side][name] ?? Number.NaN));
    return {
      cpu_ratio: median(spent.map((each) => (each.bare.total ?? 0) / (each.ours.total ?? 1))),
      ...Object.fromEntries(
        Object.keys(spent[0]?.ours ?? {}).map((name) => [`${name}_cpu_ms_per_step`, of('ours', name)]),
      ),
      ...Object.fromEntries(
        Object.keys(spent[0]?.bare ?? {}).map((name) => [`bare_${name}_cpu_ms_per_step`, of('bare', name)]),
      ),
    };
  } finally {
    await stack.stop();
    stub.close();
  }
}
