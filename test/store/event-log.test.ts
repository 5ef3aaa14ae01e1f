import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../domain/facts.ts';
import type { Token } from '../../domain/log-entry.ts';
import { entryEvents, entrySteps } from '../../domain/trace.ts';
import { disconnectStore, nativeCollection } from '../../store/connection.ts';
import { type LogOwner, RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { entriesAfter, entriesFromCursor } from '../../store/log-reading.ts';
import type { StoredEntry } from '../../store/log-record.ts';
import { answered, begun, called, cancelled, ended, entriesOf, failed, message, tool } from '../domain/told.ts';
import { ownStore } from '../own-store.ts';

beforeAll(ownStore);
afterAll(disconnectStore);

const newRun = (): LogOwner => ({ run_id: newId('run'), workspace_id: 'ws_1' });
const token = (scheduled: number, attempt = 1): Token => ({ scheduled, attempt });
const all = (run: LogOwner) => entriesAfter(run.run_id, 0);
const facts = async (run: LogOwner) => (await all(run)).flatMap((entry) => entry.facts);
const said = async (run: LogOwner) =>
  (await facts(run)).map((fact) => (fact.kind === 'message_received' ? fact.content : fact.kind));

/** No gap and nothing twice in slots, cursors and steps. */
async function expectGapless(run: LogOwner): Promise<void> {
  const entries = await all(run);
  const cursors = entries.flatMap(entryEvents).map(({ cursor }) => cursor);
  const steps = entries.flatMap(entrySteps).map(({ step_number }) => step_number);
  for (const numbers of [entries.map(({ n }) => n), cursors, steps]) {
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  }
}

describe('many who write one log at once', () => {
  it('get every append in, whole and once, without a gap', async () => {
    const run = newRun();
    const WRITERS = 20;
    const APPENDS = 4;
    const groups: string[][] = [];
    const write = async (writer: number) => {
      const log = await RunLog.open(run);
      for (let n = 0; n < APPENDS; n++) {
        // Between none and two events an append, with a step or without.
        const size = (writer + n) % 3;
        const names = Array.from({ length: size }, (_, index) => `${writer}.${n}.${index}`);
        if (names.length > 0) groups.push(names);
        const more: Fact[] = n % 2 === 0 ? [cancelled] : [failed(1)];
        await log.append(() => [...names.map(message), ...more]);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));

    await expectGapless(run);
    const entries = await all(run);
    expect(entries).toHaveLength(WRITERS * APPENDS);
    const appended = entries.flatMap((entry) => {
      const names = entry.facts.flatMap((fact) => (fact.kind === 'message_received' ? [fact.content] : []));
      return names.length > 0 ? [names.join()] : [];
    });
    expect(appended.sort()).toEqual(groups.map((names) => names.join()).sort());
  });

  it('are asked again over what the faster one appended, so that one of many decides', async () => {
    const run = newRun();
    const tries = Array.from({ length: 20 }, async () => {
      const log = await RunLog.open(run);
      return log.append((state) => (state.cancel_requested ? null : [cancelled]));
    });
    const won = (await Promise.all(tries)).filter((entry) => entry !== null);
    expect([won.length, await said(run)]).toEqual([1, ['cancel_requested']]);
  });

  it('seal it once: one end, and nothing after it', async () => {
    const run = newRun();
    const tries = Array.from({ length: 20 }, async (_, n) => {
      const log = await RunLog.open(run);
      return log.append(() => [n % 2 === 0 ? ended : message('too late?')]);
    });
    const outcomes = await Promise.allSettled(tries);
    const written = await said(run);
    expect(written.filter((kind) => kind === 'ended')).toHaveLength(1);
    expect(written.at(-1)).toBe('ended');
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(written.length);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'run_ended' });
    }
  });
});

