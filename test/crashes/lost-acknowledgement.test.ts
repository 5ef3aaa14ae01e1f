import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { entryEvents } from '../../domain/trace.ts';
import { nativeCollection } from '../../store/connection.ts';
import { allEntries } from '../../store/log-reading.ts';
import { APPEND, LossyLine } from '../doubles/lossy-line.ts';
import { SECRET_KEY, type System, startSystem } from '../running-system.ts';
import { expectWhole } from './whole-log.ts';

const WORKER = fileURLToPath(new URL('../../dist/workers/agent-worker.js', import.meta.url));
const TURNS = 3;

let system: System;
let home: string;
beforeAll(async () => {
  system = await startSystem();
  home = await mkdtemp(join(tmpdir(), 'longhaul-worker-'));
});
afterAll(async () => {
  await system.stop();
  await rm(home, { recursive: true, force: true });
});

describe('[15.2] a worker killed when the store has its answer and it does not know', () => {
  it.each([1, TURNS])('costs nothing: answer %i is bought once, and the run goes on from it', async (turn) => {
    const script = `acknowledged ${turn}`;
    const text = (n: number) => `Answer ${n} of ${TURNS}`;
    const reads = (n: number) => ({ text: text(n), tool_calls: [{ name: 'list_files' }] });
    system.model.script(script, [...Array.from({ length: TURNS - 1 }, (_, i) => reads(i + 1)), { text: text(TURNS) }]);

    const taskQueue = `lost-${turn}`;
    const { dbName } = nativeCollection('log');
    const direct = new URL(inject('MONGODB_URI'));
    direct.pathname = `/${dbName}`;
    const startWorker = async (mongodb: URL): Promise<ChildProcess> => {
      const child = fork(WORKER, {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        env: {
          ...process.env,
          LONGHAUL_HOME: home,
          LONGHAUL_TASK_QUEUE: taskQueue,
          MONGODB_URI: mongodb.href,
          TEMPORAL_ADDRESS: inject('TEMPORAL_ADDRESS'),
          SECRET_KEY,
          OPENAI_API_KEY: 'test',
          OPENAI_BASE_URL: system.model.url,
        },
      });
      await once(child, 'message');
      return child;
    };

    let first: ChildProcess | undefined;
    const isAnswer = (message: Buffer) =>
      message.includes(APPEND) && message.includes('answered') && message.includes(text(turn));
    const line = new LossyLine(direct, isAnswer, () => first?.kill('SIGKILL'));
    line.toLose = 1;
    first = await startWorker(await line.listen());
    const gone = once(first, 'exit');
    const id = await system.start(script, {}, { taskQueue });
    await gone;
    expect(line.lost).toBe(1);
    line.close();

    const second = await startWorker(direct);
    try {
      const run = await system.ended(id);
      expect(run).toMatchObject({ status: 'completed', output: text(TURNS), unconfirmed_calls: 0 });
      expectWhole((await allEntries(id)).flatMap(entryEvents), TURNS);
      expect(system.model.count(script).calls).toBe(TURNS);
      expect(system.model.unexpected).toEqual([]);
    } finally {
      second.kill('SIGKILL');
    }
  });
});
