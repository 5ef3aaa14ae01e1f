import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScheduleCommands } from '../../api/schedule-commands.ts';
import { TriggerUpkeep } from '../../api/trigger-upkeep.ts';
import { createScheduleBody } from '../../domain/schedule.ts';
import { newId } from '../../store/ids.ts';
import { scheduleCollection } from '../../store/schedule-record.ts';
import { changeSchedule, createSchedule } from '../../store/schedules.ts';
import { newKey, newMember } from '../people.ts';
import { quiet } from '../running-system.ts';
import { startWithPeople, type WithPeople } from './people-served.ts';

let served: WithPeople['served'];
let call: WithPeople['call'];
let [admin, ana, ben, reader, stranger, shared] = ['', '', '', '', '', ''];
beforeAll(async () => {
  ({ served, call, admin, ana, ben, reader, stranger, shared } = await startWithPeople());
});
afterAll(() => served.stop());

const wanted = (more: object = {}) => ({
  agent_id: shared,
  input: '[script:plain] Do it.',
  cron_expression: '0 9 * * *',
  ...more,
});
const make = async (token: string, more: object = {}) => {
  const made = await call('POST', '/runs/schedule', token, { body: wanted(more) });
  expect(made).toMatchObject({ status: 201 });
  return made.body;
};
const at = (id: string) => `/runs/schedule/${id}`;
const temporal = (id: string) => served.client.schedule.getHandle(`schedule:${id}`).describe();
/** Of each that Temporal lists: which one, which version, and the minute it fires at. */
async function known(ids: string[]): Promise<unknown[][]> {
  const found: unknown[][] = [];
  for await (const { scheduleId, state, spec } of served.client.schedule.list({ pageSize: 1000 })) {
    if (!ids.includes(scheduleId.replace('schedule:', ''))) continue;
    found.push([scheduleId, state.note, spec?.calendars?.[0]?.minute?.[0]?.start]);
  }
  return found;
}
const runsOf = async (id: string) => (await served.call('GET', `/runs?schedule_id=${id}`)).body.items;
/** By hand, and its run. */
const fire = async (id: string, token = ana, body: object = {}) =>
  (await call('POST', `${at(id)}/trigger`, token, { body })).body;

