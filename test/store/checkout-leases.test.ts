import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { queueOf } from '../../domain/checkout.ts';
import {
  claimExecutor,
  leaseCollection,
  leaseIdOf,
  leasesInUse,
  loadLease,
  nextSeq,
  renewLease,
} from '../../store/checkout-leases.ts';
import { disconnectStore } from '../../store/connection.ts';
import { beatExecutor, countExecutors, executorCollection, removeExecutor } from '../../store/executors.ts';
import { newId } from '../../store/ids.ts';
import { runCollection } from '../../store/run-record.ts';
import { insertRun } from '../../store/runs.ts';
import { ownStore } from '../own-store.ts';
import { newOwner } from '../people.ts';
import { newRun } from './new-run.ts';

beforeAll(ownStore);
beforeEach(() => Promise.all([executorCollection().deleteMany({}), leaseCollection().deleteMany({})]));
afterAll(disconnectStore);

const start = (_id: string, draining = false) =>
  beatExecutor({ _id, queue: queueOf(_id), host: 'h', identity: '', draining, started_at: new Date() });
const aRun = (line?: string[]) => {
  const _id = newId('run');
  return { _id, line: line ?? [_id], notebook_id: 'nb_1' };
};

it('whoever asks for one tree at once is told the same executor and epoch', async () => {
  await Promise.all(['a', 'b', 'c'].map((id) => start(id)));
  const root = aRun();
  const below = aRun([root._id, 'run_below']);
  const told = await Promise.all(Array.from({ length: 20 }, (_, n) => claimExecutor(n % 2 ? root : below, null)));
  expect(new Set(told.map((claimed) => JSON.stringify(claimed))).size).toBe(1);
  expect(told[0]?.epoch).toBe(1);
});

it('runs are spread over the executors that take some', async () => {
  await Promise.all([start('a'), start('b'), start('leaving', true)]);
  for (let n = 0; n < 4; n++) await claimExecutor(aRun(), null);
  const counted = await leaseCollection().find().toArray();
  expect(counted.map(({ executor_id }) => executor_id).sort()).toEqual(['a', 'a', 'b', 'b']);
  expect(await countExecutors()).toEqual({ alive: 2, checkouts: 4 });
});

it('one that is lost, leaves or falls silent hands over under a new epoch; where there is no other, it is asked again', async () => {
  await start('a');
  const run = aRun();
  expect(await claimExecutor(run, null)).toMatchObject({ executor_id: 'a', epoch: 1 });
  expect(await claimExecutor(run, queueOf('a'))).toMatchObject({ executor_id: 'a', epoch: 2 });
  await start('b');
  expect(await claimExecutor(run, queueOf('a'))).toMatchObject({ executor_id: 'b', epoch: 3 });
  expect(await claimExecutor(run, null)).toMatchObject({ executor_id: 'b', epoch: 3 });
  await start('b', true);
  expect(await claimExecutor(run, null)).toMatchObject({ executor_id: 'a', epoch: 4 });
  await executorCollection().updateOne({ _id: 'a' }, { $set: { beat_at: new Date(Date.now() - 60_000) } });
  expect(await claimExecutor(run, null)).toBeNull();
  await removeExecutor('a');
  await start('b');
  expect(await claimExecutor(run, null)).toMatchObject({ executor_id: 'b', epoch: 5 });
});

it('who has lost the files keeps nothing any more, and cannot begin anew', async () => {
  await Promise.all([start('a'), start('b')]);
  const run = aRun();
  const id = leaseIdOf(run);
  const first = await claimExecutor(run, null);
  const held = await loadLease(id);
  if (!first || !held) throw new Error('nothing was claimed');
  expect(await nextSeq(id, 1, first.executor_id)).toBe(1);
  const second = await claimExecutor(run, first.queue);
  expect(second?.executor_id).not.toBe(first.executor_id);
  expect([await nextSeq(id, 1, first.executor_id), await renewLease(held)]).toEqual([null, null]);
  expect(await nextSeq(id, 2, second?.executor_id ?? '')).toBe(2);
});

it('what belongs to a tree that has ended is needed no longer', async () => {
  await start('a');
  const caller = await newOwner();
  const open = await insertRun(caller, newRun());
  const over = await insertRun(caller, newRun());
  await runCollection().updateOne({ _id: over._id }, { $set: { status: 'failed' } });
  for (const run of [open, over]) await claimExecutor({ ...run, notebook_id: 'nb_1' }, null);
  expect((await leasesInUse('a')).map(({ root_run_id }) => root_run_id)).toEqual([open._id]);
  expect((await countExecutors()).checkouts).toBe(1);
});
