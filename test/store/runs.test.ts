import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../domain/facts.ts';
import type { Caller } from '../../domain/identity.ts';
import { runSchema } from '../../domain/run.ts';
import { disconnectStore } from '../../store/connection.ts';
import { RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { budgetOf } from '../../store/new-run.ts';
import { projectRun } from '../../store/run-projection.ts';
import { completeRecord, type RunRecord, runCollection, toRun } from '../../store/run-record.ts';
import { insertChildRun, loadRun } from '../../store/run-upkeep.ts';
import { currentRun, findRun, insertRun, openRunsBelow, treeOf, waitingRuns } from '../../store/runs.ts';
import {
  answered,
  asked,
  begun,
  called,
  childAnswered,
  childAsked,
  decided,
  delegated,
  ended,
  failed,
  message,
  paused,
  pending,
  replied,
  returned,
  tool,
  unpaused,
} from '../domain/told.ts';
import { ownStore } from '../own-store.ts';
import { newRun } from './new-run.ts';

const owner: Caller = { user_id: 'usr_owner', name: 'Owner', org_id: 'org_1', is_owner: true, roles: {} };
const member: Caller = { ...owner, user_id: 'usr_member', is_owner: false, roles: { ws_1: 'read' } };
const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');

beforeAll(ownStore);
afterAll(disconnectStore);

const logOf = ({ _id, workspace_id }: RunRecord) => RunLog.open({ run_id: _id, workspace_id });

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
    await projectRun(ahead, { retry_at: new Date(BEGIN) });
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
    await projectRun(log, { retry_at: new Date(BEGIN) });
    await log.append(() => [message('hurry')]);
    await projectRun(log);
    expect(await retryAt()).toBe(BEGIN);
    await projectRun(log, { retry_at: null });
    expect(await retryAt()).toBeNull();
    await projectRun(log, { retry_at: new Date(BEGIN) });
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
    const calls = [tool('w', 'write_file'), tool('q', 'clarify_user'), tool('d', 'delegate_to_scout')];
    for (const [facts, status] of [
      [begun, 'running'],
      [[called(1), answered(1, { calls }), pending(1, 'w')], 'awaiting_confirmation'],
      [[asked(1, 'q')], 'awaiting_confirmation'],
      [[decided(1, 'w')], 'waiting_for_user'],
      [[replied(1, 'q')], 'running'],
      [[paused], 'paused'],
      [[unpaused], 'running'],
      [[delegated(1, 'd'), childAsked('run_1_d')], 'waiting_for_user'],
      [[childAnswered('run_1_d')], 'running'],
      [[childAsked('run_1_d', 'action')], 'awaiting_confirmation'],
      [[returned(1, 'd')], 'running'],
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

describe('what a record tells of a run', () => {
  const shown = async (...appends: Fact[][]) => {
    const record = await insertRun(owner, newRun());
    const log = await logOf(record);
    for (const facts of appends) await log.append(() => facts);
    await projectRun(log);
    return runSchema.parse(toRun(await findRun(owner, record._id)));
  };
  const calls = [tool('d', 'delegate_to_scout')];
  const spent = { iterations: 2, tokens: 50, micros: 2_000_000 };

  it('[3] is what it used itself, and what all below it have', async () => {
    const run = await shown(
      begun,
      [called(1), answered(1, { calls, cost_micros: 500_000 }), delegated(1, 'd')],
      [returned(1, 'd', spent)],
    );
    expect(run).toMatchObject({
      iterations_used: 1,
      tokens_used: 20,
      cost_usd: 0.5,
      tree: { iterations: 3, tokens: 70, cost_usd: 2.5 },
    });
  });

  it('[15.1] is what may have been billed', async () => {
    const reserved = { tokens: 70, micros: 3 };
    const run = await shown(begun, [called(1, 1, { reserved }), failed(1, 1, { code: 'stream_cut' })]);
    expect(run).toMatchObject({ unconfirmed_calls: 1, unconfirmed_tokens: 70, unconfirmed_cost_usd: 0.000003 });
  });

  it('is no cost where the price of a call is not known', async () => {
    expect((await shown(begun, [called(1), answered(1, { cost_micros: null })])).cost_usd).toBeNull();
  });

  it('[15.5] is what is asked below, with the run that asks; of its own questions its own name', async () => {
    const both = [...calls, tool('q', 'clarify_user')];
    const run = await shown(
      begun,
      [called(1), answered(1, { calls: both }), delegated(1, 'd'), asked(1, 'q')],
      [childAsked('run_9'), childAsked('run_8', 'action')],
    );
    expect(run.status).toBe('awaiting_confirmation');
    expect(run.pending_actions).toMatchObject([{ id: 'act_of_run_8', run_id: 'run_8', agent_name: 'Scout' }]);
    expect(run.pending_questions).toMatchObject([
      { id: 'q_1_q', run_id: run.id, agent_name: run.agent_name },
      { id: 'q_of_run_9', run_id: 'run_9', agent_name: 'Scout' },
    ]);
  });

  it('is nothing that is asked, once it has ended', async () => {
    const run = await shown(begun, [childAsked('run_9'), childAsked('run_8', 'action')], [ended]);
    expect([run.pending_actions, run.pending_questions]).toEqual([[], []]);
  });

  it('is its history, where somebody has seen it, until somebody sees it anew', async () => {
    const record = await insertRun(owner, newRun());
    const log = await logOf(record);
    const history = { events: 5, bytes: 100, max_events: 1_000 };
    await log.append(() => begun);
    await projectRun(log, { history });
    await projectRun(log);
    expect((await findRun(owner, record._id)).history).toEqual(history);
  });
});

it.each([
  [{ max_micros: null, max_active_ms: null }],
  [{ max_micros: 1, max_active_ms: 1_000 }],
  [{ max_micros: 123_456_789, max_active_ms: 86_400_000 }],
])('a budget is read back as it was given: %j', async (limits) => {
  const budget = { max_iterations: 7, max_tokens: 1_234, ...limits };
  expect(budgetOf(await insertRun(owner, newRun('ws_1', { budget })))).toEqual(budget);
});

it('a bound of an earlier build bounds no documents and tools, and grants of one pass none on', async () => {
  const { _id } = await insertRun(owner, newRun());
  const flags = { can_read: true, can_write: true };
  await runCollection().updateOne(
    { _id },
    {
      $unset: { 'bound.knowledge_sources': '', 'bound.tools': '', 'bound.mcp_servers': '' },
      $set: { 'agent.grants': { ...flags, scope: {} } },
    },
  );
  const loaded = await loadRun(_id);
  const [all, none] = [['*'], [] as string[]];
  expect(loaded?.bound).toMatchObject({ knowledge_sources: all, tools: all, mcp_servers: all });
  const unsaid = { can_delete: false, knowledge_sources: none, tools: none, mcp_servers: none };
  expect(loaded?.agent.grants).toMatchObject({ ...flags, ...unsaid });
});

it('a record of an earlier build is completed: alone in its tree, bound by nothing but its agent', async () => {
  const { _id } = await insertRun(owner, newRun());
  const later = ['bound', 'delegates', 'line', 'root_run_id', 'tree', 'workflow_id', 'history', 'files_from'];
  const $unset = Object.fromEntries(later.map((field) => [field, '' as const]));
  await runCollection().updateOne({ _id }, { $unset });
  const loaded = await loadRun(_id);
  expect(loaded).toMatchObject({ delegates: [], line: [_id], root_run_id: _id, files_from: null });
  expect(loaded?.bound.flags.can_write).toBe(true);
  expect(runSchema.parse(toRun(await findRun(owner, _id)))).toMatchObject({ root_run_id: _id, history: null });
});

describe('[3] a tree of runs', () => {
  async function plant() {
    const root = await insertRun(owner, newRun());
    const child = (parent: RunRecord) => {
      const id = newId('run');
      const about = { run_id: parent._id, relation: 'delegation' as const, step: null };
      return newRun('ws_1', { id, line: [...parent.line, id], parent: about, trigger_type: 'delegation' });
    };
    const drafts = [child(root), child(root)];
    for (const draft of drafts) await insertChildRun(root, draft);
    const first = completeRecord(await findRun(owner, drafts[0]?.id ?? ''));
    const below = child(first);
    await insertChildRun(first, below);
    return { root, ids: [...drafts, below].map(({ id }) => id), first, draft: below };
  }

  it('carries caller and organization down, and the line from its root', async () => {
    const { root, first, draft } = await plant();
    expect(await findRun(owner, draft.id)).toMatchObject({
      org_id: root.org_id,
      caller_user_id: root.caller_user_id,
      caller_name: root.caller_name,
      parent_run_id: first._id,
      relation: 'delegation',
      root_run_id: root._id,
      line: [root._id, first._id, draft.id],
    });
  });

  it('makes a child once, however often it is asked for', async () => {
    const { first, draft } = await plant();
    await Promise.all(Array.from({ length: 5 }, () => insertChildRun(first, draft)));
    expect(await runCollection().countDocuments({ _id: draft.id })).toBe(1);
  });

  it('is found whole from any run of it, its root first', async () => {
    const { root, ids } = await plant();
    for (const id of [root._id, ...ids]) {
      const found = (await treeOf(owner, await findRun(owner, id))).map(({ _id }) => _id);
      expect(found[0]).toBe(root._id);
      expect([...found].sort()).toEqual([root._id, ...ids].sort());
    }
  });

  it('knows which runs below another are still open', async () => {
    const { root, ids, first, draft } = await plant();
    const open = async (id: string) => (await openRunsBelow(owner, id)).map(({ _id }) => _id).sort();
    expect(await open(root._id)).toEqual([...ids].sort());
    expect(await open(first._id)).toEqual([draft.id]);
    await runCollection().updateOne({ _id: draft.id }, { $set: { status: 'failed' } });
    expect(await open(first._id)).toEqual([]);
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
