import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../domain/agent.ts';
import type { Executor } from '../../domain/checkout.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import type { Notebook, Workspace } from '../../domain/workspace.ts';
import { newRemote, type TestRemote } from '../git-notebook.ts';
import { eventually, type Supervised } from '../supervised-system.ts';
import { expectWhole } from './whole-log.ts';

/** What is promised from the loss of an executor to the next step elsewhere. */
const FAILOVER_MS = 20_000;

let system: Supervised;
let remote: TestRemote;
let start: (script: string) => Promise<string>;
async function begin(): Promise<void> {
  const below = join(system.home, 'notebooks');
  await mkdir(below, { recursive: true });
  remote = await newRemote({ 'notes.md': '# Notes\n' }, below);
  const { id: workspace_id } = await system.call<Workspace>('POST', '/workspaces', { name: 'Repository' });
  const make = { workspace_id, name: 'Repository', kind: 'git', url: remote.url };
  const { id: notebook_id } = await system.call<Notebook>('POST', '/notebooks', make);
  const { id: agent_id } = await system.call<Agent>('POST', '/agents', {
    ...{ workspace_id, name: 'Coder', model: 'gpt-test', scope: { notebooks: ['*'] } },
    ...{ can_write: true, can_create: true },
  });
  start = async (script) => {
    const body = { agent_id, notebook_id, input: `[script:${script}] Do it.` };
    return (await system.call<{ id: string }>('POST', '/runs', body)).id;
  };
}

const write = (path: string, content: string) => ({
  tool_calls: [{ name: 'write_file', arguments: { path, content } }],
});
const read = (path: string) => ({ tool_calls: [{ name: 'read_file', arguments: { path } }] });
const readies = (events: RunEvent[]) => events.filter(({ type }) => type === 'checkout.ready');

/** The worker process that is this executor. */
async function workerOf(executor: string): Promise<string> {
  for (const name of ['worker-1', 'worker-2']) {
    const log = await readFile(join(system.home, 'logs', `${name}.log`), 'utf8');
    if (log.includes(`"executor":"${executor}"`)) return name;
  }
  throw new Error(`nobody is ${executor}`);
}

export const executors = (installation: () => Supervised) =>
  describe('An executor', () => {
    beforeAll(async () => {
      system = installation();
      await begin();
    });

    describe('[6] kill -9 of the executor that has a run', () => {
      it('and removal of its directory: another goes on with the files of the last completed step, each step once', async () => {
        const script = 'lost';
        system.model.script(script, [
          write('/a.md', 'of the first step\n'),
          write('/b.md', 'of the second step\n'),
          read('/a.md'),
          read('/b.md'),
          { text: 'Whole.' },
        ]);
        const release = system.model.hold(script, 2);
        const id = await start(script);
        await system.model.reached(script, 2);
        const executor = String(readies(await system.events(id))[0]?.data.executor);
        const killed = Date.now();
        await system.kill(await workerOf(executor));
        await rm(join(system.home, 'executors', executor.replaceAll(':', '@')), { recursive: true, force: true });
        const next = await eventually('a checkout elsewhere', async () => readies(await system.events(id))[1]);
        expect(Date.now() - killed).toBeLessThan(FAILOVER_MS);
        expect(next.data).toMatchObject({ epoch: 2, restored: true });
        expect(next.data.executor).not.toBe(executor);
        release();

        expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'Whole.', iterations_used: 5 });
        system.model.assertDone(script);
        const events = await system.events(id);
        expectWhole(events, 5);
        const told = events.filter(({ type }) => type === 'tool.completed').map(({ data }) => [data.ok, data.summary]);
        expect(told).toEqual([
          [true, expect.stringContaining('/a.md')],
          [true, expect.stringContaining('/b.md')],
          [true, expect.stringContaining('of the first step')],
          [true, expect.stringContaining('of the second step')],
        ]);
        // The one that is no more is not counted, and none has anything left of the run.
        await eventually('two others that live', async () => {
          const { items } = await system.ask<{ items: Executor[] }>('/executors');
          const alive = items.filter(({ state }) => state === 'alive');
          const isOver = alive.every(({ id: each, checkouts }) => each !== executor && checkouts === 0);
          return alive.length === 2 && isOver ? true : undefined;
        });
      });
    });
  });