describe('REQ-012 one schedule is read', () => {
  it('REQ-012 by all members of its workspace, with the next time it runs', async () => {
    const made = await make(ana, { input: { query: 'x' }, tier: 'simple', scopes: ['search.read'] });
    for (const token of [ana, ben, admin, reader]) {
      const found = await call('GET', at(made.id), token);
      expect(found.status).toBe(200);
      expect(found.body).toMatchObject({
        id: made.id,
        agent_id: shared,
        workflow_id: null,
        input: { query: 'x' },
        cron_expression: '0 9 * * *',
        time_zone: 'UTC',
        tier: 'simple',
        scopes: ['search.read'],
        overlap: 'skip',
        is_active: true,
        in_sync: true,
        version: 1,
      });
      expect(new Date(found.body.next_run_time).getUTCHours()).toBe(9);
      expect(new Date(found.body.next_run_time).getTime()).toBeGreaterThan(Date.now());
    }
    expect((await call('GET', '/runs/schedule?limit=100', reader)).body.items).toContainEqual(
      expect.objectContaining({ id: made.id }),
    );
  });

  it('REQ-012 not without a token, not by strangers, and not where there is none', async () => {
    const made = await make(ana);
    expect((await served.call('GET', at(made.id), { token: null })).status).toBe(401);
    expect((await call('GET', at(made.id), stranger)).status).toBe(404);
    expect((await call('GET', at(newId('sch')), ana)).status).toBe(404);
    expect((await call('GET', at('nonsense'), ana)).status).toBe(400);
    for (const [method, path, body] of [
      ['PUT', at(made.id), { tier: 'batch' }],
      ['DELETE', at(made.id), undefined],
      ['POST', `${at(made.id)}/pause`, {}],
      ['POST', `${at(made.id)}/trigger`, {}],
      ['POST', `${at(made.id)}/backfill`, { start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-02T00:00:00Z' }],
    ] as const) {
      expect((await call(method, path, stranger, { body })).status).toBe(404);
      expect((await call(method, path, reader, { body })).status).toBe(403);
      expect((await call(method, path, ben, { body })).status).toBe(403);
    }
  });

  it.each([
    ['no target', { agent_id: undefined }, 'agent_id'],
    ['two targets', { workflow_id: 'wf_x' }, 'agent_id'],
    ['no cron', { cron_expression: 'every day' }, 'cron_expression'],
    ['no zone', { time_zone: 'Mars/Olympus' }, 'time_zone'],
    ['no tier', { tier: 'huge' }, 'tier'],
    ['a mapping of what is not there', { input_mapping: { a: '{{ payload.x }}' } }, 'input_mapping'],
    ['a mapping that cannot be read', { input_mapping: { a: '{{ input. }}' } }, 'input_mapping'],
    ['a field nobody knows', { crontab: 1 }, 'crontab'],
  ])('a bad one is refused at its field: %s', async (_what, more, field) => {
    const refused = await call('POST', '/runs/schedule', ana, { body: wanted(more) });
    expect(refused).toMatchObject({ status: 400, body: { details: { fields: { [field]: expect.any(String) } } } });
  });
});

describe('REQ-013 a schedule is changed', () => {
  it('REQ-013 by its maker and by admins: Temporal has the new times, and the next one is calculated anew', async () => {
    const made = await make(ana, { name: 'Morning' });
    const body = { ...wanted(), cron_expression: '30 10 * * *', time_zone: 'America/New_York', tier: 'simple' };
    const changed = await call('PUT', at(made.id), ana, { body });
    expect(changed).toMatchObject({ status: 200, body: { version: 2, name: 'Morning', in_sync: true } });
    await expect
      .poll(async () => (await temporal(made.id)).info.nextActionTimes[0]?.toISOString())
      .toBe(changed.body.next_run_time);
    expect(changed.body.next_run_time).not.toBe(made.next_run_time);
    expect(await call('PUT', at(made.id), admin, { body: { input: { other: 1 } } })).toMatchObject({
      status: 200,
      body: { version: 3, input: { other: 1 }, cron_expression: '30 10 * * *', created_by: made.created_by },
    });
    expect((await call('PUT', at(made.id), ben, { body })).status).toBe(403);
    expect((await call('PUT', at(made.id), stranger, { body })).status).toBe(404);
    expect((await served.call('PUT', at(made.id), { token: null, body })).status).toBe(401);
  });

  it('REQ-013 with a zone in any spelling that is understood, and Temporal fires by it', async () => {
    const made = await make(ana, { time_zone: 'america/new_york' });
    expect(made).toMatchObject({ in_sync: true, time_zone: 'america/new_york' });
    expect((await temporal(made.id)).info.nextActionTimes[0]?.toISOString()).toBe(made.next_run_time);
  });

  it('REQ-013 on the version that was read: who read an older one is told so', async () => {
    const made = await make(ana);
    const put = (version: number, tier: string) =>
      call('PUT', at(made.id), ana, { body: { tier }, headers: { 'if-match': `"${version}"` } });
    expect((await put(1, 'complex')).headers.get('etag')).toBe('"2"');
    expect(await put(1, 'batch')).toMatchObject({ status: 412, body: { error: 'version_conflict' } });
  });

  it('REQ-013 and paused, let go on, and deleted', async () => {
    const made = await make(ana);
    const paused = await call('POST', `${at(made.id)}/pause`, ana, { body: {} });
    expect(paused.body).toMatchObject({ is_active: false, next_run_time: null });
    await expect.poll(async () => (await temporal(made.id)).state.paused).toBe(true);
    await call('POST', `${at(made.id)}/pause`, ana, { body: { paused: false } });
    await expect.poll(async () => (await temporal(made.id)).state.paused).toBe(false);
    expect((await call('DELETE', at(made.id), ana)).status).toBe(204);
    expect((await call('GET', at(made.id), ana)).status).toBe(404);
    await expect(temporal(made.id)).rejects.toMatchObject({ name: 'ScheduleNotFoundError' });
  });

  it('REQ-010 a workflow with active schedules can be neither changed nor deleted, and is told with the list', async () => {
    const workflow = (
      await call('POST', '/agents/workflows', ana, {
        body: {
          workspace_id: served.workspace.id,
          name: `nightly-${newId('x')}`,
          steps: [{ id: 'a', type: 'wait', duration: 0 }],
        },
      })
    ).body;
    const made = await make(ana, { agent_id: undefined, workflow_id: workflow.id, name: 'Every night', input: {} });
    const conflict = {
      status: 409,
      body: { error: 'has_schedules', details: { schedules: [{ id: made.id, name: 'Every night' }] } },
    };
    const path = `/agents/workflows/${workflow.id}`;
    expect(await call('DELETE', path, ana)).toMatchObject(conflict);
    expect(await call('PUT', path, ana, { body: { description: 'x' } })).toMatchObject(conflict);
    await call('POST', `${at(made.id)}/pause`, ana, { body: {} });
    expect((await call('PUT', path, ana, { body: { description: 'x' } })).status).toBe(200);
    await call('POST', `${at(made.id)}/pause`, ana, { body: { paused: false } });
    const { run_id, outcome } = await fire(made.id);
    expect(outcome).toBe('started');
    expect(await served.ended(run_id)).toMatchObject({ status: 'completed', definition_id: workflow.id });
    await call('DELETE', at(made.id), ana);
    expect((await call('DELETE', path, ana)).status).toBe(204);
  });

  it('200 at once: each is as it was last wanted, in its record and in Temporal', async () => {
    const base = createScheduleBody.parse(wanted({ is_active: false }));
    const { id: first } = await createSchedule(served.caller, { ...base, id: newId('sch') });
    const record = await scheduleCollection().findOne({ _id: first });
    if (!record) throw new Error('it was not stored');
    const others = Array.from({ length: 199 }, () => ({ ...record, _id: newId('sch') }));
    await scheduleCollection().insertMany(others);
    const ids = [first, ...others.map(({ _id }) => _id)];
    // Of some two changes side by side, in two processes: whichever is the last one stands.
    const api = await served.anotherApi();
    const change = async (id: string, minute: number, url: string) => {
      const response = await fetch(`${url}/api/v1${at(id)}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${served.ownerKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ cron_expression: `${minute} 3 * * *` }),
      });
      expect(response.status).toBe(200);
    };
    const twice = new Set(ids.slice(0, 20));
    await Promise.all([
      ...ids.map((id, n) => change(id, n % 60, served.url)),
      ...[...twice].map((id, n) => change(id, (n + 30) % 60, api.url)),
    ]);
    const upkeep = new TriggerUpkeep(served.starter, quiet);
    await upkeep.once(Date.now() + 60_000, 0);
    const docs = await scheduleCollection()
      .find({ _id: { $in: ids } })
      .toArray();
    const versionOf = (id: string) => (twice.has(id) ? 3 : 2);
    expect(docs.map(({ _id, version, applied_version }) => [_id, version, applied_version])).toEqual(
      docs.map(({ _id }) => [_id, versionOf(_id), versionOf(_id)]),
    );
    const wished = docs.map(({ _id, cron_expression }) => [
      `schedule:${_id}`,
      `version ${versionOf(_id)}`,
      Number(cron_expression.split(' ')[0]),
    ]);
    await expect.poll(async () => (await known(ids)).sort(), { interval: 500 }).toEqual(wished.sort());
    await scheduleCollection().deleteMany({ _id: { $in: ids } });
  });
});

describe.concurrent('[8] a schedule that fires', () => {
  it('starts a run as the system user, with what its mapping makes of input and time, within its tier', async () => {
    served.model.script('mapped', [{ text: 'done' }]);
    const made = await make(ana, {
      name: 'Report',
      tier: 'simple',
      input: { who: ['a', 'b'] },
      input_mapping: {
        say: '[script:mapped] {{ input.who[0] }}',
        who: '{{ input.who }}',
        at: '{{ schedule.scheduled_time }}',
      },
    });
    const { run_id, outcome } = await fire(made.id);
    expect(outcome).toBe('started');
    const run = await served.ended(run_id);
    expect(run).toMatchObject({
      status: 'completed',
      output: 'done',
      trigger_type: 'schedule',
      trigger_source: 'schedule: Report',
      schedule_id: made.id,
      caller_name: 'System',
      caller_user_id: expect.stringMatching(/^sys_/),
      budget_max_iterations: 10,
      budget_max_tokens: 25_000,
      input: { say: '[script:mapped] a', who: ['a', 'b'], at: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    expect((await call('GET', at(made.id), reader)).body).toMatchObject({ last_run_id: run_id, last_error: null });
    expect(await runsOf(made.id)).toHaveLength(1);
  });

  it('asks in the inbox of the workspace: who may write can answer, who may read cannot', async () => {
    served.model.script('asks', [
      { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Which one?' } }] },
      { text: 'thanks' },
    ]);
    const made = await make(ana, { input: '[script:asks] Do it.' });
    const { run_id } = await fire(made.id);
    await served.until(run_id, (run) => run.status === 'waiting_for_user');
    const mine = async (token: string) =>
      (await call('GET', '/inbox', token)).body.items.filter((item: { run_id: string }) => item.run_id === run_id);
    expect((await mine(ben)).length).toBe(1);
    expect((await mine(reader)).length).toBe(0);
    expect((await mine(stranger)).length).toBe(0);
    const [{ question }] = await mine(ben);
    const body = { question_id: question.id, answer: 'this one' };
    expect((await call('POST', `/runs/${run_id}/answer`, reader, { body })).status).toBe(403);
    expect((await call('POST', `/runs/${run_id}/answer`, ben, { body })).status).toBe(202);
    expect(await served.ended(run_id)).toMatchObject({ status: 'completed', output: 'thanks' });
  });

  it('skips a time while the run before goes on; cancels it, or runs beside it, where that is wanted', async ({
    expect,
  }) => {
    for (const name of ['slow-1', 'slow-2', 'slow-3']) {
      served.model.script(name, [
        { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Go on?' } }] },
        { text: 'ok' },
      ]);
    }
    const made = await make(ana, { input: '[script:slow-1] Do it.' });
    const first = await fire(made.id);
    await served.until(first.run_id, (run) => run.status === 'waiting_for_user');
    expect(await fire(made.id)).toMatchObject({ outcome: 'skipped', run_id: null });
    await call('PUT', at(made.id), ana, { body: { input: '[script:slow-2] Do it.' } });
    const second = await fire(made.id, ana, { overlap: 'cancel_other' });
    expect(await served.ended(first.run_id)).toMatchObject({ status: 'cancelled' });
    // It starts once the other has ended, which may be after who fired it was answered.
    await expect.poll(async () => (await runsOf(made.id)).length).toBe(2);
    const [next] = await runsOf(made.id);
    expect([null, next.id]).toContain(second.run_id);
    await served.until(next.id, (run) => run.status === 'waiting_for_user');
    await call('PUT', at(made.id), ana, { body: { input: '[script:slow-3] Do it.' } });
    const third = await fire(made.id, ana, { overlap: 'allow_all' });
    expect(third.outcome).toBe('started');
    await served.until(third.run_id, (run) => run.status === 'waiting_for_user');
    expect((await served.get(next.id)).status).toBe('waiting_for_user');
    for (const id of [next.id, third.run_id]) await served.call('POST', `/runs/${id}/cancel`);
    await served.ended(third.run_id);
  });

  it('ends the run before, or begins once that has ended, where that is wanted', async ({ expect }) => {
    const asks = [{ tool_calls: [{ name: 'clarify_user', arguments: { question: 'Go on?' } }] }, { text: 'ok' }];
    for (const name of ['held-1', 'held-2']) served.model.script(name, asks);
    served.model.script('held-3', [{ text: 'at last' }]);
    const made = await make(ana, { input: '[script:held-1] Do it.' });
    const first = await fire(made.id);
    await served.until(first.run_id, (run) => run.status === 'waiting_for_user');
    await call('PUT', at(made.id), ana, { body: { input: '[script:held-2] Do it.' } });
    await fire(made.id, ana, { overlap: 'terminate_other' });
    expect(await served.ended(first.run_id)).toMatchObject({ status: 'cancelled' });
    await expect.poll(async () => (await runsOf(made.id)).length).toBe(2);
    const [second] = await runsOf(made.id);
    await served.until(second.id, (run) => run.status === 'waiting_for_user');
    await call('PUT', at(made.id), ana, { body: { input: '[script:held-3] Do it.' } });
    expect(await fire(made.id, ana, { overlap: 'buffer_one' })).toMatchObject({ outcome: 'requested', run_id: null });
    expect(await runsOf(made.id)).toHaveLength(2);
    await served.call('POST', `/runs/${second.id}/cancel`);
    await expect.poll(async () => (await runsOf(made.id)).length).toBe(3);
    const [third] = await runsOf(made.id);
    expect(await served.ended(third.id)).toMatchObject({ status: 'completed', output: 'at last' });
  });

  it('begins one after the other what was fired meanwhile, and leaves none out, where that is wanted', async ({
    expect,
  }) => {
    served.model.script('queued', [
      { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Go on?' } }] },
      { text: 'ok' },
    ]);
    const made = await make(ana, { input: '[script:queued] Do it.', overlap: 'buffer_all' });
    await fire(made.id);
    for (let n = 1; n <= 2; n++) {
      expect(await fire(made.id)).toMatchObject({ outcome: 'requested', run_id: null });
    }
    for (let n = 1; n <= 3; n++) {
      await expect.poll(async () => (await runsOf(made.id)).length).toBe(n);
      const [latest, ...before] = await runsOf(made.id);
      await served.until(latest.id, (run) => run.status === 'waiting_for_user');
      expect(before.map(({ status }: { status: string }) => status)).toEqual(Array(n - 1).fill('cancelled'));
      await served.call('POST', `/runs/${latest.id}/cancel`);
      await served.ended(latest.id);
    }
  });

  it('names no run that is not there yet: nobody is at work on what was fired', async () => {
    const idle = new ScheduleCommands({ ...served.starter, taskQueue: newId('nobody') }, quiet);
    const base = createScheduleBody.parse(wanted({ is_active: false }));
    const { id } = await idle.create(served.caller, { ...base, id: newId('sch') });
    expect(await idle.fire(served.caller, id, undefined)).toMatchObject({ outcome: 'requested', run_id: null });
    expect(await runsOf(id)).toEqual([]);
  });

  it('makes up for times in the past, each once, however often it is asked to', async ({ expect }) => {
    for (const day of ['01', '02', '03']) served.model.script(`day-${day}`, [{ text: day }]);
    const made = await make(ana, {
      is_active: false,
      time_zone: 'Europe/Berlin',
      input_mapping: '[script:day-{{ input }}] {{ schedule.scheduled_time }}',
      input: '01',
    });
    const span = { start_at: '2026-03-28T00:00:00Z', end_at: '2026-03-30T12:00:00Z' };
    const refused = await call('POST', `${at(made.id)}/backfill`, ana, {
      body: { ...span, end_at: '2999-01-01T00:00:00Z' },
    });
    expect(refused).toMatchObject({ status: 400, body: { details: { fields: { end_at: expect.any(String) } } } });
    const times = ['2026-03-28T08:00:00.000Z', '2026-03-29T07:00:00.000Z', '2026-03-30T07:00:00.000Z'];
    served.model.script('day-01', [{ text: '1' }]);
    const body = { ...span, overlap: 'allow_all' };
    expect(await call('POST', `${at(made.id)}/backfill`, ana, { body })).toMatchObject({
      status: 202,
      body: { times },
    });
    await expect.poll(async () => (await runsOf(made.id)).length).toBe(3);
    await call('POST', `${at(made.id)}/backfill`, ana, { body });
    const fired = await fire(made.id, ana, { overlap: 'allow_all' });
    await served.ended(fired.run_id);
    const inputs = (await runsOf(made.id)).map(({ input }: { input: string }) =>
      input.replace(/^\S+ /, '').replace('Z', '.000Z'),
    );
    expect(
      inputs
        .map((each: string) => each.replace('.000.000Z', '.000Z'))
        .sort()
        .slice(0, 3),
    ).toEqual(times);
    expect(inputs).toHaveLength(4);
  });

  it('says why nothing came of it, where its agent is off or its mapping leads nowhere', async () => {
    const agent = await served.sharedAgent();
    const made = await make(admin, { agent_id: agent.id, input_mapping: '{{ input.missing }}', input: {} });
    expect(await fire(made.id, admin)).toMatchObject({
      outcome: 'refused',
      run_id: null,
      error: { code: 'bad_mapping', message: expect.stringContaining('input.missing') },
    });
    await call('PUT', at(made.id), admin, { body: { input_mapping: null, input: 'x' } });
    await call('POST', `/agents/${agent.id}/activate?active=false`, admin);
    expect(await fire(made.id, admin)).toMatchObject({ outcome: 'refused', error: { code: 'agent_inactive' } });
    expect((await call('GET', at(made.id), ana)).body.last_error).toMatchObject({ code: 'agent_inactive' });
    expect(await runsOf(made.id)).toEqual([]);
  });

  it('runs the personal agent of its maker, which nobody else could put into a schedule', async () => {
    served.model.script('personal', [{ text: 'mine' }]);
    const own = await call('POST', '/agents', ana, {
      body: { workspace_id: served.workspace.id, name: 'Own', model: 'gpt-test' },
    });
    expect((await call('POST', '/runs/schedule', ben, { body: wanted({ agent_id: own.body.id }) })).status).toBe(404);
    const made = await make(ana, { agent_id: own.body.id, input: '[script:personal] Do it.' });
    expect(await served.ended((await fire(made.id)).run_id)).toMatchObject({ status: 'completed', output: 'mine' });
  });

  it('no longer runs the personal agent of a maker who may not write here any more', async ({ expect }) => {
    const maker = await newMember(served.caller, served.workspace.id, 'write');
    const token = await newKey(maker);
    const own = await call('POST', '/agents', token, {
      body: { workspace_id: served.workspace.id, name: 'Left behind', model: 'gpt-test' },
    });
    const made = await make(token, { agent_id: own.body.id });
    await call('PUT', `/workspaces/${served.workspace.id}/members/${maker.user_id}`, admin, { body: { role: 'read' } });
    expect((await call('POST', `${at(made.id)}/trigger`, token, { body: {} })).status).toBe(403);
    await served.client.schedule.getHandle(`schedule:${made.id}`).trigger();
    await expect
      .poll(async () => (await call('GET', at(made.id), admin)).body.last_error)
      .toMatchObject({ code: 'forbidden', message: expect.stringContaining('no longer write') });
    expect(await runsOf(made.id)).toEqual([]);
  });

  it('is steered by nobody who can no longer see what it starts', async () => {
    const maker = await newMember(served.caller, served.workspace.id, 'admin');
    const token = await newKey(maker);
    const body = {
      ...{ workspace_id: served.workspace.id, name: 'For admins', model: 'gpt-test' },
      ...{ visibility: 'workspace', access_level: 'role_based', roles: ['admin'] },
    };
    const guarded = await call('POST', '/agents', admin, { body });
    const made = await make(token, { agent_id: guarded.body.id });
    await call('PUT', `/workspaces/${served.workspace.id}/members/${maker.user_id}`, admin, {
      body: { role: 'write' },
    });
    for (const [method, path, change] of [
      ['PUT', '', { input: 'now do this' }],
      ['POST', '/trigger', {}],
      ['POST', '/backfill', { start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-02T00:00:00Z' }],
    ] as const) {
      expect(await call(method, `${at(made.id)}${path}`, token, { body: change })).toMatchObject({ status: 404 });
    }
    expect((await call('POST', `${at(made.id)}/pause`, token, { body: { paused: true } })).status).toBe(200);
    expect((await call('DELETE', at(made.id), token)).status).toBe(204);
    expect(await runsOf(made.id)).toEqual([]);
  });
});

describe('[13] a process that dies between record and Temporal', () => {
  const made = () => createSchedule(served.caller, { ...createScheduleBody.parse(wanted()), id: newId('sch') });
  const later = (upkeep = new TriggerUpkeep(served.starter, quiet)) => upkeep.once(Date.now() + 60_000);

  it('leaves a schedule that whoever comes next makes in Temporal', async () => {
    const { id } = await made();
    await expect(temporal(id)).rejects.toMatchObject({ name: 'ScheduleNotFoundError' });
    await later();
    expect((await temporal(id)).state.note).toBe('version 1');
  });

  it('leaves a change, and a deletion, that whoever comes next brings about', async () => {
    const { id } = await made();
    await later();
    await changeSchedule(served.caller, id, { cron_expression: '5 5 * * *', is_active: false }, null);
    await later();
    await expect.poll(async () => (await temporal(id)).state).toMatchObject({ note: 'version 2', paused: true });
    await scheduleCollection().updateOne({ _id: id }, { $set: { deleted_at: new Date() }, $inc: { version: 1 } });
    await later();
    await expect(temporal(id)).rejects.toMatchObject({ name: 'ScheduleNotFoundError' });
  });

  it('after it told Temporal an older version than another had: the next comparison corrects it', async () => {
    const { id } = await made();
    await later();
    await served.client.schedule.getHandle(`schedule:${id}`).delete();
    const upkeep = new TriggerUpkeep(served.starter, quiet);
    await upkeep.once(Date.now() + 3_600_000);
    expect((await temporal(id)).state.note).toBe('version 1');
  });

  it('what Temporal still fires of an older version starts nothing that is no longer wanted', async () => {
    const { id } = await made();
    await later();
    await changeSchedule(served.caller, id, { is_active: false }, null);
    const handle = served.client.schedule.getHandle(`schedule:${id}`);
    await handle.trigger();
    await expect.poll(async () => (await handle.describe()).info.recentActions.length).toBe(1);
    const workflowId = (await handle.describe()).info.recentActions[0]?.action.workflow.workflowId ?? '';
    await served.client.workflow.getHandle(workflowId).result();
    expect(await runsOf(id)).toEqual([]);
  });
});
