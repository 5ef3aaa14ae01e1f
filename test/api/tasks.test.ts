import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TaskUpkeep } from '../../api/task-upkeep.ts';
import type { Task } from '../../domain/task.ts';
import { newId } from '../../store/ids.ts';
import { assignTask, createTask } from '../../store/tasks.ts';
import { newKey, newMember } from '../people.ts';
import { quiet } from '../running-system.ts';
import { type Call, type Served, startServed } from '../served-system.ts';

let served: Served;
let upkeep: TaskUpkeep;
beforeAll(async () => {
  served = await startServed();
  upkeep = new TaskUpkeep(served.commands, quiet);
});
afterAll(() => served.stop());

/** A round as it would be so much later. */
const roundIn = (seconds: number) => upkeep.once(Date.now() + 1000 * seconds);
const body = (more: object = {}) => ({ workspace_id: served.workspace.id, title: 'Tidy up', ...more });
const make = (more: object = {}, call: Call = {}) => served.call('POST', '/tasks', { ...call, body: body(more) });
const change = (id: string, more: object, call: Call = {}) =>
  served.call('PUT', `/tasks/${id}`, { ...call, body: more });
const get = async (id: string): Promise<Task> => (await served.call('GET', `/tasks/${id}`)).body;
const stored = async (status: string): Promise<string[]> =>
  (await served.call('GET', `/tasks?status=${status}&limit=100`)).body.items.map(({ id }: Task) => id);

const scripted = (name: string) => ({ title: `[script:${name}] Do it`, description: 'With care.' });

describe('[2] a task', () => {
  it('is made open, changed, listed and removed', async () => {
    const { status, body: task } = await make({ description: 'All of it.', notebook_id: served.notebook.id });
    expect([status, task.status, task.assigned_to, task.run_id]).toEqual([201, 'open', null, null]);
    expect(task).toMatchObject({ created_by: served.caller.user_id, notebook_id: served.notebook.id });
    expect((await change(task.id, { title: 'Tidy up more' })).body.title).toBe('Tidy up more');
    expect(await stored('open')).toContain(task.id);
    expect((await served.call('DELETE', `/tasks/${task.id}`)).status).toBe(204);
    expect((await served.call('GET', `/tasks/${task.id}`)).status).toBe(404);
  });

  it('that is assigned when it is made starts a run with its words, and is done when the run completes', async () => {
    served.model.script('made', [{ text: 'Tidied.' }]);
    const { status, body: task } = await make({ ...scripted('made'), assigned_to: served.agent.id });
    expect([status, task.status, task.assigned_name]).toEqual([201, 'in_progress', served.agent.name]);
    const run = await served.ended(task.run_id);
    expect(run).toMatchObject({
      input: '[script:made] Do it\n\nWith care.',
      trigger_type: 'sdk',
      trigger_source: 'task: [script:made] Do it',
      caller_user_id: served.caller.user_id,
    });
    expect(await get(task.id)).toMatchObject({ status: 'done', run_status: 'completed', error_message: null });
    await roundIn(2);
    expect(await stored('done')).toContain(task.id);
  });

  it('fails with the reason of its run, and can be assigned again: a new run', async () => {
    served.model.script('failing', [{ fault: '401' }]);
    served.model.script('better', [{ text: 'Done.' }]);
    const { body: task } = await make({ ...scripted('failing'), assigned_to: served.agent.id });
    await served.ended(task.run_id);
    expect(await get(task.id)).toMatchObject({ status: 'failed', error_message: expect.stringContaining('key') });
    await roundIn(2);
    expect(await stored('failed')).toContain(task.id);

    const again = await change(task.id, { ...scripted('better'), assigned_to: served.agent.id });
    expect([again.status, again.body.status, again.body.error_message]).toEqual([200, 'in_progress', null]);
    expect(again.body.run_id).not.toBe(task.run_id);
    await served.ended(again.body.run_id);
    expect((await get(task.id)).status).toBe('done');
    expect((await change(task.id, { assigned_to: served.agent.id })).status).toBe(409);
  });

  it('whose run is at work cannot be assigned, taken back or changed; the answer says what to do', async () => {
    served.model.script('busy', [{ tool_calls: [{ name: 'clarify_user', arguments: { question: 'Which?' } }] }, {}]);
    const { body: task } = await make({ ...scripted('busy'), assigned_to: served.agent.id });
    await served.until(task.run_id, ({ status }) => status === 'waiting_for_user');
    expect((await get(task.id)).run_status).toBe('waiting_for_user');
    for (const more of [{ assigned_to: served.agent.id }, { assigned_to: null }, { title: 'Other' }]) {
      const { status, body: refused } = await change(task.id, more);
      expect([status, refused.error, refused.details.run_id]).toEqual([409, 'not_ended', task.run_id]);
      expect(refused.message).toContain('cancel it first');
    }
    await served.call('POST', `/runs/${task.run_id}/cancel`);
    await served.ended(task.run_id);
    expect(await get(task.id)).toMatchObject({ status: 'failed', error_message: 'The run was cancelled.' });
    expect((await change(task.id, { assigned_to: null })).body).toMatchObject({ status: 'open', assigned_to: null });
  });

  it('of several who assign it at once goes to one', async () => {
    served.model.script('raced', [{ text: 'Done.' }]);
    const { body: task } = await make(scripted('raced'));
    const tries = await Promise.all([1, 2, 3, 4].map(() => change(task.id, { assigned_to: served.agent.id })));
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    await served.ended((await get(task.id)).run_id ?? '');
    expect(served.model.count('raced').calls).toBe(1);
  });

  it('is not made, and nothing is started, where the assignment is refused', async () => {
    const before = (await served.call('GET', '/tasks?limit=100')).body.items.length;
    expect((await make({ assigned_to: newId('agt') })).status).toBe(404);
    expect((await make({ notebook_id: newId('nb'), assigned_to: served.agent.id })).status).toBe(404);
    expect((await make({ title: ' ' })).status).toBe(400);
    expect((await served.call('GET', '/tasks?limit=100')).body.items).toHaveLength(before);
  });
});

