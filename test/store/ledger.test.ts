import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Budget } from '../../domain/budget.ts';
import type { Spent } from '../../domain/facts.ts';
import { disconnectStore } from '../../store/connection.ts';
import { newId } from '../../store/ids.ts';
import { type CallKey, closeAccounts, loadLedger, openAccount, reserve, settle } from '../../store/ledger.ts';
import { budgetOf } from '../domain/told.ts';
import { ownStore } from '../own-store.ts';

beforeAll(ownStore);
afterAll(disconnectStore);

const budget = (tokens: number, more: Partial<Budget> = {}) => budgetOf({ max_tokens: tokens, ...more });
const freeOf = async (root: string, run = root): Promise<Spent | undefined> => (await loadLedger(root))?.free[run];
const call = (line: string[], turn = 1, attempt = 1): CallKey => ({ line, turn, try: attempt });

async function account(...budgets: Budget[]): Promise<string[]> {
  const line = budgets.map(() => newId('run'));
  for (const [index, run] of line.entries()) {
    const of = budgets[index];
    if (of) await openAccount(line[0] ?? '', run, of);
  }
  return line;
}

describe('[15.1] a reservation', () => {
  it('is taken from the run and all above it', async () => {
    const [root = '', child = ''] = await account(budget(1_000, { max_micros: 90 }), budget(500, { max_micros: 50 }));
    expect(await reserve(call([root, child]), { tokens: 200, micros: 20 })).toBeNull();
    expect(await freeOf(root)).toEqual({ iterations: 49, tokens: 800, micros: 70 });
    expect(await freeOf(root, child)).toEqual({ iterations: 49, tokens: 300, micros: 30 });
  });

  it.each<[string, Partial<Budget>, Partial<Budget>, { tokens: number; micros: number }]>([
    ['tokens', {}, { max_tokens: 99 }, { tokens: 100, micros: 0 }],
    ['tokens', { max_tokens: 99 }, {}, { tokens: 100, micros: 0 }],
    ['iterations', {}, { max_iterations: 0 }, { tokens: 1, micros: 0 }],
    ['iterations', { max_iterations: 0 }, {}, { tokens: 1, micros: 0 }],
    ['cost', {}, { max_micros: 9 }, { tokens: 1, micros: 10 }],
    ['cost', { max_micros: 9 }, {}, { tokens: 1, micros: 10 }],
  ])('is refused for want of %s in one of them (%j, %j), and nothing is taken', async (limit, above, below, wanted) => {
    const line = await account(budgetOf(above), budgetOf(below));
    const before = await loadLedger(line[0] ?? '');
    expect(await reserve(call(line), wanted)).toBe(limit);
    expect(await loadLedger(line[0] ?? '')).toEqual(before);
  });

  it('may take the last of it, and then there is none', async () => {
    const line = await account(budget(100));
    expect(await reserve(call(line, 1), { tokens: 100, micros: 0 })).toBeNull();
    expect(await reserve(call(line, 2), { tokens: 1, micros: 0 })).toBe('tokens');
  });

  it('under the same key is taken once, however many ask', async () => {
    const line = await account(budget(1_000));
    const asked = Array.from({ length: 10 }, () => reserve(call(line), { tokens: 300, micros: 0 }));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([null]));
    expect((await freeOf(line[0] ?? ''))?.tokens).toBe(700);
  });

  it('is made as large as who asks last needs it: the one before never left', async () => {
    const [root = ''] = await account(budget(1_000));
    for (const tokens of [300, 450, 200]) {
      expect(await reserve(call([root]), { tokens, micros: tokens })).toBeNull();
      const ledger = await loadLedger(root);
      expect(ledger?.free[root]).toMatchObject({ iterations: 49, tokens: 1_000 - tokens });
      expect(Object.values(ledger?.open ?? {})).toEqual([{ iterations: 1, tokens, micros: tokens }]);
    }
    expect(await reserve(call([root]), { tokens: 1_001, micros: 0 })).toBe('tokens');
    await settle(call([root]), { tokens: 200, micros: 200 }, { iterations: 1, tokens: 50, micros: 5 });
    expect(await freeOf(root)).toMatchObject({ iterations: 49, tokens: 950 });
  });

  it('of money has no end where there is no limit', async () => {
    const line = await account(budget(10 ** 9), budget(10 ** 9));
    expect(await reserve(call(line), { tokens: 1, micros: 10 ** 12 })).toBeNull();
    expect(await reserve(call(line, 2), { tokens: 1, micros: 10 ** 12 })).toBeNull();
  });

  it('is not to be had by a run without an account', async () => {
    const line = await account(budget(1_000));
    expect(await reserve(call([...line, newId('run')]), { tokens: 1, micros: 0 })).not.toBeNull();
    expect(await reserve(call([newId('run')]), { tokens: 1, micros: 0 })).not.toBeNull();
  });
});

describe('[15.1] settling', () => {
  const taken = { tokens: 300, micros: 30 };
  const used = { iterations: 1, tokens: 120, micros: 12 };

  it('puts what was used in the place of what was taken, once, for all above', async () => {
    const line = await account(budget(1_000, { max_micros: 100 }), budget(500, { max_micros: 100 }));
    await reserve(call(line), taken);
    await Promise.all(Array.from({ length: 5 }, () => settle(call(line), taken, used)));
    const ledger = await loadLedger(line[0] ?? '');
    expect(ledger?.open).toEqual({});
    expect(ledger?.free[line[0] ?? '']).toEqual({ iterations: 49, tokens: 880, micros: 88 });
    expect(ledger?.free[line[1] ?? '']).toEqual({ iterations: 49, tokens: 380, micros: 88 });
  });

  it('gives all back for a call that was refused, the iteration too', async () => {
    const line = await account(budget(1_000));
    const before = await freeOf(line[0] ?? '');
    await reserve(call(line), taken);
    await settle(call(line), taken, { iterations: 0, tokens: 0, micros: 0 });
    expect(await freeOf(line[0] ?? '')).toEqual(before);
  });

  it('changes nothing for a call that was never reserved', async () => {
    const line = await account(budget(1_000));
    const before = await loadLedger(line[0] ?? '');
    await settle(call(line, 9), taken, used);
    expect(await loadLedger(line[0] ?? '')).toEqual(before);
  });
});

