import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../domain/identity.ts';
import type { RunStatus, Trigger } from '../../domain/run.ts';
import { isAscending, ORDERS, RUN_ORDERS, type RunOrder } from '../../domain/run-order.ts';
import { disconnectStore } from '../../store/connection.ts';
import { listRuns, type RunFilter } from '../../store/run-list.ts';
import { type RunRecord, runCollection } from '../../store/run-record.ts';
import { insertRun } from '../../store/runs.ts';
import { ownStore } from '../own-store.ts';
import { newRun } from './new-run.ts';

const owner: Caller = { user_id: 'usr_owner', name: 'Owner', org_id: 'org_1', is_owner: true, roles: {} };
const member: Caller = { ...owner, user_id: 'usr_member', is_owner: false, roles: { ws_1: 'read' } };
const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');
const RUNS = 130;

beforeAll(ownStore);
afterAll(disconnectStore);

describe('[16] a list of runs', () => {
  const STATUSES: RunStatus[] = ['completed', 'failed', 'running', 'awaiting_confirmation'];
  const TRIGGERS: Trigger[] = ['sdk', 'chat', 'schedule'];
  const RELATIONS: RunRecord['relation'][] = [null, 'delegation', 'resume', 'fork'];
  let all: RunRecord[];

  beforeAll(async () => {
    const template = await insertRun(owner, newRun('ws_list'));
    await runCollection().deleteOne({ _id: template._id });
    all = Array.from({ length: RUNS }, (_, n) => ({
      ...template,
      _id: `run_${String((n * 7919) % 1000).padStart(26, '0')}`,
      workspace_id: n % 10 === 0 ? 'ws_other' : 'ws_list',
      agent_id: n % 3 === 0 ? 'agt_a' : 'agt_b',
      agent_name: `Agent ${(n * 11) % 3}`,
      caller_name: `Caller ${(n * 5) % 4}`,
      iterations_used: (n * 19) % 6,
      status: STATUSES[n % 4] ?? 'queued',
      trigger_type: TRIGGERS[n % 3] ?? 'sdk',
      caller_user_id: n % 2 === 0 ? 'usr_owner' : 'usr_member',
      // Several in the same millisecond: the cursor must not lose or repeat them.
      created_at: new Date(BEGIN + Math.floor(n / 4)),
      // Many with the same value, and some that have none yet or none that is known.
      duration_ms: n % 5 === 0 ? null : (n * 31) % 7,
      cost_usd: n % 6 === 0 ? null : ((n * 17) % 5) / 1_000_000,
      tokens_used: (n * 13) % 4,
      relation: RELATIONS[n % 4] ?? null,
      parent_run_id: n % 4 === 0 ? null : 'run_above',
    }));
    await runCollection().insertMany(all);
  });
  afterAll(() => runCollection().deleteMany({ _id: { $in: all.map(({ _id }) => _id) } }));

  /** Those without a value are the least of all, and equals go by their id; ascending is descending turned round. */
  const inOrder = (runs: RunRecord[], sort: RunOrder) => {
    const value = (run: RunRecord) => run[ORDERS[sort][0]] ?? Number.NEGATIVE_INFINITY;
    const order = (a: RunRecord, b: RunRecord) => {
      if (value(a) < value(b)) return -1;
      return value(a) > value(b) || a._id > b._id ? 1 : -1;
    };
    const ids = [...runs].sort(order).map(({ _id }) => _id);
    return isAscending(sort) ? ids : ids.reverse();
  };
  async function pages(caller: Caller, filter: RunFilter, limit: number, sort: RunOrder): Promise<string[]> {
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

  it.each(RUN_ORDERS.flatMap((sort) => [3, 50, RUNS].map((limit) => [limit, sort] as const)))(
    'in pages of %i, by %s, gives every run once and in order',
    async (limit, sort) => expect(await pages(owner, {}, limit, sort)).toEqual(inOrder(all, sort)),
  );

  it.each(RUN_ORDERS)('by %s has a cursor that no other order takes', async (sort) => {
    const { next_cursor } = await listRuns(owner, {}, { limit: 5, sort });
    for (const other of RUN_ORDERS.filter((one) => one !== sort)) {
      await expect(listRuns(owner, {}, { limit: 5, sort: other, cursor: next_cursor ?? '' })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    }
  });

  it.each(RUN_ORDERS)('by %s shows nothing to another organization, also with a cursor of this one', async (sort) => {
    const foreign: Caller = { ...owner, org_id: 'org_2' };
    expect(await pages(foreign, {}, 50, sort)).toEqual([]);
    const { next_cursor } = await listRuns(owner, {}, { limit: 5, sort });
    expect((await listRuns(foreign, {}, { limit: 5, sort, cursor: next_cursor ?? '' })).items).toEqual([]);
  });

  it('of another organization that one asks for is empty, of the own one whole', async () => {
    expect(await pages(owner, { org_id: 'org_2' }, 50, 'newest')).toEqual([]);
    expect(await pages(owner, { org_id: 'org_1' }, 50, 'newest')).toEqual(inOrder(all, 'newest'));
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
    ['the run above', { parent_run_id: 'run_above' }, (run) => run.parent_run_id === 'run_above'],
    ['being the head of its tree', { root: true }, (run) => run.relation !== 'delegation'],
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

  const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  it.each([
    '!!',
    Buffer.from('x|y').toString('base64url'),
    Buffer.from('1').toString('base64url'),
    ...[
      null,
      {},
      [],
      ['newest'],
      ['newest', 1],
      ['newest', 1, 2],
      ['newest', '1', 'run_1'],
      ['agent', 1, 'run_1'],
      ['newest', { $gt: 0 }, 'a'],
    ].map(forged),
    forged(['newest', 1e300, 'run_1']),
    forged(['newest', 1, { $ne: null }]),
  ])('refuses the cursor %j, which it never gave', (cursor) =>
    expect(listRuns(owner, {}, { limit: 5, sort: 'newest', cursor })).rejects.toMatchObject({
      code: 'invalid_request',
    }),
  );

  it('tells what a list shows, and keeps to itself what only a run needs', async () => {
    const { items } = await listRuns(owner, {}, { limit: 1, sort: 'newest' });
    for (const field of ['agent', 'bound', 'delegates']) expect(items[0]).not.toHaveProperty(field);
  });
});
