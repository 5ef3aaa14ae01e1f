import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diceOf } from '../../bench/chaos/dice.ts';
import { eventPageSchema, type RunEvent } from '../../domain/run-events.ts';
import { RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { insertRun } from '../../store/runs.ts';
import { begun, cancelled, ended, message } from '../domain/told.ts';
import { draft } from '../recorded-run.ts';
import { type Served, startServed } from '../served-system.ts';
import { readStream, Transcript } from '../transcript.ts';

let system: Served;
beforeAll(async () => {
  system = await startServed();
});
afterAll(() => system.stop());

/** A run that is only in the store: what it tells is in the hands of the test. */
async function quietRun(): Promise<{ id: string; log: RunLog }> {
  const run = await insertRun(system.caller, draft(newId('run'), system.agent));
  return { id: run._id, log: await RunLog.open({ run_id: run._id, workspace_id: run.workspace_id }) };
}
const page = async (id: string, query: string) => (await system.call('GET', `/runs/${id}/events?${query}`)).body;
const said = (events: RunEvent[]) => events.map(({ data, type }) => data.content ?? type);

describe('[3] GET /runs/:id/events', () => {
  it('gives from any cursor on what was not given yet, and where to go on', async () => {
    const { id, log } = await quietRun();
    for (const facts of [begun, [cancelled], [message('a'), message('b')], [cancelled], [message('c')]]) {
      await log.append(() => facts);
    }
    const all = await page(id, 'cursor=1');
    expect(eventPageSchema.parse(all)).toEqual(all);
    expect([said(all.events), all.next_cursor, all.status]).toEqual([
      ['run.queued', 'run.started', 'a', 'b', 'c'],
      6,
      'running',
    ]);
    expect(await page(id, '')).toEqual(all);
    for (let cursor = 1; cursor <= 8; cursor++) {
      const { events, next_cursor } = await page(id, `cursor=${cursor}`);
      expect([events, next_cursor]).toEqual([all.events.slice(cursor - 1), Math.max(6, cursor)]);
    }
  });

  it('holds until there is something new', async () => {
    const { id, log } = await quietRun();
    await log.append(() => begun);
    const held = page(id, 'cursor=3&wait=25');
    await expect.poll(() => system.api.hub.followers).toBe(1);
    await log.append(() => [message('at last')]);
    const { events, next_cursor } = await held;
    expect([said(events), next_cursor]).toEqual([['at last'], 4]);
    expect(system.api.hub.followers).toBe(0);
  });

  it('does not wake for what is no event, nor for other runs', async () => {
    const { id, log } = await quietRun();
    const other = await quietRun();
    await log.append(() => begun);
    const held = page(id, 'cursor=3&wait=25');
    await expect.poll(() => system.api.hub.followers).toBe(1);
    await other.log.append(() => begun);
    await log.append(() => [cancelled]);
    await log.append(() => [message('one')]);
    expect(said((await held).events)).toEqual(['one']);
  });

  it('answers with nothing when the time is up', async () => {
    const { id, log } = await quietRun();
    await log.append(() => begun);
    expect(await page(id, 'cursor=3&wait=0.2')).toMatchObject({ events: [], next_cursor: 3, status: 'running' });
    expect(system.api.hub.followers).toBe(0);
  });

  it('does not hold who has everything of a run that has ended, though its record has not heard of it', async () => {
    const { id, log } = await quietRun();
    await log.append(() => [...begun, ended]);
    const begunAt = Date.now();
    expect(await page(id, 'cursor=4&wait=25')).toMatchObject({ events: [], status: 'completed' });
    expect(Date.now() - begunAt).toBeLessThan(20_000);
  });

  it('lets go of who waits when the process goes down', async () => {
    const another = await system.anotherApi();
    const { id, log } = await quietRun();
    await log.append(() => begun);
    const headers = { authorization: `Bearer ${system.ownerKey}` };
    const held = fetch(`${another.url}/api/v1/runs/${id}/events?cursor=3&wait=100`, { headers });
    const stream = readStream({ url: another.url, token: system.ownerKey, run: id }, () => true);
    await expect.poll(() => another.hub.followers).toBe(2);
    another.draining.abort();
    expect(await (await held).json()).toMatchObject({ events: [], next_cursor: 3 });
    expect(await stream).toEqual({ status: 200, end: 'by the server' });
    expect(another.hub.followers).toBe(0);
  });
});

describe('[3] the event stream', () => {
  const follow = async (run: string, more: { headers?: Record<string, string>; query?: string } = {}) => {
    const events: RunEvent[] = [];
    const over = await readStream({ url: system.url, token: system.ownerKey, run, ...more }, ({ type, data }) => {
      if (type !== 'model.delta') events.push(JSON.parse(data));
      return true;
    });
    return { ...over, said: said(events), cursors: events.map(({ cursor }) => cursor) };
  };

  it('sends what there is, then what comes, and closes with the end of the run', async () => {
    const { id, log } = await quietRun();
    await log.append(() => begun);
    const following = follow(id);
    await expect.poll(() => system.api.hub.followers).toBe(1);
    for (const facts of [[message('a')], [cancelled], [message('b'), message('c')], [ended]])
      await log.append(() => facts);
    expect(await following).toEqual({
      status: 200,
      end: 'by the server',
      said: ['run.queued', 'run.started', 'a', 'b', 'c', 'run.completed'],
      cursors: [1, 2, 3, 4, 5, 6],
    });
    expect(system.api.hub.followers).toBe(0);
  });

  it.each<[string, { headers?: Record<string, string>; query?: string }, number[]]>([
    ['from the beginning', {}, [1, 2, 3, 4, 5]],
    ['from a cursor', { query: '?cursor=3' }, [3, 4, 5]],
    ['after Last-Event-ID', { headers: { 'last-event-id': '3' } }, [4, 5]],
    [
      'after Last-Event-ID rather than from the cursor of the address',
      { headers: { 'last-event-id': '4' }, query: '?cursor=2' },
      [5],
    ],
    [
      'from the cursor where Last-Event-ID says nothing',
      { headers: { 'last-event-id': 'x' }, query: '?cursor=5' },
      [5],
    ],
  ])('goes on %s', async (_what, more, cursors) => {
    const { id, log } = await quietRun();
    await log.append(() => [...begun, message('a'), message('b')]);
    // Without an event of its own: it must not hide the end from who asks for the end alone.
    await log.append(() => [cancelled]);
    await log.append(() => [ended]);
    expect(await follow(id, more)).toMatchObject({ cursors, end: 'by the server' });
  });

  it('tells a browser that has everything not to come back', async () => {
    const { id, log } = await quietRun();
    await log.append(() => [...begun, ended]);
    expect(await follow(id, { headers: { 'last-event-id': '3' } })).toMatchObject({ status: 204, cursors: [] });
  });

  it('begins with the text so far of an answer that is being written', async () => {
    system.model.script('midway', [{ text: 'one two three four five six seven eight' }]);
    const release = system.model.hold('midway', 0, 5);
    const id = await system.start('midway');
    const first = new Transcript();
    await readStream({ url: system.url, token: system.ownerKey, run: id }, ({ type, data }) => {
      if (type === 'model.delta') first.takeDelta(JSON.parse(data));
      return first.texts.get('1.1') !== 'one two three four ';
    });
    const second = new Transcript();
    const following = readStream({ url: system.url, token: system.ownerKey, run: id }, ({ type, data }) => {
      if (type === 'model.delta') second.takeDelta(JSON.parse(data));
      else second.take(JSON.parse(data));
      if (second.texts.get('1.1') === 'one two three four ') release();
      return true;
    });
    expect(await following).toEqual({ status: 200, end: 'by the server' });
    expect(second.events.at(-1)).toMatchObject({
      type: 'run.completed',
      data: { output: 'one two three four five six seven eight' },
    });
  });

  it('[15.7] gives the same transcript over twenty random disconnects, and nothing twice', async () => {
    const CUTS = 20;
    const dice = diceOf(15);
    const words = Array.from({ length: 100 }, (_, n) => `word${n}`).join(' ');
    const slow = (text: string, more = {}) => ({ fault: 'slow' as const, delay_ms: 3, text, ...more });
    system.model.script('cut', [
      slow(words, { tool_calls: [{ name: 'list_files' }] }),
      slow(words, { tool_calls: [{ name: 'read_file', arguments: { path: '/notes.md' } }] }),
      slow(words),
    ]);
    // The last answer is not finished before all cuts were made, however fast this machine is.
    const release = system.model.hold('cut', 2, 50);
    const held = `${words.split(' ').slice(0, 49).join(' ')} `;
    const id = await system.start('cut');
    const mine = new Transcript();
    for (let cuts = 0; !mine.hasEnded; cuts++) {
      if (cuts === CUTS) release();
      let left = cuts < CUTS ? dice(8) : Number.POSITIVE_INFINITY;
      mine.connected();
      const headers: Record<string, string> = mine.next > 1 ? { 'last-event-id': String(mine.next - 1) } : {};
      await readStream({ url: system.url, token: system.ownerKey, run: id, headers }, ({ type, data }) => {
        if (type === 'model.delta') mine.takeDelta(JSON.parse(data));
        else mine.take(JSON.parse(data));
        left -= 1;
        return left >= 0 && (cuts >= CUTS || mine.texts.get('3.1') !== held);
      });
    }
    const whole = (await page(id, 'cursor=1')).events;
    expect(mine.wrong).toEqual([]);
    expect(JSON.stringify(mine.events)).toBe(JSON.stringify(whole));
    for (const [key, text] of mine.texts) expect([key, words.startsWith(text)]).toEqual([key, true]);
    expect(mine.texts.size).toBeGreaterThan(1);
    await expect.poll(() => system.api.hub.followers).toBe(0);
    system.model.assertDone('cut');
  });
});
