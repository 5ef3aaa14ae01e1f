import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MockActivityEnvironment } from '@temporalio/testing';
import { NativeConnection, Worker } from '@temporalio/worker';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createPurge } from '../../activities/retention.ts';
import { createAgentBody } from '../../domain/agent.ts';
import { REPLAY_WINDOW_S } from '../../domain/event.ts';
import type { PurgeInput, PurgeOutcome } from '../../domain/retention.ts';
import { retentionId } from '../../domain/retention.ts';
import { runStatusSchema } from '../../domain/run.ts';
import { forkNotebookId } from '../../domain/run-id.ts';
import { createAgent } from '../../store/agents.ts';
import { addAuditLines } from '../../store/audit.ts';
import { claimPosition, keepPosition } from '../../store/audit-position.ts';
import { nativeCollection } from '../../store/connection.ts';
import { newId } from '../../store/ids.ts';
import { keepRationale } from '../../store/rationales.ts';
import { ensureRetention } from '../../workers/retention-schedule.ts';
import { auditLine } from '../audit-line.ts';
import { AGENT, type System, startSystem } from '../running-system.ts';

const DAY = 24 * 3_600_000;
const KEPT = 30 * DAY;
const YEAR_AGO = new Date(Date.now() - 365 * DAY);

let system: System;
beforeAll(async () => {
  system = await startSystem();
  await audited(new Date());
});
afterAll(() => system.stop());

const snapshotsDir = () => join(system.home, 'snapshots');
/** As the process leaves it that writes the audit log. */
async function audited(upto: Date | null): Promise<void> {
  await claimPosition('test', 60_000);
  await keepPosition('test', { token: null, upto }, 60_000);
}

const runs = () => nativeCollection<{ _id: string }>('runs');
function purgeOnce(keepRunsMs: number | null = KEPT): Promise<PurgeOutcome> {
  const begin: PurgeInput = { v: 1, place: null };
  return new MockActivityEnvironment().run(createPurge({ keepRunsMs, snapshotsDir: snapshotsDir() }), begin);
}

const age = (id: string, more: object = {}) =>
  runs().updateOne({ _id: id }, { $set: { created_at: YEAR_AGO, started_at: YEAR_AGO, ...more } });
const isThere = async (id: string) => (await runs().findOne({ _id: id })) !== null;

/** When an agent's last calls were let through is the agent's own, and short. */
const NOT_OF_RUNS = ['request_slots'];

/** The names of the collections in which anything tells of the run. */
async function tracesOf(id: string): Promise<string[]> {
  const { db } = mongoose.connection;
  const all = (await db?.listCollections().toArray())?.map(({ name }) => name) ?? [];
  const names = all.filter((name) => !NOT_OF_RUNS.includes(name));
  const found = await Promise.all(
    names.map(async (name) =>
      ((await db?.collection(name).find().toArray()) ?? []).map((each) => JSON.stringify(each)),
    ),
  );
  return names.filter((_, index) => found[index]?.some((text) => text.includes(id)));
}

/** A run that somebody else carried, as its record tells. */
async function recorded(status: string, more: object = {}): Promise<string> {
  const id = newId('run');
  const ended = ['completed', 'failed', 'cancelled', 'budget_exceeded'].includes(status);
  await runs().insertOne({
    _id: id,
    status,
    relation: null,
    parent_run_id: null,
    root_run_id: id,
    created_at: YEAR_AGO,
    completed_at: ended ? YEAR_AGO : null,
    ...more,
  } as { _id: string });
  return id;
}
const below = (root: string, status: string, more: object = {}) =>
  recorded(status, { root_run_id: root, parent_run_id: root, relation: 'delegation', ...more });

