import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disconnectStore, nativeCollection } from '../../store/connection.ts';
import { newId } from '../../store/ids.ts';
import { takeSlot } from '../../store/request-slots.ts';
import { ownStore } from '../own-store.ts';

beforeAll(ownStore);
afterAll(disconnectStore);

const HOUR = 3_600_000;
const newAgent = () => newId('agt');
const takeAll = (agent: string, keys: string[], perHour: number, windowMs = HOUR): Promise<number[]> =>
  Promise.all(keys.map(async (key) => (await takeSlot(agent, key, perHour, windowMs)).getTime()));
const keys = (count: number) => Array.from({ length: count }, (_, n) => `run:${n}:1`);

describe('[2] of an agent with so many calls an hour', () => {
  it('the first ones go at once, the next an hour after the first', async () => {
    const agent = newAgent();
    const before = Date.now();
    const slots: number[] = [];
    for (const key of keys(7)) slots.push((await takeSlot(agent, key, 3)).getTime());
    for (const at of slots.slice(0, 3)) expect(at).toBeLessThanOrEqual(Date.now());
    for (const at of slots.slice(0, 3)) expect(at).toBeGreaterThanOrEqual(before - 1_000);
    const [a = 0, b = 0, c = 0] = slots;
    expect(slots.slice(3)).toEqual([a + HOUR, b + HOUR, c + HOUR, a + 2 * HOUR]);
  });

  it('the same call gets the slot it got before, however many wait behind it', async () => {
    const agent = newAgent();
    const first: number[] = [];
    for (const key of keys(12)) first.push((await takeSlot(agent, key, 2)).getTime());
    for (const [index, key] of keys(12).entries()) expect((await takeSlot(agent, key, 2)).getTime()).toBe(first[index]);
  });

  it('calls that ask at once, each several times, get one slot each', async () => {
    const agent = newAgent();
    const [once, again] = [keys(15), keys(15).reverse()];
    const [slots, same] = await Promise.all([takeAll(agent, once, 1), takeAll(agent, again, 1)]);
    expect([...same].reverse()).toEqual(slots);
    expect(new Set(slots).size).toBe(15);
  });

  it('who waits for an hour that is over goes at once, and one agent does not hold up another', async () => {
    const agent = newAgent();
    const [first = 0] = await takeAll(agent, ['a'], 1, 1);
    await expect.poll(() => Date.now()).toBeGreaterThan(first + 1);
    const next = (await takeSlot(agent, 'b', 1, 1)).getTime();
    expect(next).toBeGreaterThan(first);
    expect(next).toBeLessThanOrEqual(Date.now());
    expect((await takeSlot(newAgent(), 'b', 1)).getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('there are never more in any hour, whoever asks when', async () => {
    const anyLimit = fc.integer({ min: 1, max: 5 });
    const anyBursts = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(anyLimit, anyBursts, fc.constantFrom(20, 1_000, HOUR), async (perHour, bursts, windowMs) => {
        const agent = newAgent();
        const slots: number[] = [];
        for (const [index, burst] of bursts.entries()) {
          const asked = keys(burst).map((key) => `${index}:${key}`);
          slots.push(...(await takeAll(agent, asked, perHour, windowMs)));
        }
        slots.sort((a, b) => a - b);
        for (const [index, at] of slots.entries()) {
          const later = slots[index + perHour];
          if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(windowMs);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('what is past is forgotten: what is kept does not grow with what was ever asked', async () => {
    const agent = newAgent();
    const window = 5;
    for (const key of keys(30)) await takeSlot(agent, key, 1_000_000, window);
    await expect
      .poll(async () => {
        await takeSlot(agent, newId('key'), 1_000_000, window);
        return (await nativeCollection<{ _id: string; slots: unknown[] }>('request_slots').findOne({ _id: agent }))
          ?.slots.length;
      })
      .toBeLessThan(30);
  });

  it('[15.8] a limit in the millions is kept to in parts of the hour: its document stays small', async () => {
    const agent = newAgent();
    const slots = nativeCollection<{ _id: string; now: Date; slots: { key: string; at: Date }[] }>('request_slots');
    const now = Date.now();
    const made = (count: number, ago: number) => ({
      now: new Date(now - ago),
      slots: keys(count).map((key) => ({ key: `${ago}:${key}`, at: new Date(now - ago) })),
    });
    // As many as there may be in the whole hour were made a minute ago: nobody waits for them, nor keeps them.
    await slots.insertOne({ _id: agent, ...made(20_000, 60_000) });
    expect((await takeSlot(agent, 'next', 1_000_000)).getTime()).toBeLessThanOrEqual(Date.now());
    expect((await slots.findOne({ _id: agent }))?.slots).toHaveLength(1);
    await slots.updateOne({ _id: agent }, { $set: made(2_000, 0) });
    expect((await takeSlot(agent, 'later', 1_000_000)).getTime()).toBe(now + HOUR / 500);
  });
});
