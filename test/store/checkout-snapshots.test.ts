import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type CheckoutSnapshot,
  dropSnapshots,
  keepSnapshot,
  loadSnapshot,
  newestKept,
  packsOf,
} from '../../store/checkout-snapshots.ts';
import { disconnectStore } from '../../store/connection.ts';
import { RunLog } from '../../store/event-log.ts';
import { insertRun } from '../../store/runs.ts';
import { ownStore } from '../own-store.ts';
import { newOwner } from '../people.ts';
import { newRun } from './new-run.ts';

beforeAll(ownStore);
afterAll(disconnectStore);

const LARGE = Buffer.alloc(300 * 1024, 'x');
let seq = 0;
const keep = (run_id: string, pack: Buffer, parent: CheckoutSnapshot | null = null) => {
  seq += 1;
  const chain = { parent: parent?._id ?? null, depth: parent ? parent.depth + 1 : 0 };
  const standing = { commit: `c${seq}`, tree: `t${seq}`, head: 'refs/heads/longhaul/x' };
  return keepSnapshot(
    {
      ...{ lease_id: 'lease', run_id, seq, epoch: 1, ...chain, ...standing },
      ...{ base_commit: 'b', default_branch: 'main', branch: 'longhaul/x' },
      refs: [['refs/heads/v1.2', 'c']],
    },
    pack,
  );
};
const blobs = () => mongoose.connection.collection('blobs.files').countDocuments();

it('a snapshot is the packs of those before it, the oldest first, however large; without one of them it is none', async () => {
  const first = await keep('run_1', Buffer.from('first'));
  const second = await keep('run_1', LARGE, first);
  const third = await keep('run_2', Buffer.from('third'), second);
  const packs = await packsOf((await loadSnapshot(third._id)) ?? third);
  expect(packs?.map((pack) => pack.length)).toEqual([5, LARGE.length, 5]);
  expect((await loadSnapshot(third._id))?.refs).toEqual([['refs/heads/v1.2', 'c']]);
  expect(await blobs()).toBe(1);
  await dropSnapshots('run_1');
  expect([await blobs(), await loadSnapshot(first._id), await packsOf(third)]).toEqual([0, null, null]);
});

it('the newest one counts that a step of the tree names: one whose step was never completed has not happened', async () => {
  const caller = await newOwner();
  const root = await insertRun(caller, newRun('ws_1', { notebook: { id: 'nb_1', kind: 'git' } }));
  const below = newRun('ws_1', { notebook: { id: 'nb_1', kind: 'git' } });
  const child = await insertRun(caller, { ...below, line: [root._id, below.id] });
  const tell = async (run: string, snapshot: CheckoutSnapshot) => {
    const log = await RunLog.open({ run_id: run, workspace_id: 'ws_1' });
    await log.append(() => [{ kind: 'files_kept', snapshot: snapshot._id, epoch: 1 }]);
  };
  const newest = async () => (await newestKept(root._id, 'nb_1', 'lease'))?._id ?? null;
  expect(await newest()).toBeNull();
  const one = await keep(root._id, Buffer.from('1'));
  await tell(root._id, one);
  const two = await keep(child._id, Buffer.from('2'), one);
  expect(await newest()).toBe(one._id);
  await tell(child._id, two);
  expect(await newest()).toBe(two._id);
  await keep(root._id, Buffer.from('3'), two);
  expect(await newest()).toBe(two._id);
});