describe('the fence', () => {
  /** An attempt that has written, and one that came after it and has written too. */
  async function overtaken(older: Token, newer: Token) {
    const run = newRun();
    const zombie = await RunLog.open(run, older);
    await zombie.append(() => begun);
    const successor = await RunLog.open(run, newer);
    await successor.append(() => [called(1)]);
    return { run, zombie, successor };
  }

  it.each([
    ['an earlier schedule', token(1, 9), token(2, 1)],
    ['an earlier attempt of the same schedule', token(1, 1), token(1, 2)],
  ])('refuses whatever %s still wants to write', async (_what, older, newer) => {
    const { run, zombie, successor } = await overtaken(older, newer);
    await expect(zombie.append(() => [called(1, 2)])).rejects.toMatchObject({ name: 'StaleAttempt' });
    const again = await RunLog.open(run, newer);
    zombie.stage([answered(1, { text: 'from the grave' })]);
    await expect(zombie.flush()).rejects.toMatchObject({ name: 'StaleAttempt' });
    await expect(zombie.refresh()).rejects.toMatchObject({ name: 'StaleAttempt' });
    await expect(RunLog.open(run, older)).rejects.toMatchObject({ name: 'StaleAttempt' });
    expect(await said(run)).toEqual(['queued', 'started', 'call_started']);
    await successor.append(() => [answered(1, { text: 'alive' })]);
    await again.append(() => [called(2)]);
    await expectGapless(run);
  });

  it('stops an attempt that had staged before it was overtaken', async () => {
    const run = newRun();
    const zombie = await RunLog.open(run, token(1));
    zombie.stage(begun);
    const successor = await RunLog.open(run, token(2));
    await successor.append(() => begun);
    await expect(zombie.flush()).rejects.toMatchObject({ name: 'StaleAttempt' });
    expect(await all(run)).toHaveLength(1);
  });

  it('sends an attempt away that had decided before it heard the last of the one it takes over from', async () => {
    const run = newRun();
    const zombie = await RunLog.open(run, token(1));
    await zombie.append(() => [...begun, called(1)]);
    const successor = await RunLog.open(run, token(2));
    successor.stage([called(1, 2)]);
    await zombie.append(() => [answered(1, { text: 'in time' })]);
    await expect(successor.flush()).rejects.toMatchObject({ name: 'StaleAttempt' });
    expect(await said(run)).toEqual(['queued', 'started', 'call_started', 'answered']);
  });

  it('lets an attempt go on beside people, who are never fenced out', async () => {
    const { run, successor } = await overtaken(token(1), token(2));
    const person = await RunLog.open(run);
    await person.append(() => [message('one')]);
    await successor.append(() => [answered(1, { text: 'a' })]);
    await person.append(() => [message('two')]);
    expect((await said(run)).slice(3)).toEqual(['one', 'answered', 'two']);
  });

  it('lets one log go on under the claim of the next segment', async () => {
    const run = newRun();
    const log = await RunLog.open(run, token(1));
    await log.append(() => begun);
    await log.reopen(token(2));
    await log.append(() => [called(1)]);
    expect((await all(run)).map((entry) => entry.token)).toEqual([token(1), token(2)]);
  });
});

describe('what is staged', () => {
  it('is in the state at once, and in the store with the next flush, in one append', async () => {
    const run = newRun();
    const log = await RunLog.open(run, token(1));
    log.stage(begun);
    log.stage([called(1)]);
    expect([log.hasStaged, log.state.turns.length, log.state.n, await all(run)]).toEqual([true, 1, 0, []]);
    await log.flush();
    await log.flush();
    expect([log.hasStaged, log.state.n, (await all(run)).length]).toEqual([false, 1, 1]);
    expect(await said(run)).toEqual(['queued', 'started', 'call_started']);
  });

  it('goes after what somebody else appended meanwhile, numbered anew', async () => {
    const run = newRun();
    const log = await RunLog.open(run, token(1));
    await log.append(() => begun);
    log.stage([called(1)]);
    const person = await RunLog.open(run);
    await person.append(() => [message('wait'), message('no')]);
    log.stage([answered(1, { text: 'a', calls: [tool('x', 'read_file')] })]);
    await log.flush();
    expect(await said(run)).toEqual(['queued', 'started', 'wait', 'no', 'call_started', 'answered']);
    await expectGapless(run);
    const { n, next_cursor, next_step, injected } = (await RunLog.open(run)).state;
    expect(log.state).toMatchObject({ n, next_cursor, next_step, injected });
    expect(injected.map(({ before_turn }) => before_turn)).toEqual([1, 1]);
  });

  it('goes before what is appended in the ordinary way', async () => {
    const run = newRun();
    const log = await RunLog.open(run, token(1));
    log.stage(begun);
    await log.append((state) => (state.started_at ? [called(1)] : null));
    expect((await all(run)).map((entry) => entry.facts.length)).toEqual([2, 1]);
  });

  it('is dropped by a refresh, and the state with it', async () => {
    const run = newRun();
    const log = await RunLog.open(run, token(1));
    await log.append(() => begun);
    log.stage([called(1)]);
    await log.refresh();
    expect([log.hasStaged, log.state.turns, await said(run)]).toEqual([false, [], ['queued', 'started']]);
  });

  it('never reaches a log that was sealed meanwhile', async () => {
    const run = newRun();
    const log = await RunLog.open(run, token(1));
    log.stage(begun);
    const other = await RunLog.open(run);
    await other.append(() => [ended]);
    await expect(log.flush()).rejects.toMatchObject({ name: 'StaleAttempt' });
    expect(await said(run)).toEqual(['ended']);
  });
});