describe('a run that ended long ago', () => {
  it('stays for as long as the audit log has not read it, and leaves its lines there when it goes', async () => {
    const id = await recorded('completed');
    const line = auditLine({ run_id: id, action: 'run.completed' });
    await addAuditLines([{ org_id: 'org_1', caller_user_id: 'usr_1', line }]);
    for (const upto of [null, YEAR_AGO]) {
      await audited(upto);
      await purgeOnce();
      expect(await isThere(id)).toBe(true);
    }
    await audited(new Date());
    await purgeOnce();
    expect(await isThere(id)).toBe(false);
    expect(await tracesOf(id)).toEqual(['audit']);
  });

  it('goes with everything that belongs to it, large entries of its log too', async () => {
    system.model.script('large', [{ text: 'x'.repeat(400_000) }]);
    const id = await system.start('large');
    await system.ended(id);
    const blobs = nativeCollection('blobs.files');
    const before = await blobs.countDocuments();
    expect(before).toBeGreaterThan(0);
    const tokens = { input: 1, output: 1, cached: 0 };
    const said = { text: 'Because.', model: 'gpt-test', tokens, cost_usd: 0, created_at: new Date().toISOString() };
    await keepRationale({ run_id: id, step_number: 1, ...said });
    await age(id, { completed_at: YEAR_AGO });
    expect(await tracesOf(id)).toEqual(expect.arrayContaining(['log', 'rationales', 'runs']));
    expect((await purgeOnce()).purged).toBe(1);
    expect(await tracesOf(id)).toEqual([]);
    expect(await blobs.countDocuments()).toBeLessThan(before);
  });

  it('takes the files along that were kept for it, and the tree of a fork that nobody else worked on', async () => {
    const write = (path: string) => ({ tool_calls: [{ name: 'write_file', arguments: { path, content: 'kept\n' } }] });
    const agent = await createAgent(system.caller, {
      ...createAgentBody.parse({ ...AGENT, workspace_id: system.workspace.id, confirmation: { write_file: 'never' } }),
      id: newId('agt'),
    });
    system.model.script('kept', [write('/kept.md'), { text: 'Done.' }]);
    system.model.script('kept fork', [write('/of-the-fork.md'), { text: 'Done.' }]);
    const id = await system.start('kept', { agent_id: agent.id });
    await system.ended(id);
    const forked = { step: 0, input: '[script:kept fork] Do it.' };
    const { _id: fork } = await system.commands.fork(system.caller, id, forked, newId);
    await system.ended(fork);
    const notebooks = nativeCollection<{ _id: string; path: string }>('notebooks');
    const own = await notebooks.findOne({ _id: forkNotebookId(fork) });
    expect(await readdir(own?.path ?? '')).toContain('of-the-fork.md');
    const store = join(snapshotsDir(), `${system.notebook.id}.git`);
    const taken = () => execFileSync('git', ['--git-dir', store, 'for-each-ref', `refs/taken/${id}`]).toString();
    expect(taken()).not.toBe('');

    for (const run of [id, fork]) await age(run, { completed_at: YEAR_AGO });
    // The fork first, and only then what it came from.
    expect((await purgeOnce()).purged).toBe(1);
    await expect(stat(own?.path ?? '')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await notebooks.findOne({ _id: forkNotebookId(fork) })).toBeNull();
    expect((await purgeOnce()).purged).toBe(1);
    expect(taken()).toBe('');
    expect(await readdir(system.root)).toContain('kept.md');
  });

  it('stays where nothing was said about how long runs are kept', async () => {
    const id = await recorded('completed');
    expect(await purgeOnce(null)).toEqual({ purged: 0, next: null });
    expect(await isThere(id)).toBe(true);
  });

  it('stays until the time has passed since its end, whenever it began', async () => {
    const id = await recorded('completed', { completed_at: new Date(Date.now() - KEPT + 60_000) });
    await purgeOnce();
    expect(await isThere(id)).toBe(true);
  });

  it('stays while a run that was forked or resumed from it is there', async () => {
    const id = await recorded('failed');
    const heir = await recorded('running', { parent_run_id: id, relation: 'resume' });
    await purgeOnce();
    expect(await isThere(id)).toBe(true);
    await runs().updateOne({ _id: heir }, { $set: { status: 'completed', completed_at: YEAR_AGO } });
    await purgeOnce();
    expect(await isThere(heir)).toBe(false);
    await purgeOnce();
    expect(await isThere(id)).toBe(false);
  });
});