it('an account is opened once: opening it again does not fill it up', async () => {
  const [root = ''] = await account(budget(1_000));
  await reserve(call([root]), { tokens: 400, micros: 0 });
  await Promise.all(Array.from({ length: 5 }, () => openAccount(root, root, budget(1_000))));
  expect((await freeOf(root))?.tokens).toBe(600);
});

it('many who open a tree at once all get their accounts', async () => {
  const root = newId('run');
  const runs = Array.from({ length: 20 }, () => newId('run'));
  await Promise.all(runs.map((run) => openAccount(root, run, budget(10))));
  expect(Object.keys((await loadLedger(root))?.free ?? {}).sort()).toEqual([...runs].sort());
});

interface Node {
  line: string[];
  share: number;
}

/** A tree by the number of each run's parent, with what each run may use of it. */
async function plant(parents: number[], shares: number[]): Promise<Node[]> {
  const nodes: Node[] = [];
  for (const [index, share] of shares.entries()) {
    const above = index === 0 ? undefined : nodes[(parents[index] ?? 0) % index];
    const line = [...(above?.line ?? []), newId('run')];
    nodes.push({ line, share });
    await openAccount(
      line[0] ?? '',
      line.at(-1) ?? '',
      budget(share, { max_iterations: 1_000, max_micros: share * 2 }),
    );
  }
  return nodes;
}

const anyCall = fc.record({
  node: fc.nat(),
  tokens: fc.integer({ min: 1, max: 400 }),
  part: fc.integer({ min: -30, max: 100 }),
});
const anyTree = fc.record({
  parents: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
  shares: fc.array(fc.integer({ min: 50, max: 1_500 }), { minLength: 1, maxLength: 6 }),
  calls: fc.array(anyCall, { minLength: 1, maxLength: 40 }),
});

it('[15.1] any calls at once in any tree: no rest falls below nothing, and settled and open are what was taken', async () => {
  await fc.assert(
    fc.asyncProperty(anyTree, async ({ parents, shares, calls }) => {
      const nodes = await plant(parents, shares);
      const root = nodes[0]?.line[0] ?? '';
      const done = await Promise.all(
        calls.map(async ({ node, tokens, part }, turn) => {
          const line = nodes[node % nodes.length]?.line ?? [];
          const key = call(line, turn);
          const taken = { tokens, micros: tokens };
          if ((await reserve(key, taken)) !== null) return null;
          // One that never comes to an end stays taken.
          if (part < 0) return { line, tokens, open: true };
          const used = Math.floor((tokens * part) / 100);
          await settle(key, taken, { iterations: 1, tokens: used, micros: used });
          return { line, tokens: used, open: false };
        }),
      );
      const ledger = await loadLedger(root);
      for (const { line, share } of nodes) {
        const run = line.at(-1) ?? '';
        const below = done.flatMap((one) => (one?.line.includes(run) ? [one] : []));
        const sum = below.reduce((total, { tokens }) => total + tokens, 0);
        const free = ledger?.free[run];
        expect(free).toEqual({ iterations: 1_000 - below.length, tokens: share - sum, micros: share * 2 - sum });
        expect(free?.tokens).toBeGreaterThanOrEqual(0);
      }
      expect(Object.keys(ledger?.open ?? {})).toHaveLength(done.filter((one) => one?.open).length);
    }),
    { numRuns: 25 },
  );
});

it('[15.1] a run that has ended leaves nothing but what it used, and what may have been billed', async () => {
  const [root = '', child = ''] = await account(budget(1_000), budget(500));
  for (const turn of [1, 2]) await reserve(call([root, child], turn), { tokens: 200, micros: 0 });
  await settle(call([root, child], 1), { tokens: 200, micros: 0 }, { iterations: 1, tokens: 50, micros: 0 });
  const before = await loadLedger(root);
  await closeAccounts(root, [child]);
  await closeAccounts(root, [child]);
  expect(await loadLedger(root)).toEqual({ ...before, free: { [root]: before?.free[root] } });
  expect((await freeOf(root))?.tokens).toBe(750);
  expect(await reserve(call([root, child], 3), { tokens: 1, micros: 0 })).not.toBeNull();
  expect((await freeOf(root))?.tokens).toBe(750);
});

it('[15.1] children side by side share what is left: as many are let through as it holds', async () => {
  const [root = ''] = await account(budget(1_000));
  const lines = Array.from({ length: 8 }, () => [root, newId('run')]);
  for (const line of lines) await openAccount(root, line[1] ?? '', budget(1_000));
  const verdicts = await Promise.all(lines.map((line) => reserve(call(line), { tokens: 300, micros: 0 })));
  expect(verdicts.filter((verdict) => verdict === null)).toHaveLength(3);
  expect(verdicts.filter((verdict) => verdict === 'tokens')).toHaveLength(5);
  expect((await freeOf(root))?.tokens).toBe(100);
});
