import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { Run } from '../domain/run.ts';
import { median, peakMemory } from './measure.ts';
import { type Child, killChild, makeAgent, type Stack, startChild, startStack } from './stack.ts';
import { type StubModel, startStubModel } from './stub-model.ts';

const TURNS = 20;
/** Turns with a tool call, and the answer that ends the run: both sides make the same calls. */
const STEPS = 2 * TURNS + 1;
const PAIRS = 7;
const ROUNDS = 3;
const CONCURRENT = 50;
const HEARTBEAT_MS = 5_000;

interface Timed {
  ms: number;
  first_ms: number;
}
type Runner = (name: string) => Promise<Timed>;

const silentLogger = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

async function timed(stub: StubModel, name: string, run: () => Promise<void>): Promise<Timed> {
  const begun = performance.now();
  await run();
  const first = stub.firstCall.get(name);
  if (first === undefined) throw new Error(`${name} never called the model`);
  return { ms: performance.now() - begun, first_ms: first - begun };
}

async function startBare(
  stack: Stack,
  stub: StubModel,
): Promise<{ child: Child; run: Runner; close: () => Promise<void> }> {
  const workflowsPath = fileURLToPath(new URL('../../bench/bare/workflow.ts', import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: silentLogger });
  const bundle = join(stack.home, 'bare-workflow.js');
  writeFileSync(bundle, code);
  const address = stack.engines.temporal_address;
  const args = [address, bundle, stub.url, join(stack.notebook, 'small.txt'), String(HEARTBEAT_MS)];
  const child = await startChild('bench/bare/worker.js', args, {}, join(stack.home, 'bare.log'));
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const run: Runner = (name) =>
    timed(stub, name, async () => {
      await client.workflow.execute('bareAgent', { taskQueue: 'bare', workflowId: name, args: [name, HEARTBEAT_MS] });
    });
  return { child, run, close: () => connection.close() };
}

function ours(stack: Stack, stub: StubModel, about: { agent_id: string; notebook_id: string }): Runner {
  return (name) =>
    timed(stub, name, async () => {
      const run = await stack.call<Run>('POST', '/runs', { ...about, input: name, wait: 120 });
      if (run.status !== 'completed') throw new Error(`${name}: ${run.status} ${JSON.stringify(run.error)}`);
    });
}

async function throughput(side: string, round: number, run: Runner): Promise<number> {
  const begun = performance.now();
  await Promise.all(Array.from({ length: CONCURRENT }, (_, i) => run(`${side} conc ${round}.${i}`)));
  return (CONCURRENT * STEPS * 1000) / (performance.now() - begun);
}

/** Kills the worker in the middle of a model call, starts the next one as the supervisor would, and waits for the end. */
async function recovery(stack: Stack, stub: StubModel, run: Runner): Promise<{ recover_ms: number; worker: Child }> {
  const name = 'ours recovery';
  const hanging = stub.hang(name, TURNS / 2);
  const done = run(name);
  await hanging;
  const begun = performance.now();
  await killChild(stack.worker);
  const worker = await stack.startWorker();
  await done;
  return { recover_ms: performance.now() - begun, worker };
}

const repeatedCalls = (stub: StubModel): number =>
  [...stub.answers.entries()]
    .filter(([name]) => name.startsWith('ours'))
    .flatMap(([, turns]) => turns)
    .reduce((sum, count) => sum + Math.max(0, count - 1), 0);

export async function overhead(say: (line: string) => void): Promise<Record<string, number>> {
  const stub = await startStubModel(TURNS);
  const stack = await startStack(stub.url);
  const children: Child[] = [stack.api, stack.worker];
  try {
    const bare = await startBare(stack, stub);
    children.push(bare.child);
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
        () => [bare.child.pid],
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
    const { recover_ms, worker } = await recovery(stack, stub, run);
    children.push(worker);
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
    for (const child of children) await killChild(child);
    await stack.engines.stop();
    stub.close();
    stack.remove();
  }
}
