import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workflowIdOf } from '../../domain/run-id.ts';
import { entryEvents } from '../../domain/trace.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { clarification, position } from '../../workflows/messages.ts';
import { type System, startSystem } from '../running-system.ts';
import { eventsOf, type History, historiesOf, payloadsOf } from './history.ts';

const MAX_HISTORY = 90;
let system: System;
beforeAll(async () => {
  // A segment takes one step, so that few turns make a long history.
  system = await startSystem({ segmentMs: 0, maxHistory: MAX_HISTORY });
});
afterAll(() => system.stop());

const read = { text: 'Reading.', tool_calls: [{ name: 'list_files' }] };
const ask = { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Which?' } }] };
const turns = (count: number) => Array.from({ length: count }, () => read);
const inputOf = (history: History) => {
  const input = eventsOf(history)[0]?.workflowExecutionStartedEventAttributes?.input;
  return JSON.parse(String(payloadsOf(input)[0])) as { segment: number; arrived: string[] };
};

describe('[15.8] a run over several histories', () => {
  it('loses nothing: thirty turns and a wait in between, each history short', async () => {
    system.model.script('long', [...turns(14), ask, ...turns(14), { text: 'Done.' }]);
    const id = await system.start('long');
    const question = (await system.until(id, ({ status }) => status === 'waiting_for_user')).pending_questions[0];
    await system.commands.answer(system.caller, id, question?.id ?? '', 'The red one.');
    const run = await system.ended(id);
    expect(run).toMatchObject({ status: 'completed', output: 'Done.', iterations_used: 30 });
    system.model.assertDone('long');

    const histories = await historiesOf(system.client, id);
    expect(histories.length).toBeGreaterThan(2);
    for (const history of histories) expect(eventsOf(history).length).toBeLessThan(MAX_HISTORY + 20);
    const segments = histories.map((history) => inputOf(history).segment);
    expect(segments).toEqual([...segments].sort((a, b) => a - b));
    expect(new Set(segments).size).toBe(segments.length);

    const events = (await entriesAfter(id, 0)).flatMap(entryEvents);
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ type }) => type === 'model.completed')).toHaveLength(30);
    expect(events.filter(({ type }) => type === 'tool.completed')).toHaveLength(29);
  });

  it('keeps the ids of answers that came early over a cut, a hundred of them at most', async () => {
    system.model.script('early', [...turns(4), { text: 'Done.' }]);
    const release = system.model.hold('early', 0, 0);
    const id = await system.start('early');
    await system.model.reached('early', 0);
    const handle = system.client.workflow.getHandle(workflowIdOf(id));
    const ids = Array.from({ length: 130 }, (_, n) => `q_${n}`);
    await Promise.all(ids.map((question_id) => handle.signal(clarification, { question_id })));
    release();
    await system.ended(id);
    const [, second] = await historiesOf(system.client, id);
    if (!second) throw new Error('the history was never cut');
    const { arrived } = inputOf(second);
    expect([arrived.length, new Set(arrived).size]).toEqual([100, 100]);
    expect(ids).toEqual(expect.arrayContaining(arrived));
    system.model.assertDone('early');
  });
});

it('[15.8] a run with a long history begins a new one before it waits for a person', async () => {
  system.model.script('then-waits', [...turns(12), ask, { text: 'Done.' }]);
  const id = await system.start('then-waits', {}, { maxHistory: 2_000 });
  await system.until(id, ({ status }) => status === 'waiting_for_user');
  const handle = system.client.workflow.getHandle(workflowIdOf(id));
  await expect.poll(async () => (await historiesOf(system.client, id)).length).toBe(2);
  await expect.poll(async () => (await handle.query(position)).waiting_for).toHaveLength(1);
  const [first, second] = await historiesOf(system.client, id);
  expect(first && eventsOf(first).length).toBeGreaterThan(100);
  expect(second && eventsOf(second).length).toBeLessThan(20);
  await system.commands.answer(system.caller, id, 'q_13_call_12_0', 'This.');
  expect((await system.ended(id)).status).toBe('completed');
  system.model.assertDone('then-waits');
});