describe('[13] an assignment whose process died', () => {
  it('before its run was made is started by whoever finds it, once', async () => {
    served.model.script('orphan', [{ text: 'Found.' }]);
    const words = { ...body(scripted('orphan')), notebook_id: null, assigned_to: null, description: '' };
    const { id } = await createTask(served.caller, { ...words, id: newId('tsk') });
    const run_id = newId('run');
    await assignTask(served.caller, id, { agent: served.agent, run_id });
    await roundIn(2);
    expect((await get(id)).run_status).toBeNull();
    const others = [1, 2].map(() => new TaskUpkeep(served.commands, quiet));
    await Promise.all([upkeep, ...others].map((one) => one.once(Date.now() + 8_000)));
    await served.ended(run_id);
    expect(await get(id)).toMatchObject({ status: 'done', run_id });
    expect(served.model.count('orphan').calls).toBe(1);
  });

  it('and that nothing can start any more fails and says why', async () => {
    const member = await newMember(served.caller, served.workspace.id, 'write');
    const words = { ...body(), notebook_id: null, assigned_to: null, description: '' };
    const { id } = await createTask(member, { ...words, id: newId('tsk') });
    // The agent is the owner's alone.
    await assignTask(member, id, { agent: served.agent, run_id: newId('run') });
    await roundIn(8);
    expect(await get(id)).toMatchObject({ status: 'failed', error_message: expect.stringContaining('no agent') });
  });
});

describe('[1] tasks', () => {
  it('are made by whoever may start runs, changed by their maker and writers, removed by their maker and admins', async () => {
    const reader = await newMember(served.caller, served.workspace.id, 'read');
    const token = await newKey(reader);
    const writer = await served.member('write');
    const { body: own } = await make({}, { token });
    expect(own.created_by).toBe(reader.user_id);
    expect((await change(own.id, { title: 'Mine' }, { token })).status).toBe(200);
    expect((await change(own.id, { title: 'Ours' }, { token: writer })).status).toBe(200);
    const { body: others } = await make();
    expect((await change(others.id, { title: 'Mine' }, { token })).status).toBe(403);
    const remove = async (id: string, by: string) =>
      (await served.call('DELETE', `/tasks/${id}`, { token: by })).status;
    expect(await remove(others.id, token)).toBe(403);
    expect(await remove(others.id, writer)).toBe(403);
    expect(await remove(own.id, token)).toBe(204);
    expect(await remove(others.id, await served.member('admin'))).toBe(204);
  });

  it('are not there for another organization', async () => {
    const token = await served.foreigner();
    const { body: task } = await make();
    expect((await served.call('GET', `/tasks/${task.id}`, { token })).status).toBe(404);
    expect((await change(task.id, { title: 'x' }, { token })).status).toBe(404);
    expect((await served.call('DELETE', `/tasks/${task.id}`, { token })).status).toBe(404);
    expect((await served.call('GET', '/tasks', { token })).body.items).toEqual([]);
    expect((await make({}, { token })).status).toBe(404);
  });
});
