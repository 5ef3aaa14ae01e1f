import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResumeRun } from '../../domain/run-requests.ts';
import { newId } from '../../store/ids.ts';
import { type System, startSystem } from '../running-system.ts';
import { agent, tool, wait, workflowsOf } from './defined.ts';

let system: System;
let flows: ReturnType<typeof workflowsOf>;
beforeAll(async () => {
  system = await startSystem();
  flows = workflowsOf(system);
});
afterAll(() => system.stop());

const read = (id: string, path: string, more: object = {}) =>
  tool(id, 'read_file', { path }, { output_mapping: { text: '{{ output.content }}' }, ...more });
const resume = async (id: string, body: ResumeRun = {}) =>
  (await system.commands.resume(system.caller, id, body, newId))._id;
/** Which steps a run did itself, in order. */
const begun = async (id: string) =>
  (await flows.eventsOf(id)).filter(({ type }) => type === 'workflow.step.started').map(({ data }) => data.step);

describe.concurrent('[3] a failed run of a workflow is resumed', () => {
  it('from the failed step, with what the steps before it gave and with another input; nothing is done again', async () => {
    system.model.script('once', [{ text: 'bought once' }]);
    const failed = await flows.run(
      [
        agent('buy', 'once', { output_mapping: { text: '{{ output }}', 'state.count': 7 } }),
        read('get', '/{{ input.name }}'),
        wait('end', 0, {
          output_mapping: { all: '{{ steps.buy.output.text }} {{ steps.get.output.text }} {{ state.count }}' },
        }),
      ],
      { name: 'missing.md' },
    );
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'no_such_file' } });
    const id = await resume(failed.id, { from_step: 'get', override_input: { path: '/notes.md' } });
    const run = await system.ended(id);
    expect(run).toMatchObject({
      status: 'completed',
      parent_run_id: failed.id,
      relation: 'resume',
      resume_from_step: 'get',
      root_run_id: id,
      output: { all: expect.stringMatching(/^bought once # Notes[\s\S]* 7$/) },
      workflow_state: { steps: { buy: { inherited: true }, get: { status: 'completed' } } },
    });
    expect(await begun(id)).toEqual(['get', 'end']);
    expect(system.model.count('once').calls).toBe(1);
    expect(await flows.childrenOf(id)).toEqual([]);
    await expect(resume(id)).rejects.toMatchObject({ code: 'not_failed' });
  });

  it('where it failed if no step is named; and again, if that fails too', async () => {
    const failed = await flows.run([wait('a', 0), read('b', '/later.md'), wait('c', 0)]);
    const second = await system.ended(await resume(failed.id));
    expect(second).toMatchObject({ status: 'failed', resume_from_step: 'b' });
    await writeFile(join(system.root, 'later.md'), 'there\n');
    const third = await resume(second.id);
    expect(await system.ended(third)).toMatchObject({ status: 'completed' });
    expect([await begun(second.id), await begun(third)]).toEqual([['b'], ['b', 'c']]);
  });

  it('from an earlier step: that one and what comes after it are done again, what stands beside it is not', async () => {
    const failed = await flows.run([
      wait('a', 0),
      wait('b', 0, { depends_on: ['a'] }),
      wait('beside', 0, { depends_on: ['a'] }),
      read('c', '/no.md', { depends_on: ['b', 'beside'] }),
    ]);
    const id = await resume(failed.id, { from_step: 'b' });
    expect(await system.ended(id)).toMatchObject({ status: 'failed', resume_from_step: 'b' });
    expect(await begun(id)).toEqual(['b', 'c']);
  });

  it('in the middle of a map: its list stays as it was, and only what was not completed is done', async () => {
    for (const name of ['m0.md', 'm2.md']) await writeFile(join(system.root, name), `${name}\n`);
    const failed = await flows.run(
      [
        {
          id: 'each',
          type: 'map',
          over: '{{ input }}',
          max_concurrency: 1,
          steps: [wait('w', 0), read('r', '/{{ item }}')],
        },
        wait('end', 0),
      ],
      ['m0.md', 'm1.md', 'm2.md'],
    );
    expect(failed).toMatchObject({ status: 'failed', error: { details: { step: 'each[1].r' } } });
    const id = await resume(failed.id, { from_step: 'each[1].r', override_input: { path: '/m2.md' } });
    expect(await system.ended(id)).toMatchObject({ status: 'completed' });
    expect(await begun(id)).toEqual(['each[1].r', 'each[2].w', 'each[2].r', 'end']);
    expect((await flows.stepsOf(id)).each?.output).toEqual([
      { text: 'm0.md\n' },
      { text: 'm2.md\n' },
      { text: 'm2.md\n' },
    ]);
  });

  it('not where nothing could come of it, and then nothing runs', async () => {
    const done = await flows.run([wait('a', 0)]);
    const failed = await flows.run([wait('a', 0), read('b', '/no.md'), wait('c', 0)]);
    await expect(resume(done.id)).rejects.toMatchObject({ code: 'not_failed' });
    await expect(resume(failed.id, { from_step: 'nope' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { steps: ['a', 'b', 'c'] },
    });
    await expect(resume(failed.id, { from_step: 'c' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(resume(failed.id, { from_step: 'a', override_input: 1 })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const agentRun = await system.ended(await system.start('never scripted'));
    await expect(system.commands.resumeDefinition(system.caller, agentRun.id, {}, newId)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('an effect that had happened is not repeated: the file is written by one of the two runs', async () => {
    await writeFile(join(system.root, 'log.md'), '');
    const failed = await flows.run([
      tool('w', 'write_file', { path: '/log.md', content: 'one\n' }),
      read('b', '/not-there.md'),
    ]);
    await appendFile(join(system.root, 'log.md'), 'two\n');
    await system.ended(await resume(failed.id, { from_step: 'b', override_input: { path: '/log.md' } }));
    expect(await readFile(join(system.root, 'log.md'), 'utf8')).toBe('one\ntwo\n');
  });
});