describe('the runs of a session', () => {
  const sessions = () => nativeCollection<{ _id: string }>('sessions');
  const spokenIn = async (updated_at: Date): Promise<string> => {
    const id = newId('ses');
    await sessions().insertOne({ _id: id, updated_at } as { _id: string });
    return id;
  };

  it('stay while it goes on, however old they are, and go with it', async () => {
    const session = await spokenIn(new Date());
    const first = await recorded('completed', { conversation_id: session });
    await purgeOnce();
    expect(await isThere(first)).toBe(true);
    await sessions().updateOne({ _id: session }, { $set: { updated_at: YEAR_AGO } });
    await purgeOnce();
    expect([await isThere(first), await sessions().findOne({ _id: session })]).toEqual([false, null]);
  });

  it('stay while the last of them waits for somebody', async () => {
    const session = await spokenIn(YEAR_AGO);
    const first = await recorded('completed', { conversation_id: session });
    await recorded('awaiting_confirmation', { conversation_id: session });
    await purgeOnce();
    expect([await isThere(first), await sessions().countDocuments({ _id: session })]).toEqual([true, 1]);
  });
});

describe('what has not ended', () => {
  const open = runStatusSchema.options.filter(
    (status) => !['completed', 'failed', 'cancelled', 'budget_exceeded'].includes(status),
  );
  it.each(open)('stays for any time: %s', async (status) => {
    const id = await recorded(status);
    await purgeOnce();
    expect(await isThere(id)).toBe(true);
  });

  it('is still answered after a year, and completes', async () => {
    system.model.script('waits', [
      { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Which?' } }] },
      { text: 'Done.' },
    ]);
    const id = await system.start('waits');
    const waiting = await system.until(id, ({ status }) => status === 'waiting_for_user');
    await age(id);
    await purgeOnce();
    await system.commands.answer(system.caller, id, waiting.pending_questions[0]?.id ?? '', 'This.');
    expect((await system.ended(id)).status).toBe('completed');
  });
});

describe('a tree of runs', () => {
  it('stays whole while any run of it has not ended, or ended lately, and goes as a whole', async () => {
    const root = await recorded('completed');
    const done = await below(root, 'completed');
    const child = await below(root, 'awaiting_confirmation');
    const all = [root, done, child];
    const there = async () => (await Promise.all(all.map(isThere))).filter(Boolean).length;
    await nativeCollection<{ _id: string }>('ledgers').insertOne({ _id: root });
    await purgeOnce();
    expect(await there()).toBe(3);
    await runs().updateOne({ _id: child }, { $set: { status: 'cancelled', completed_at: new Date() } });
    await purgeOnce();
    expect(await there()).toBe(3);
    await runs().updateOne({ _id: child }, { $set: { completed_at: YEAR_AGO } });
    expect((await purgeOnce()).purged).toBe(3);
    for (const id of all) expect(await tracesOf(id)).toEqual([]);
  });

  it('that was left halfway by a crash is taken away by the next round', async () => {
    const root = await recorded('completed');
    await below(root, 'completed');
    await nativeCollection('log').deleteMany({ '_id.run': root });
    expect((await purgeOnce()).purged).toBe(2);
  });
});

it('many are purged in batches, and those that stay do not hold up those behind them', async () => {
  const kept = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const root = await recorded('completed', { completed_at: new Date(YEAR_AGO.getTime() - DAY) });
      await below(root, 'running');
      return root;
    }),
  );
  const gone = await Promise.all(Array.from({ length: 70 }, () => recorded('completed')));
  expect(await purgeOnce()).toMatchObject({ purged: 70, next: null });
  expect(await runs().countDocuments({ _id: { $in: gone } })).toBe(0);
  expect(await runs().countDocuments({ _id: { $in: kept } })).toBe(60);
});

