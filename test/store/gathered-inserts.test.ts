import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disconnectStore, nativeCollection } from '../../store/connection.ts';
import { RunLog } from '../../store/event-log.ts';
import { GatheredInserts } from '../../store/gathered-inserts.ts';
import { newId } from '../../store/ids.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { message } from '../domain/told.ts';
import { ownStore } from '../own-store.ts';

beforeAll(ownStore);
afterAll(disconnectStore);

interface Row {
  _id: string;
  n: number;
}

describe('inserts that go together', () => {
  it('are each told of their own document alone: one that is refused takes no other with it', async () => {
    const inserts = new GatheredInserts<Row>('gathered', 2);
    const rows = Array.from({ length: 250 }, (_, n) => ({ _id: `row ${n % 200}`, n }));
    const outcomes = await Promise.allSettled(rows.map((row) => inserts.insert(row)));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toHaveLength(50);
    for (const error of refused) expect(error).toMatchObject({ code: 11_000 });
    const stored = await nativeCollection<Row>('gathered').find().sort({ n: 1 }).toArray();
    expect(stored).toEqual(rows.filter((_, n) => outcomes[n]?.status === 'fulfilled'));
    expect(stored).toHaveLength(200);
  });

  it('are stored without the one that the store does not take at all', async () => {
    const inserts = new GatheredInserts<Row>('gathered.more', 1);
    const tooLarge = { _id: 'x'.repeat(17 * 1024 * 1024), n: 1 };
    const outcomes = await Promise.allSettled([inserts.insert(tooLarge), inserts.insert({ _id: 'beside', n: 2 })]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    await inserts.insert({ _id: 'after', n: 3 });
    expect(await nativeCollection<Row>('gathered.more').distinct('_id')).toEqual(['after', 'beside']);
  });

  it('leave every log whole when many are written to at once, two writers each', async () => {
    const runs = Array.from({ length: 40 }, () => newId('run'));
    await Promise.all(
      [...runs, ...runs].map(async (run_id, i) => {
        const log = await RunLog.open({ run_id, workspace_id: 'ws_1' });
        for (let n = 0; n < 3; n++) await log.append(() => [message(`${i}.${n}`)]);
      }),
    );
    for (const run of runs) {
      const entries = await entriesAfter(run, 0);
      expect(entries.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(entries.map(({ first_cursor }) => first_cursor)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(new Set(entries.map(({ facts }) => JSON.stringify(facts))).size).toBe(6);
    }
  });
});
