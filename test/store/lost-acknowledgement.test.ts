import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectStore, disconnectStore } from '../../store/connection.ts';
import { RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { message } from '../domain/told.ts';
import { LossyLine } from '../doubles/lossy-line.ts';

let line: LossyLine;
beforeAll(async () => {
  line = new LossyLine(new URL(inject('MONGODB_URI')));
  await connectStore((await line.listen()).href, { dbName: newId('test') });
});
afterAll(async () => {
  await disconnectStore();
  line.close();
});

it.each([1, 2, 3, 5])('an append is there once when its acknowledgement is lost %i times', async (times) => {
  const log = await RunLog.open({ run_id: newId('run'), workspace_id: 'ws_1' }, { scheduled: 1, attempt: 1 });
  await log.append(() => [message('before')]);
  line.lost = 0;
  line.toLose = times;
  await log.append(() => [message('paid for')]);
  expect(line.lost).toBe(times);
  log.stage([message('after')]);
  await log.flush();
  const found = (await entriesAfter(log.owner.run_id, 0)).map((entry) => [
    entry.n,
    ...entry.facts.map((fact) => (fact.kind === 'message_received' ? fact.content : fact.kind)),
  ]);
  expect(found).toEqual([
    [1, 'before'],
    [2, 'paid for'],
    [3, 'after'],
  ]);
});
