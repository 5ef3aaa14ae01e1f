import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { Run } from '../domain/run.ts';
import type { Stack } from './stack.ts';
import type { StubModel } from './stub-model.ts';

/** The two that are compared, each as a function that carries one run to its end. */
export interface Timed {
  ms: number;
  first_ms: number;
}
export type Runner = (name: string) => Promise<Timed>;

const HEARTBEAT_MS = 5_000;
/** Longer than any run takes while hundreds share the machine. */
const WAIT_S = 240;

const silentLogger = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

async function timed(stub: StubModel, name: string, run: () => Promise<void>): Promise<Timed> {
  const begun = performance.now();
  await run();
  const ms = performance.now() - begun;
  return { ms, first_ms: (await stub.called(name, 0)) - begun };
}

export async function startBare(
  stack: Stack,
  stub: StubModel,
): Promise<{ pid: number; run: Runner; close: () => Promise<void> }> {
  const workflowsPath = fileURLToPath(new URL('../../bench/bare/workflow.ts', import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: silentLogger });
  const bundle = join(stack.home, 'bare-workflow.js');
  writeFileSync(bundle, code);
  const address = stack.engines.temporal_address;
  const args = [address, bundle, stub.url, join(stack.notebook, 'small.txt'), String(HEARTBEAT_MS)];
  const { pid } = await stack.start('bench/bare/worker.js', args, 'bare');
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const run: Runner = (name) =>
    timed(stub, name, async () => {
      await client.workflow.execute('bareAgent', { taskQueue: 'bare', workflowId: name, args: [name, HEARTBEAT_MS] });
    });
  return { pid, run, close: () => connection.close() };
}

export function ours(stack: Stack, stub: StubModel, about: { agent_id: string; notebook_id: string }): Runner {
  return (name) =>
    timed(stub, name, async () => {
      const run = await stack.call<Run>('POST', '/runs', { ...about, input: name, wait: WAIT_S });
      if (run.status !== 'completed') throw new Error(`${name}: ${run.status} ${JSON.stringify(run.error)}`);
    });
}

/** All of them at once: steps per second until the last has ended. */
export async function stepsPerSecond(run: Runner, names: string[], stepsOfOne: number): Promise<number> {
  const begun = performance.now();
  await Promise.all(names.map(run));
  return (names.length * stepsOfOne * 1000) / (performance.now() - begun);
}
