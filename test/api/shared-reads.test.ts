import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SharedReads } from '../../api/shared-reads.ts';

/** A read that ends when it is told to. */
function held() {
  const begun: (() => void)[] = [];
  const read = () => new Promise<number>((done) => begun.push(() => done(begun.length)));
  return { begun, read };
}

it('[8] is made once for all who ask before it has begun, and again for who asks later', async () => {
  const reads = new SharedReads();
  const { begun, read } = held();
  const early = [reads.read('a', read), reads.read('a', read), reads.read('a', read)];
  await setImmediate();
  expect(begun.length).toBe(1);
  const late = reads.read('a', read);
  await setImmediate();
  expect(begun.length).toBe(2);
  for (const end of begun) end();
  expect(await Promise.all([...early, late])).toEqual([2, 2, 2, 2]);
});

it('[8] waits its turn where others are under way, and who asks meanwhile has part in it', async () => {
  const reads = new SharedReads(1);
  const [first, second] = [held(), held()];
  const one = reads.read('first', first.read);
  await setImmediate();
  const others = [reads.read('second', second.read)];
  await setImmediate();
  others.push(reads.read('second', second.read));
  await setImmediate();
  expect([first.begun.length, second.begun.length]).toEqual([1, 0]);
  first.begun[0]?.();
  await one;
  await setImmediate();
  expect(second.begun.length).toBe(1);
  second.begun[0]?.();
  expect(await Promise.all(others)).toEqual([1, 1]);
});

it('[8] that fails is told to all of them, and the next is made all the same', async () => {
  const reads = new SharedReads(1);
  const broken = () => Promise.reject(new Error('gone'));
  const all = await Promise.allSettled([reads.read('a', broken), reads.read('a', broken)]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await reads.read('a', async () => 1)).toBe(1);
});
