import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readIdentity } from '../../workers/identity.ts';
import { eventually, type Supervised } from '../supervised-system.ts';
import { expectWhole } from './whole-log.ts';

const TURNS = 12;
const STOPS = 2;

let system: Supervised;
let connection: Connection;

/** The process that carries the run now. */
const holderOf = (client: Client, runId: string): Promise<number> =>
  eventually('a worker that holds the run', async () => {
    const { raw } = await client.workflow.getHandle(`run:${runId}`).describe();
    return readIdentity(raw.pendingActivities?.[0]?.lastWorkerIdentity ?? '')?.pid;
  });

export const zombieWorkers = (installation: () => Supervised) =>
  describe('A zombie', () => {
    beforeAll(async () => {
      system = installation();
      const { temporal } = JSON.parse(await readFile(join(system.home, 'engines.json'), 'utf8'));
      connection = await Connection.connect({ address: `127.0.0.1:${temporal.port}` });
    });
    afterAll(() => connection.close());

    describe('[13] a worker stopped past its heartbeat while another one runs', () => {
      it('comes back as a zombie and writes nothing: each answer once, what it had asked for is told as unconfirmed', async () => {
        const read = {
          fault: 'slow' as const,
          delay_ms: 15,
          text: 'I am reading on',
          tool_calls: [{ name: 'list_files' }],
        };
        system.model.script('zombie', [...Array.from({ length: TURNS - 1 }, () => read), { text: 'Whole.' }]);
        const client = new Client({ connection });
        const id = await system.start('zombie');
        const answers = async () =>
          (await system.events(id)).filter((event) => event.type === 'model.completed' && event.data.ok).length;

        for (let stop = 0; stop < STOPS; stop++) {
          const before = await answers();
          const holder = await holderOf(client, id);
          process.kill(holder, 'SIGSTOP');
          await eventually('the other worker goes on', async () =>
            (await answers()) >= before + 2 ? true : undefined,
          );
          process.kill(holder, 'SIGCONT');
        }
        const run = await system.ended(id);
        expect(run).toMatchObject({ status: 'completed', output: 'Whole.', iterations_used: TURNS });
        expectWhole(await system.events(id), TURNS);
        expect(run.unconfirmed_calls).toBeLessThanOrEqual(STOPS);
        // At most: a worker may be stopped after it said it would call and before it did.
        expect(system.model.count('zombie').calls - TURNS).toBeLessThanOrEqual(run.unconfirmed_calls);
        expect(system.model.unexpected).toEqual([]);
      }, 180_000);
    });
  });
