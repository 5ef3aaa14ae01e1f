import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PendingAction } from '../../domain/pending.ts';
import { eventually, type Supervised } from '../supervised-system.ts';
import { expectWhole } from './whole-log.ts';

let system: Supervised;

const VICTIMS = ['worker-1', 'api', 'temporal', 'mongod'];
const read = {
  text: 'Looking around',
  tool_calls: [{ name: 'list_files' }, { name: 'read_file', arguments: { path: '/notes.md' } }],
};

interface Struck {
  /** The model has begun its second answer, and holds it back. */
  call: string;
  /** Its second answer is stored, and the third has not begun. */
  between: string;
  /** It waits to be allowed to write. */
  person: string;
  action: PendingAction | undefined;
}

/** Three runs, each at a point of its own when the process is killed under all of them. */
async function strike(victim: string): Promise<Struck> {
  const { model } = system;
  model.script(`${victim}-call`, [read, read, { text: 'Done after all.' }]);
  model.script(`${victim}-between`, [read, read, read, { text: 'Done after all.' }]);
  const content = 'written once\n';
  model.script(`${victim}-person`, [
    { tool_calls: [{ name: 'write_file', arguments: { path: `/${victim}.md`, content } }] },
    { text: 'Written.' },
  ]);
  const releases = [model.hold(`${victim}-call`, 1, 1), model.hold(`${victim}-between`, 2, 0)];
  const [call, between, person] = await Promise.all([
    system.start(`${victim}-call`),
    system.start(`${victim}-between`),
    system.start(`${victim}-person`),
  ]);
  const isSecond = ({ type, data }: { type: string; data: Record<string, unknown> }) =>
    type === 'model.completed' && data.turn === 2;
  const [waiting] = await Promise.all([
    system.until(person, (run) => run.status === 'awaiting_confirmation'),
    model.reached(`${victim}-call`, 1),
    eventually('the second answer', async () => (await system.events(between)).some(isSecond) || undefined),
  ]);
  await system.kill(victim);
  for (const release of releases) release();
  return { call, between, person, action: waiting.pending_actions[0] };
}

export const killAnyProcess = (installation: () => Supervised) =>
  describe.each(VICTIMS)('[13] kill -9 of %s', (victim) => {
    let struck: Struck;
    beforeAll(async () => {
      system = installation();
      struck = await strike(victim);
    });

    it('in the middle of a model call: the run completes, and no finished answer is bought again', async () => {
      expect(await system.ended(struck.call)).toMatchObject({
        status: 'completed',
        output: 'Done after all.',
        iterations_used: 3,
      });
      system.model.assertDone(`${victim}-call`);
      expectWhole(await system.events(struck.call), 3);
    });

    it('between two steps: the run goes on after the last one that was finished', async () => {
      expect(await system.ended(struck.between)).toMatchObject({ status: 'completed', iterations_used: 4 });
      system.model.assertDone(`${victim}-between`);
      expectWhole(await system.events(struck.between), 4);
    });

    it('while a person is awaited: the answer given afterwards is acted on, once', async () => {
      const { person: id, action } = struck;
      const body = { action_id: action?.id, confirmed: true, digest: action?.digest };
      await eventually('the answer is taken', () =>
        system.call('POST', `/runs/${id}/confirm`, body).catch((error: Error) => {
          // An answer whose acknowledgement was lost with the process that took it is not pending any more.
          if (/not_pending|run_ended/.test(error.message)) return true;
          return undefined;
        }),
      );
      expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'Written.' });
      system.model.assertDone(`${victim}-person`);
      expectWhole(await system.events(id), 2);
      expect(await readFile(join(system.root, `${victim}.md`), 'utf8')).toBe('written once\n');
      expect((await readdir(system.root)).filter((name) => name.startsWith('.'))).toEqual([]);
    });
  });
