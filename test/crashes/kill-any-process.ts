import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, type Supervised } from '../supervised-system.ts';
import { expectWhole } from './whole-log.ts';

let system: Supervised;

const VICTIMS = ['worker-1', 'api', 'temporal', 'mongod'];
const read = {
  text: 'Looking around',
  tool_calls: [{ name: 'list_files' }, { name: 'read_file', arguments: { path: '/notes.md' } }],
};

export const killAnyProcess = (installation: () => Supervised) =>
  describe('Any process', () => {
    beforeAll(() => {
      system = installation();
    });

    describe.each(VICTIMS)('[13] kill -9 of %s', (victim) => {
      it('in the middle of a model call: the run completes, and no finished answer is bought again', async () => {
        const script = `${victim}-call`;
        system.model.script(script, [read, read, { text: 'Done after all.' }]);
        const release = system.model.hold(script, 1, 1);
        const id = await system.start(script);
        await system.model.reached(script, 1);
        await system.kill(victim);
        release();
        expect(await system.ended(id)).toMatchObject({
          status: 'completed',
          output: 'Done after all.',
          iterations_used: 3,
        });
        system.model.assertDone(script);
        expectWhole(await system.events(id), 3);
      });

      it('between two steps: the run goes on after the last one that was finished', async () => {
        const script = `${victim}-between`;
        system.model.script(script, [read, read, read, { text: 'Done after all.' }]);
        const release = system.model.hold(script, 2, 0);
        const id = await system.start(script);
        await eventually(
          'the second answer',
          async () =>
            (await system.events(id)).some((event) => event.type === 'model.completed' && event.data.turn === 2) ||
            undefined,
        );
        await system.kill(victim);
        release();
        expect(await system.ended(id)).toMatchObject({ status: 'completed', iterations_used: 4 });
        system.model.assertDone(script);
        expectWhole(await system.events(id), 4);
      });

      it('while a person is awaited: the answer given afterwards is acted on, once', async () => {
        const script = `${victim}-person`;
        const path = `/${victim}.md`;
        system.model.script(script, [
          { tool_calls: [{ name: 'write_file', arguments: { path, content: 'written once\n' } }] },
          { text: 'Written.' },
        ]);
        const id = await system.start(script);
        const waiting = await system.until(id, (run) => run.status === 'awaiting_confirmation');
        const [action] = waiting.pending_actions;
        await system.kill(victim);
        const body = { action_id: action?.id, confirmed: true, digest: action?.digest };
        await eventually('the answer is taken', () =>
          system.call('POST', `/runs/${id}/confirm`, body).catch((error: Error) => {
            // An answer whose acknowledgement was lost with the process that took it is not pending any more.
            if (/not_pending|run_ended/.test(error.message)) return true;
            return undefined;
          }),
        );
        expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'Written.' });
        system.model.assertDone(script);
        expectWhole(await system.events(id), 2);
        expect(await readFile(join(system.root, path), 'utf8')).toBe('written once\n');
        expect((await readdir(system.root)).filter((name) => name.startsWith('.'))).toEqual([]);
      });
    });
  });
