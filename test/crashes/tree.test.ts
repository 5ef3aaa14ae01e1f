import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as lasting } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diceOf } from '../../bench/chaos/dice.ts';
import { flawsOf } from '../../bench/chaos/whole.ts';
import type { Agent } from '../../domain/agent.ts';
import { hasEnded, type Run } from '../../domain/run.ts';
import type { RunTree } from '../../domain/run-tree.ts';
import { connectStore, disconnectStore } from '../../store/connection.ts';
import { loadLedger } from '../../store/ledger.ts';
import { startMeteredModel } from '../doubles/metered-model.ts';
import { eventually, type Supervised, startSupervised } from '../supervised-system.ts';

const CHILDREN = 8;
const BLOWS = 10;
/** Long enough for a busy machine: who misses it without having been struck spends a try of the step. */
const HEARTBEAT_MS = 3_000;
const SEED = Number(process.env.LONGHAUL_TEST_SEED ?? randomInt(1_000_000));

/** Who leads hands out eight tasks at once; whoever has one never comes to an end by itself. */
const callsFor = (opening: string, position: number, tools: string[]) => {
  const tree = /\[lead (\w+)\]/.exec(opening)?.[1];
  if (!tree) return [{ name: 'list_files', arguments: {} }];
  const name = tools.find((tool) => tool.startsWith('delegate_to_')) ?? '';
  const task = (n: number) => ({ name, arguments: { task: `[child ${tree} ${n}] Go on and on.` } });
  return position === 0 ? Array.from({ length: CHILDREN }, (_, n) => task(n)) : [];
};

let model: Awaited<ReturnType<typeof startMeteredModel>>;
let system: Supervised;
beforeAll(async () => {
  model = await startMeteredModel({ words: 15, word_ms: 30 }, callsFor);
  system = await startSupervised({ workers: 2, heartbeatMs: HEARTBEAT_MS, modelUrl: model.url });
  const { mongod } = JSON.parse(await readFile(join(system.home, 'engines.json'), 'utf8'));
  const password = (await readFile(join(system.home, 'mongod.password'), 'utf8')).trim();
  await connectStore(`mongodb://longhaul:${password}@127.0.0.1:${mongod.port}/?authSource=admin&directConnection=true`);
}, 120_000);
afterAll(async () => {
  await disconnectStore();
  await system.stop();
  model.close();
});

/** A run that leads eight others on one budget. */
async function startTree(name: string, budget: { max_token_budget: number; max_cost_usd: number }): Promise<string> {
  const workspace_id = (await system.workspace(`Tree ${name}`)).id;
  const limits = { max_iterations: 10_000, max_requests_per_hour: null, ...budget };
  const agent = { workspace_id, model: 'gpt-4o', scope: { notebooks: ['*'] }, visibility: 'workspace', ...limits };
  const { items } = await system.call<{ items: { id: string }[] }>('GET', `/notebooks?workspace_id=${workspace_id}`);
  const child = await system.call<Agent>('POST', '/agents', { ...agent, name: 'Child', max_tokens_per_request: 1_500 });
  const lead = { ...agent, name: 'Lead', max_tokens_per_request: 500, delegated_agents: [{ agent_id: child.id }] };
  const { id: agent_id } = await system.call<Agent>('POST', '/agents', lead);
  const body = { agent_id, notebook_id: items[0]?.id, input: `[lead ${name}] Have it done.` };
  return (await system.call<{ id: string }>('POST', '/runs', body)).id;
}

/** One worker is killed, or stops for longer than its heartbeat and comes back as a zombie. */
async function strike(dice: (sides: number) => number): Promise<void> {
  const victim = `worker-${1 + dice(2)}`;
  if (dice(2) === 0) return system.kill(victim);
  const pid = await system.pidOf(victim);
  process.kill(pid, 'SIGSTOP');
  await lasting(HEARTBEAT_MS + dice(HEARTBEAT_MS / 2));
  process.kill(pid, 'SIGCONT');
}

