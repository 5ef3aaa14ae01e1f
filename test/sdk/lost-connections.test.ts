import { expect, test } from 'vitest';
import { createClient } from '../../sdk/client.ts';
import type { RunItem } from '../../sdk/transcript-filter.ts';
import { eventsIn, RUN, randomFrom, storyOf } from './story.ts';
import { startUnreliableServer } from './unreliable-server.ts';

/** The text of every answer as a reader puts it together: pieces as they come, the rest when it is whole. */
function transcriptOf(items: RunItem[]): string[] {
  const answers = new Map<string, string>();
  for (const item of items) {
    if (item.kind === 'delta') {
      const { turn, try: attempt, offset, text } = item.delta;
      const soFar = answers.get(`${turn}:${attempt}`) ?? '';
      expect(offset, 'every piece joins on to the one before').toBe(soFar.length);
      answers.set(`${turn}:${attempt}`, soFar + text);
    } else if (item.kind === 'event' && item.event.type === 'model.completed' && item.event.data.ok === true) {
      const key = `${item.event.data.turn}:${item.event.data.try}`;
      const whole = String(item.event.data.text);
      const soFar = answers.get(key) ?? '';
      expect(whole.startsWith(soFar), 'what was shown is how the answer begins').toBe(true);
      answers.set(key, soFar + whole.slice(soFar.length));
    }
  }
  return [...answers].map(([key, text]) => `${key} ${text}`);
}

/** Nothing of an answer comes after its completion. */
function lateDeltas(items: RunItem[]): RunItem[] {
  const closed = new Set<string>();
  return items.filter((item) => {
    if (item.kind === 'delta') return closed.has(`${item.delta.turn}:${item.delta.try}`);
    if (item.kind === 'event' && item.event.type === 'model.completed')
      closed.add(`${item.event.data.turn}:${item.event.data.try}`);
    return false;
  });
}

test.concurrent.each([2, 3, 4, 5, 6, 8, 10, 11])(
  'over random disconnects every event comes once and in order and the transcript is the same, byte by byte (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    const story = storyOf(random);
    const server = await startUnreliableServer(story, random);
    const client = createClient({ url: server.url, apiKey: 'k' });
    const items: RunItem[] = [];
    for await (const item of client.runs.events(RUN)) items.push(item);
    await server.stop();

    const events = items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
    expect(events).toEqual(eventsIn(story));
    expect(lateDeltas(items)).toEqual([]);
    const answered = eventsIn(story).filter(({ type, data }) => type === 'model.completed' && data.ok === true);
    const transcript = transcriptOf(items);
    for (const { data } of answered) expect(transcript).toContain(`${data.turn}:${data.try} ${data.text}`);
    expect(server.stats.cuts).toBeGreaterThan(10);
  },
);

test('a reader that begins in the middle gets what follows its cursor, and after the end nothing is waited for', async () => {
  const story = storyOf(randomFrom(99));
  const server = await startUnreliableServer(story, randomFrom(99));
  const client = createClient({ url: server.url, apiKey: 'k' });
  const read = async (cursor: number) => {
    const cursors: number[] = [];
    for await (const item of client.runs.events(RUN, { cursor })) {
      if (item.kind === 'event') cursors.push(item.event.cursor);
    }
    return cursors;
  };
  const all = eventsIn(story).map(({ cursor }) => cursor);
  expect(await read(5)).toEqual(all.slice(4));
  expect(await read(all.length)).toEqual(all.slice(-1));
  expect(await read(all.length + 1)).toEqual([]);
  await server.stop();
});

test('a reader is told when the connection is lost and when it is there again', async () => {
  const story = storyOf(randomFrom(7));
  const server = await startUnreliableServer(story, randomFrom(7));
  const client = createClient({ url: server.url, apiKey: 'k' });
  const states: string[] = [];
  for await (const _item of client.runs.events(RUN, { onConnection: (state) => states.push(state) }));
  await server.stop();
  expect(states.length).toBeGreaterThan(1);
  expect(states).toEqual(states.map((_, index) => (index % 2 === 0 ? 'lost' : 'live')));
});

test('a reader that leaves is let go at once, also while nobody answers', async () => {
  const client = createClient({ url: 'http://127.0.0.1:1', apiKey: 'k' });
  const left = new AbortController();
  const items = client.runs.events(RUN, { signal: left.signal, onConnection: () => left.abort() });
  expect(await items.next()).toEqual({ done: true, value: undefined });
});
