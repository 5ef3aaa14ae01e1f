import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import type { ForkRun, ResumeRun } from '../../domain/run-requests.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { allEntries } from '../../store/log-reading.ts';
import { findNotebook } from '../../store/notebooks.ts';
import { AGENT, type System, startSystem } from '../running-system.ts';
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

  it('once more with the input it was changed to, unless another is given', async () => {
    const failed = await flows.run([wait('a', 0), read('get', '/no.md')]);
    const again = await resume(failed.id, { from_step: 'get', override_input: { path: '/late.md' } });
    expect(await system.ended(again)).toMatchObject({ status: 'failed' });
    await writeFile(join(system.root, 'late.md'), 'late\n');
    const id = await resume(again);
    expect(await system.ended(id)).toMatchObject({ status: 'completed' });
    expect((await flows.stepsOf(id)).get?.output).toEqual({ text: 'late\n' });
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

describe.concurrent('[3] [15.6] an ended run of a workflow is forked', () => {
  const fork = async (id: string, body: ForkRun) => (await system.commands.fork(system.caller, id, body, newId))._id;
  const fileOf = async (run: { notebook_id: string | null }, name: string) =>
    readFile(join((await findNotebook(system.caller, run.notebook_id ?? '')).path ?? '', name), 'utf8');

  it('at any step, with another input: what was completed before is taken over, with the files of then; its parent is untouched', async () => {
    await writeFile(join(system.root, 'f.md'), 'zero\n');
    const write = (script: string, content: string) => {
      const call = { name: 'write_file', arguments: { path: '/f.md', content } };
      system.model.script(script, [{ tool_calls: [call] }, { text: content }]);
    };
    write('first', 'one\n');
    write('second', 'two\n');
    system.model.script('another', [
      { tool_calls: [{ name: 'read_file', arguments: { path: '/f.md' } }] },
      { tool_calls: [{ name: 'write_file', arguments: { path: '/f.md', content: 'other\n' } }] },
      { text: 'done' },
    ]);
    const { id: agent_id } = await createAgent(system.caller, {
      ...createAgentBody.parse({
        ...AGENT,
        name: 'Bound',
        workspace_id: system.workspace.id,
        scope: { notebooks: [system.notebook.id] },
        confirmation: { write_file: 'never' },
      }),
      id: newId('agt'),
    });
    const by = { agent_id, agent: undefined };
    const parent = await flows.run(
      [
        agent('a', 'first', { ...by, output_mapping: { text: '{{ output }}', 'state.n': 1 } }),
        agent('b', 'second', { ...by, output_mapping: { text: '{{ output }}', 'state.n': 2 } }),
        wait('end', 0, {
          output_mapping: { all: '{{ steps.a.output.text }}{{ steps.b.output.text }}{{ state.n }}{{ input.who }}' },
        }),
      ],
      { who: 'me' },
    );
    expect(parent).toMatchObject({ status: 'completed', output: { all: 'one\ntwo\n2me' } });
    await writeFile(join(system.root, 'f.md'), 'later\n');
    const log = JSON.stringify(await allEntries(parent.id));

    const forked = await system.ended(
      await fork(parent.id, {
        from_step: 'b',
        override_input: '[script:another] Do it another way.',
        input: { who: 'you' },
      }),
    );
    expect(forked).toMatchObject({
      status: 'completed',
      parent_run_id: parent.id,
      relation: 'fork',
      resume_from_step: 'b',
      root_run_id: forked.id,
      output: { all: 'one\ndone2you' },
      workflow_state: { steps: { a: { inherited: true } } },
    });
    expect(await begun(forked.id)).toEqual(['b', 'end']);
    // What the agent of the step saw first is what the step before had left.
    expect(JSON.stringify(system.model.callsOf('another', 1)[0]?.request.messages)).toContain('one');
    expect(system.model.count('first').calls).toBe(2);
    expect(await fileOf(forked, 'f.md')).toBe('other\n');

    const anew = await fork(parent.id, { step: 0, input: { who: 'all' } });
    expect(await system.ended(anew)).toMatchObject({ relation: 'fork', resume_from_step: 0 });
    expect((await begun(anew))[0]).toBe('a');

    expect(JSON.stringify(await allEntries(parent.id))).toBe(log);
    expect(await system.get(parent.id)).toMatchObject({ status: 'completed', output: parent.output });
    expect(await readFile(join(system.root, 'f.md'), 'utf8')).toBe('later\n');
    await expect(fork(forked.id, { from_step: 'a' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { run_id: parent.id },
    });
  });

  it('in the middle of a map: items that were completed when the step began stay, those after it are done again', async () => {
    const parent = await flows.run(
      [
        {
          id: 'each',
          type: 'map',
          over: '{{ input }}',
          max_concurrency: 1,
          steps: [wait('w', 0), read('r', '/{{ item }}')],
        },
      ],
      ['notes.md', 'notes.md', 'notes.md'],
    );
    expect(parent.status).toBe('completed');
    const id = await fork(parent.id, { from_step: 'each[1].r', override_input: { path: '/nowhere.md' } });
    expect(await system.ended(id)).toMatchObject({ status: 'failed', error: { details: { step: 'each[1].r' } } });
    expect(await begun(id)).toEqual(['each[1].r']);
  });

  it('not while it is at work, at no step there is not, and with nothing a workflow does not have', async () => {
    const waits = await flows.start(await flows.define([{ id: 'ok', type: 'approval', message: 'Well?' }]));
    await system.until(waits, ({ status }) => status === 'awaiting_confirmation');
    await expect(fork(waits, { from_step: 'ok' })).rejects.toMatchObject({ code: 'not_ended' });
    const done = await flows.run([wait('a', 0)], {}, { input_schema: { type: 'object', required: [] } });
    const refused: ForkRun[] = [
      { step: 99 },
      { from_step: 'nope' },
      { step: 0, override_input: 1 },
      { from_step: 'a', override_input: 1 },
      { step: 0, input: 'not an object' },
      { step: 0, model: 'gpt-4o' },
      { step: 0, system_prompt: 'Be brief.' },
    ];
    for (const body of refused) {
      await expect(fork(done.id, body), JSON.stringify(body)).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });
});