const PRICE = { input: 2.5, output: 10 };
const micros = (usd: number): number => Math.round(usd * 1_000_000);

const expectRising = (...amounts: number[]): void => expect(amounts).toEqual([...amounts].sort((a, b) => a - b));

/** What the model server counted for a tree, also of calls that nobody heard the end of. */
function billOf(tree: string) {
  const calls = model.bill.filter(({ opening }) => opening.includes(` ${tree}`));
  const sum = (of: 'input' | 'output') => calls.reduce((total, call) => total + call[of], 0);
  const [input, output] = [sum('input'), sum('output')];
  return { tokens: input + output, micros: PRICE.input * input + PRICE.output * output };
}

/** Rests below zero in the ledger of a tree. */
async function overdrawn(root: string) {
  const { free = {} } = (await loadLedger(root)) ?? {};
  return Object.entries(free).filter(([, rest]) => Math.min(...Object.values(rest)) < 0);
}

/** Every answer once, nothing asked for again after it was there, and no call that the log does not know. */
async function expectPaidOnce(id: string): Promise<void> {
  const { input, error } = await system.ask<Run>(`/runs/${id}`);
  // A step that was struck three times running is given up; nothing else may fail.
  expect([undefined, 'poison_step']).toContain(error?.code);
  const events = await system.events(id);
  expect(flawsOf(events)).toEqual([]);
  const started = events.filter(({ type }) => type === 'model.started').length;
  expect(model.bill.filter(({ opening }) => opening === JSON.stringify(input)).length).toBeLessThanOrEqual(started);
}

describe('[15.1] eight parallel children in each of two trees, workers killed and stopped ten times at random', () => {
  it('settled ≤ what the model bills ≤ settled + unconfirmed ≤ the budget, in tokens and in money', async () => {
    console.log(`LONGHAUL_TEST_SEED=${SEED} strikes the same blows again`);
    const dice = diceOf(SEED);
    // One tree comes to the end of its tokens first, the other to that of its money.
    const budgets = {
      tokens: { max_token_budget: 800_000, max_cost_usd: 100 },
      money: { max_token_budget: 100_000_000, max_cost_usd: 2.5 },
    };
    const trees = await Promise.all(
      Object.entries(budgets).map(async ([name, budget]) => ({ name, budget, id: await startTree(name, budget) })),
    );
    const openings = () => new Set(model.bill.map(({ opening }) => opening)).size;
    const everybody = trees.length * (1 + CHILDREN);
    await eventually('all are at work', async () => (openings() === everybody ? true : undefined));
    const finished = () => model.bill.filter(({ isOpen }) => !isOpen).length;
    for (let blow = 0; blow < BLOWS; blow++) {
      const before = finished();
      await strike(dice);
      await eventually('they go on', async () => (finished() >= before + everybody ? true : undefined));
      for (const { id } of trees) expect(await overdrawn(id)).toEqual([]);
    }
    // Let them use up the rest at once, each answer as long as it may be.
    Object.assign(model.manner, { words: 1_000_000, word_ms: 0 });
    for (const { id } of trees) await system.ended(id);
    await eventually('no call is open', async () => (model.bill.some(({ isOpen }) => isOpen) ? undefined : true));

    for (const { name, budget, id } of trees) {
      const { runs, settled, unconfirmed } = await system.ask<RunTree>(`/runs/${id}/tree`);
      expect(runs).toHaveLength(1 + CHILDREN);
      expect(runs.every(({ status }) => hasEnded(status))).toBe(true);
      expect(runs.map(({ status }) => status)).toContain('budget_exceeded');
      const bill = billOf(name);
      expectRising(settled.tokens, bill.tokens, settled.tokens + unconfirmed.tokens, budget.max_token_budget);
      const paid = micros(settled.cost_usd);
      expectRising(paid, bill.micros, paid + micros(unconfirmed.cost_usd), micros(budget.max_cost_usd));
      expect(await overdrawn(id)).toEqual([]);
      for (const run of runs) await expectPaidOnce(run.id);
    }
  }, 240_000);
});
