import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../domain/identity.ts';
import { type RunStatus, runSchema, type Trigger } from '../../domain/run.ts';
import { disconnectStore } from '../../store/connection.ts';
import { RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { projectRun } from '../../store/run-projection.ts';
import { type RunRecord, runCollection, toRun } from '../../store/run-record.ts';
import { currentRun, findRun, insertRun, listRuns, type RunFilter, waitingRuns } from '../../store/runs.ts';
import {
  agentWith,
  answered,
  asked,
  begun,
  called,
  decided,
  ended,
  message,
  pending,
  replied,
  tool,
} from '../domain/told.ts';
import { ownStore } from '../own-store.ts';

const owner: Caller = { user_id: 'usr_owner', name: 'Owner', org_id: 'org_1', is_owner: true, roles: {} };
const member: Caller = { ...owner, user_id: 'usr_member', is_owner: false, roles: { ws_1: 'read' } };
const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');
const RUNS = 130;

beforeAll(ownStore);
afterAll(disconnectStore);

const newRun = (workspace_id = 'ws_1') => ({
  id: newId('run'),
  agent: agentWith({ workspace_id }),
  notebook: null,
  trigger_type: 'sdk' as const,
  trigger_source: 'test',
  input: { deep: [1, null, { $odd: 'a.b' }] },
  budget: { max_iterations: 3, max_tokens: 100 },
});
const logOf = ({ _id, workspace_id }: RunRecord) => RunLog.open({ run_id: _id, workspace_id });

describe('[16] a list of runs', () => {
  const STATUSES: RunStatus[] = ['completed', 'failed', 'running', 'awaiting_confirmation'];
  const TRIGGERS: Trigger[] = ['sdk', 'chat', 'schedule'];
  let all: RunRecord[];

  beforeAll(async () => {
    const template = await insertRun(owner, newRun('ws_list'));
    await runCollection().deleteOne({ _id: template._id });
    all = Array.from({ length: RUNS }, (_, n) => ({
      ...template,
      _id: `run_${String((n * 7919) % 1000).padStart(26, '0')}`,
      workspace_id: n % 10 === 0 ? 'ws_other' : 'ws_list',
      agent_id: n % 3 === 0 ? 'agt_a' : 'agt_b',
      status: STATUSES[n % 4] ?? 'queued',
      trigger_type: TRIGGERS[n % 3] ?? 'sdk',
      caller_user_id: n % 2 === 0 ? 'usr_owner' : 'usr_member',
      // Several in the same millisecond: the cursor must not lose or repeat them.
      created_at: new Date(BEGIN + Math.floor(n / 4)),
    }));
    await runCollection().insertMany(all);
  });
  afterAll(() => runCollection().deleteMany({ _id: { $in: all.map(({ _id }) => _id) } }));

  const inOrder = (runs: RunRecord[], sort: 'newest' | 'oldest') => {
    const order = (a: RunRecord, b: RunRecord) =>
      a.created_at.getTime() - b.created_at.getTime() || (a._id < b._id ? -1 : 1);
    const oldest = [...runs].sort(order).map(({ _id }) => _id);
    return sort === 'oldest' ? oldest : oldest.reverse();
  };
  async function pages(caller: Caller, filter: RunFilter, limit: number, sort: 'newest' | 'oldest'): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listRuns(caller, filter, { limit, sort, ...(cursor ? { cursor } : {}) });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      ids.push(...page.items.map(({ _id }) => _id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    return ids;
  }

  it.each([
    [7, 'newest'],
    [7, 'oldest'],
    [50, 'newest'],
    [RUNS, 'oldest'],
    [100, 'newest'],
  ] as const)('in pages of %i, %s first, gives every run once and in order', async (limit, sort) => {
    expect(await pages(owner, {}, limit, sort)).toEqual(inOrder(all, sort));
  });

  it('has no next page after the last, also where the last is full', async () => {
    expect((await listRuns(owner, {}, { limit: RUNS, sort: 'newest' })).next_cursor).toBeNull();
    expect((await listRuns(owner, {}, { limit: RUNS - 1, sort: 'newest' })).next_cursor).not.toBeNull();
  });

  it('goes on after the cursor whatever was started meanwhile', async () => {
    const first = await listRuns(owner, {}, { limit: 10, sort: 'newest' });
    const fresh = await insertRun(owner, newRun('ws_list'));
    const second = await listRuns(owner, {}, { limit: 10, sort: 'newest', cursor: first.next_cursor ?? '' });
    await runCollection().deleteOne({ _id: fresh._id });
    expect([...first.items, ...second.items].map(({ _id }) => _id)).toEqual(inOrder(all, 'newest').slice(0, 20));
  });

  it.each<[string, RunFilter, (run: RunRecord) => boolean]>([
    ['agent', { agent_id: 'agt_a' }, (run) => run.agent_id === 'agt_a'],
    ['trigger', { trigger_type: 'chat' }, (run) => run.trigger_type === 'chat'],
    ['caller', { caller_user_id: 'usr_member' }, (run) => run.caller_user_id === 'usr_member'],
    ['status', { status: ['failed'] }, (run) => run.status === 'failed'],
    ['several statuses', { status: ['failed', 'running'] }, (run) => ['failed', 'running'].includes(run.status)],
    ['workspace', { workspace_id: 'ws_other' }, (run) => run.workspace_id === 'ws_other'],
    ['time, from', { from: new Date(BEGIN + 20) }, (run) => run.created_at.getTime() >= BEGIN + 20],
    ['time, before', { to: new Date(BEGIN + 20) }, (run) => run.created_at.getTime() < BEGIN + 20],
    [
      'all at once',
      {
        agent_id: 'agt_b',
        status: ['completed'],
        from: new Date(BEGIN + 3),
        to: new Date(BEGIN + 30),
        workspace_id: 'ws_list',
      },
      (run) =>
        run.agent_id === 'agt_b' &&
        run.status === 'completed' &&
        run.created_at.getTime() >= BEGIN + 3 &&
        run.created_at.getTime() < BEGIN + 30 &&
        run.workspace_id === 'ws_list',
    ],
  ])('is narrowed by %s, over all pages', async (_what, filter, fits) => {
    const expected = all.filter(fits);
    expect(expected.length).toBeGreaterThan(3);
    expect(await pages(owner, filter, 5, 'newest')).toEqual(inOrder(expected, 'newest'));
  });

  it('of a member holds the workspaces of the member alone', async () => {
    const reader: Caller = { ...member, roles: { ws_other: 'read' } };
    expect(await pages(reader, {}, 50, 'newest')).toEqual(
      inOrder(
        all.filter((run) => run.workspace_id === 'ws_other'),
        'newest',
      ),
    );
    await expect(pages(reader, { workspace_id: 'ws_list' }, 50, 'newest')).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['!!', Buffer.from('x|y').toString('base64url'), Buffer.from('1').toString('base64url')])(
    'refuses the cursor %j, which it never gave',
    (cursor) =>
      expect(listRuns(owner, {}, { limit: 5, sort: 'newest', cursor })).rejects.toMatchObject({
        code: 'invalid_request',
      }),
  );
});

describe('the record of a run', () => {
  it('is made once under one id, and then met again', async () => {
    const run = newRun();
    const made = await Promise.all(Array.from({ length: 5 }, () => insertRun(owner, run)));
    expect(new Set(made.map(({ created_at }) => created_at.getTime())).size).toBe(1);
    expect(await runCollection().countDocuments({ _id: run.id })).toBe(1);
  });

  it('is told as the document says, whatever its input is', async () => {
    const run = toRun(await insertRun(owner, newRun()));
    expect(runSchema.parse(run)).toEqual(run);
    expect(toRun(await findRun(owner, run.id))).toEqual(run);
  });

  it('follows the log, and whoever is behind does not take it back', async () => {
    const record = await insertRun(owner, newRun());
    const [ahead, behind] = [await logOf(record), await logOf(record)];
    await behind.append(() => begun);
    await ahead.append(() => [called(1)]);
    const usage = { input: 5, output: 2, cached: 1 };
    await ahead.append(() => [answered(1, { calls: [tool('q', 'clarify_user')], usage }), asked(1, 'q')]);
    await projectRun(ahead, new Date(BEGIN));
    await projectRun(behind);
    const run = toRun(await findRun(owner, record._id));
    expect(runSchema.parse(run)).toMatchObject({
      status: 'waiting_for_user',
      iterations_used: 1,
      tokens_used: 7,
      tokens: usage,
      retry_at: new Date(BEGIN).toISOString(),
      pending_questions: [{ id: 'q_1_q', question: 'Which?' }],
      completed_at: null,
    });
  });

  it('says until when the run waits for another try, also after somebody else has brought it up to date', async () => {
    const record = await insertRun(owner, newRun());
    const log = await logOf(record);
    const retryAt = async () => (await findRun(owner, record._id)).retry_at?.getTime() ?? null;
    await log.append(() => begun);
    await projectRun(log, new Date(BEGIN));
    await log.append(() => [message('hurry')]);
    await projectRun(log);
    expect(await retryAt()).toBe(BEGIN);
    await projectRun(log, null);
    expect(await retryAt()).toBeNull();
    await projectRun(log, new Date(BEGIN));
    await log.append(() => [ended]);
    await projectRun(log);
    expect(await retryAt()).toBeNull();
  });

  it('is never ahead of the log: what is only staged is not shown', async () => {
    const record = await insertRun(owner, newRun());
    const log = await logOf(record);
    log.stage(begun);
    await projectRun(log);
    expect((await findRun(owner, record._id)).status).toBe('queued');
  });

  it('is brought up to date for who reads it after an event told more', async () => {
    const record = await insertRun(owner, newRun());
    const log = await logOf(record);
    const seen = async () => (await currentRun(owner, record._id)).status;
    const calls = [tool('w', 'write_file'), tool('q', 'clarify_user')];
    for (const [facts, status] of [
      [begun, 'running'],
      [[called(1), answered(1, { calls }), pending(1, 'w')], 'awaiting_confirmation'],
      [[asked(1, 'q')], 'awaiting_confirmation'],
      [[decided(1, 'w')], 'waiting_for_user'],
      [[replied(1, 'q')], 'running'],
      [[ended], 'completed'],
    ] as const) {
      await log.append(() => [...facts]);
      expect([facts.at(-1)?.kind, await seen()]).toEqual([facts.at(-1)?.kind, status]);
    }
  });

  it('is not written again for what it does not tell', async () => {
    const record = await insertRun(owner, newRun());
    const log = await logOf(record);
    await log.append(() => begun);
    await currentRun(owner, record._id);
    await log.append(() => [message('hello')]);
    expect((await currentRun(owner, record._id)).log_n).toBe(1);
  });
});

it('the inbox holds what waits in the workspaces of the caller', async () => {
  const ours = await insertRun(owner, newRun('ws_1'));
  const theirs = await insertRun(owner, newRun('ws_2'));
  for (const run of [ours, theirs]) {
    const log = await logOf(run);
    await log.append(() => [...begun, called(1), answered(1, { calls: [tool('q', 'clarify_user')] }), asked(1, 'q')]);
    await projectRun(log);
  }
  const ids = async (caller: Caller) => (await waitingRuns(caller)).map(({ _id }) => _id);
  expect(await ids(owner)).toEqual(expect.arrayContaining([ours._id, theirs._id]));
  expect(await ids(member)).toContain(ours._id);
  expect(await ids(member)).not.toContain(theirs._id);
});