describe('a delivery of a webhook', () => {
  const deliveries = () => nativeCollection<{ _id: string }>('event_deliveries');
  const received = async (more: object = {}): Promise<string> => {
    const id = newId('dlv');
    const doc = { _id: id, source_id: 'src', fingerprint: id, status: 'unmatched', parts: [], created_at: YEAR_AGO };
    await deliveries().insertOne({ ...doc, ...more } as { _id: string });
    return id;
  };
  const stays = async (id: string) => (await deliveries().findOne({ _id: id })) !== null;

  it('goes with the last of its runs, and what is still to be started stays', async () => {
    const run = await recorded('completed', { completed_at: new Date() });
    const parts = [{ run_id: run }, { run_id: newId('run') }];
    const [started, pending, lately, nothing] = await Promise.all([
      received({ status: 'started', parts }),
      received({ status: 'pending' }),
      received({ created_at: new Date(Date.now() - KEPT + 60_000) }),
      received(),
    ]);
    await purgeOnce(null);
    expect(await stays(nothing)).toBe(true);
    await purgeOnce();
    expect(await Promise.all([started, pending, lately, nothing].map(stays))).toEqual([true, true, true, false]);
    await runs().updateOne({ _id: run }, { $set: { completed_at: YEAR_AGO } });
    await purgeOnce();
    expect([await isThere(run), await stays(started)]).toEqual([false, false]);
  });

  it('is known for longer than its request could be sent again, however short runs are kept', async () => {
    const id = await received({ created_at: new Date(Date.now() - 1000 * REPLAY_WINDOW_S) });
    await purgeOnce(1);
    expect(await stays(id)).toBe(true);
  });

  it('is purged in batches, behind those that stay', async () => {
    const run = await recorded('running');
    const kept = { status: 'started', parts: [{ run_id: run }], created_at: new Date(YEAR_AGO.getTime() - DAY) };
    const before = await Promise.all(Array.from({ length: 55 }, () => received(kept)));
    const gone = await Promise.all(Array.from({ length: 55 }, () => received()));
    await purgeOnce();
    expect(await deliveries().countDocuments({ _id: { $in: gone } })).toBe(0);
    expect(await deliveries().countDocuments({ _id: { $in: before } })).toBe(55);
  });
});

it('documents that were never finished are swept, and whole ones stay', async () => {
  const source = (is_whole: boolean) => ({ _id: newId('kn'), is_whole, created_at: YEAR_AGO });
  const [half, whole] = [source(false), source(true)];
  await nativeCollection<{ _id: string }>('knowledge').insertMany([half, whole]);
  await nativeCollection('knowledge_passages').insertOne({ _id: { source: half._id, n: 0 } } as never);
  await purgeOnce(null);
  expect(await tracesOf(half._id)).toEqual([]);
  expect(await tracesOf(whole._id)).toEqual(['knowledge']);
});

it('its schedule is made once, every hour, never two at a time, and runs', async () => {
  const taskQueue = `retention-${randomBytes(6).toString('hex')}`;
  const connection = await NativeConnection.connect({ address: inject('TEMPORAL_ADDRESS') });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: { codePath: fileURLToPath(new URL('../../dist/workflows.js', import.meta.url)) },
    activities: { purge: createPurge({ keepRunsMs: KEPT, snapshotsDir: snapshotsDir() }) },
  });
  const id = await recorded('completed');
  await worker.runUntil(async () => {
    await Promise.all([ensureRetention(system.client, taskQueue), ensureRetention(system.client, taskQueue)]);
    await ensureRetention(system.client, taskQueue);
    const schedule = system.client.schedule.getHandle(retentionId(taskQueue));
    const { spec, policies } = await schedule.describe();
    expect(spec.intervals?.map(({ every }) => every)).toEqual([3_600_000]);
    expect(policies.overlap).toBe('SKIP');
    await expect.poll(() => isThere(id), { message: 'the start of a worker is enough' }).toBe(false);
    const next = await recorded('completed');
    // Two that start in the same second are one to Temporal, which names what it starts by the second.
    const afterAnother = async () => {
      await ensureRetention(system.client, taskQueue);
      return isThere(next);
    };
    await expect.poll(afterAnother, { message: 'also of a later one', interval: 250 }).toBe(false);
    await schedule.delete();
  });
  await connection.close();
});
