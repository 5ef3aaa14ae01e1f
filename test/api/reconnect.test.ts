import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diceOf } from '../../bench/chaos/dice.ts';
import type { Delta, RunEvent } from '../../domain/run-events.ts';
import { createClient } from '../../sdk/client.ts';
import { newId } from '../../store/ids.ts';
import { draftAgentRun } from '../../store/run-drafts.ts';
import { insertRun } from '../../store/runs.ts';
import { startAgentRun } from '../../workflows/start.ts';
import { startBreakingLine } from '../doubles/breaking-line.ts';
import { type Served, startServed } from '../served-system.ts';
import { readStream, Transcript } from '../transcript.ts';
import { eventsOf, historiesOf } from '../workflows/history.ts';

const BREAKS = 20;
const SEED = 157;

let system: Served;
beforeAll(async () => {
  system = await startServed();
});
afterAll(() => system.stop());

type Follow = (url: string, run: string) => Promise<Transcript>;

const take = (mine: Transcript, { type, data }: { type: string; data: string }): void =>
  type === 'model.delta' ? mine.takeDelta(JSON.parse(data)) : mine.take(JSON.parse(data));

const byStream: Follow = async (url, run) => {
  const mine = new Transcript();
  while (!mine.hasEnded) {
    mine.connected();
    const headers: Record<string, string> = mine.next > 1 ? { 'last-event-id': String(mine.next - 1) } : {};
    const each = (message: { type: string; data: string }) => {
      take(mine, message);
      return true;
    };
    await readStream({ url, token: system.ownerKey, run, headers }, each).catch(() => undefined);
  }
  return mine;
};

const bySocket: Follow = async (url, run) => {
  const mine = new Transcript();
  const socket = io(url, {
    auth: { token: system.ownerKey },
    forceNew: true,
    transports: ['websocket'],
    reconnectionDelay: 5,
    reconnectionDelayMax: 20,
  });
  socket.on('connect', () => {
    mine.connected();
    socket.emit('watch', { run_id: run, cursor: mine.next }, () => undefined);
  });
  await new Promise<void>((done) => {
    socket.on('delta', (delta: Delta) => mine.takeDelta(delta));
    socket.on('events', ({ events }: { events: RunEvent[] }) => {
      for (const event of events) mine.take(event);
      if (mine.hasEnded) done();
    });
  });
  socket.disconnect();
  return mine;
};

const byPages: Follow = async (url, run) => {
  const mine = new Transcript();
  const headers = { authorization: `Bearer ${system.ownerKey}` };
  while (!mine.hasEnded) {
    mine.connected();
    const page = await fetch(`${url}/api/v1/runs/${run}/events?cursor=${mine.next}&wait=5`, { headers })
      .then((response) => response.json())
      .catch(() => ({ events: [] }));
    for (const event of page.events) mine.take(event);
  }
  return mine;
};

const bySdk: Follow = async (url, run) => {
  const mine = new Transcript();
  for await (const item of createClient({ url, apiKey: system.ownerKey }).runs.events(run)) {
    if (item.kind === 'event') mine.take(item.event);
    else if (item.kind === 'delta') mine.takeDelta(item.delta);
  }
  return mine;
};

/** All that was said, as a reader has it: what came in pieces, and the rest when it was whole. */
function written({ events, texts }: Transcript): Record<string, string> {
  const answers = events.filter(({ type, data }) => type === 'model.completed' && data.ok === true);
  return Object.fromEntries(
    answers.map(({ data }) => {
      const key = `${data.turn}.${data.try}`;
      const soFar = texts.get(key) ?? '';
      const whole = String(data.text);
      expect(whole.startsWith(soFar), `what was shown of ${key} is how it begins`).toBe(true);
      return [key, soFar + whole.slice(soFar.length)];
    }),
  );
}

const wordsOf = (count: number): string => Array.from({ length: count }, (_, n) => `wörd${n}`).join(' ');

describe('[15.7] a client that is cut off twenty times at random', () => {
  it('has the same transcript, byte for byte, as one that never was: by stream, socket, pages and sdk', async () => {
    const slow = (more = {}) => ({ fault: 'slow' as const, delay_ms: 8, text: wordsOf(200), ...more });
    const read = { name: 'read_file', arguments: { path: '/notes.md' } };
    system.model.script('broken', [
      slow({ tool_calls: [{ name: 'list_files' }, read] }),
      slow({ tool_calls: [read] }),
      slow({ tool_calls: [{ name: 'list_files' }] }),
      slow(),
    ]);
    // The last answer is not finished before all lines have broken as often as they will.
    const release = system.model.hold('broken', 3, 100);
    const id = await system.start('broken');
    const unbroken = byStream(system.url, id);
    const followers = Object.entries({ byStream, bySocket, byPages, bySdk });
    const lines = await Promise.all(
      followers.map((_, index) => startBreakingLine(system.url, diceOf(SEED + index), BREAKS)),
    );
    const following = followers.map(([, follow], index) => follow(lines[index]?.url ?? '', id));
    await expect.poll(() => lines.map((line) => line.broken()), { timeout: 80_000 }).toEqual(lines.map(() => BREAKS));
    release();
    const whole = await unbroken;
    for (const [index, transcript] of (await Promise.all(following)).entries()) {
      const how = followers[index]?.[0];
      expect([how, transcript.wrong]).toEqual([how, []]);
      expect(JSON.stringify(transcript.events), how).toBe(JSON.stringify(whole.events));
      expect(JSON.stringify(written(transcript)), how).toBe(JSON.stringify(written(whole)));
    }
    expect(whole.texts.size).toBeGreaterThan(1);
    expect(Object.values(written(whole))).toEqual(Array(4).fill(wordsOf(200)));
    for (const line of lines) line.close();
    await expect.poll(() => system.api.hub.followers).toBe(0);
    system.model.assertDone('broken');
  }, 120_000);
});

describe('[15.7] what is streamed', () => {
  it('leaves nothing in the history: as many events for 10 words an answer as for 2,000', async () => {
    const historyOf = async (words: number) => {
      const script = `${words} words`;
      const answer = (more = {}) => ({ text: wordsOf(words), ...more });
      const read = answer({ tool_calls: [{ name: 'list_files' }] });
      system.model.script(script, [read, read, answer()]);
      // The record first: a workflow that is faster than it waits for it, which leaves a timer in its history.
      const { agent, notebook, caller } = system;
      const wanted = { input: `[script:${script}] Do it.`, trigger_type: 'sdk' as const };
      const draft = await draftAgentRun(caller, { agent, notebook }, wanted, newId('run'));
      const { _id: id, workspace_id } = await insertRun(caller, draft);
      await startAgentRun(system.starter, { run_id: id, workspace_id });
      await system.ended(id);
      await system.client.workflow.getHandle(`run:${id}`).result();
      system.model.assertDone(script);
      return (await historiesOf(system.client, id)).flatMap(eventsOf).map(({ eventType }) => eventType);
    };
    expect(await historyOf(2_000)).toEqual(await historyOf(10));
  });
});