describe('an append', () => {
  it('of nothing leaves no slot behind', async () => {
    const run = newRun();
    const log = await RunLog.open(run);
    expect([await log.append(() => []), await log.append(() => null), await all(run)]).toEqual([null, null, []]);
  });

  it('over 256 KB lies in the blob store and is read back whole', async () => {
    const run = newRun();
    const text = 'ä'.repeat(300_000);
    const log = await RunLog.open(run, token(1));
    await log.append(() => [...begun, called(1)]);
    await log.append(() => [answered(1, { text })]);
    await log.append(() => [called(2)]);
    const stored = await nativeCollection<StoredEntry>('log').findOne({ _id: { run: run.run_id, n: 2 } });
    expect(mongoose.mongo.BSON.calculateObjectSize(stored ?? {})).toBeLessThan(1_000);
    expect((await RunLog.open(run)).state.turns[0]?.text).toBe(text);
    await expectGapless(run);
  });

  it.each(['$set', 'a.b', '__proto__', '', 'constructor', 'ключ'])(
    'keeps an argument called %j as it is',
    async (name) => {
      const run = newRun();
      const given = JSON.parse(`{${JSON.stringify(name)}: {"deep": [null, 1.5, "x"]}}`);
      const log = await RunLog.open(run, token(1));
      await log.append(() => [...begun, called(1), answered(1, { calls: [tool('x', 'read_file', given)] })]);
      const kept = (await RunLog.open(run)).state.turns[0]?.calls[0]?.call.arguments;
      expect(JSON.stringify(kept)).toBe(JSON.stringify(given));
    },
  );
});

describe('a reader', () => {
  it('finds every event from any cursor on, however appends and events fall', async () => {
    const run = newRun();
    const log = await RunLog.open(run);
    const appends: Fact[][] = [
      [cancelled],
      begun,
      [cancelled],
      [cancelled],
      [message('a'), message('b'), message('c')],
      [message('d'.repeat(300_000))],
      [cancelled],
      [message('e')],
      [cancelled],
    ];
    for (const append of appends) await log.append(() => append);
    const events = (await all(run)).flatMap(entryEvents);
    expect(events).toHaveLength(7);
    for (let cursor = 1; cursor <= events.length + 2; cursor++) {
      const entries = await entriesFromCursor(run.run_id, cursor, 100);
      const found = entries.flatMap(entryEvents).filter((event) => event.cursor >= cursor);
      expect(found).toEqual(events.slice(cursor - 1));
      // What lies wholly before the cursor is not read again.
      const before = entries.flatMap(entryEvents).filter((event) => event.cursor < cursor);
      expect(before.length).toBeLessThan(3);
    }
  });

  it('of an empty log finds nothing', async () => {
    expect(await entriesFromCursor(newId('run'), 1, 100)).toEqual([]);
  });

  it('sees one run alone, whatever the others are called', async () => {
    const run = newRun();
    const neighbours = [`${run.run_id}0`, run.run_id.slice(0, -1), `${run.run_id}\u{10ffff}`];
    for (const run_id of [run.run_id, ...neighbours]) {
      await (await RunLog.open({ run_id, workspace_id: 'ws_1' })).append(() => [message(run_id)]);
    }
    expect(await said(run)).toEqual([run.run_id]);
    expect((await entriesFromCursor(run.run_id, 1, 100)).length).toBe(1);
  });

  it('reads a log of more slots than one page to its end, and can write on', async () => {
    const run = newRun();
    const stored = entriesOf([begun, ...Array.from({ length: 1_050 }, () => [cancelled])]).map(
      ({ n, at, ...entry }): StoredEntry => ({
        ...entry,
        _id: { run: run.run_id, n },
        workspace: run.workspace_id,
        nonce: String(n),
        at: new Date(at),
        blob: null,
      }),
    );
    await nativeCollection<StoredEntry>('log').insertMany(stored, { ordered: false });
    const log = await RunLog.open(run, token(1));
    expect(log.state.n).toBe(1_051);
    log.stage([called(1)]);
    await log.flush();
    expect(log.state.n).toBe(1_052);
  });
});
