import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workflowIdOf } from '../../domain/run-id.ts';
import { entryEvents } from '../../domain/trace.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { clarification, confirmation, look, position, steering } from '../../workflows/messages.ts';
import { type System, startSystem } from '../running-system.ts';
import { historiesOf, segmentsIn } from './history.ts';

let system: System;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

const ask = { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Which?' } }] };
const write = (id: string) => ({ id, name: 'write_file', arguments: { path: `/${id}.md`, content: `${id}\n` } });
const handleOf = (id: string) => system.client.workflow.getHandle(workflowIdOf(id));
const segments = async (id: string) => segmentsIn(await historiesOf(system.client, id));
const types = async (id: string) => (await entriesAfter(id, 0)).flatMap(entryEvents).map(({ type }) => type);
const requestAt = (script: string, turn: number) =>
  JSON.stringify(system.model.callsOf(script, turn).at(-1)?.request.messages);

async function waiting(script: string, turns: object[]): Promise<string> {
  system.model.script(script, turns);
  const id = await system.start(script);
  await system.until(id, ({ status }) => status === 'waiting_for_user' || status === 'awaiting_confirmation');
  await expect.poll(async () => (await handleOf(id).query(position)).waiting_for.length).toBeGreaterThan(0);
  return id;
}

describe('[3] a run that waits for a person', () => {
  it('does not stir for what it does not wait for', async () => {
    const id = await waiting('deaf', [ask, { text: 'Done.' }]);
    const handle = handleOf(id);
    const before = [await segments(id), await handle.query(position)];
    for (let n = 0; n < 3; n++) {
      await handle.signal(confirmation, { action_id: 'act_1_call_0_0' });
      await handle.signal(clarification, { question_id: `q_${n}_none` });
      await handle.signal(steering, { message_id: `msg_${n}` });
    }
    expect([await segments(id), await handle.query(position)]).toEqual(before);
    await system.commands.answer(system.caller, id, 'q_1_call_0_0', 'This.');
    expect((await system.ended(id)).output).toBe('Done.');
    expect(await segments(id)).toBe(2);
  });

  it('looks again when told to, finds nothing new and waits on', async () => {
    const id = await waiting('look', [ask, { text: 'Done.' }]);
    // One that came before its record was there has looked for it again, and so is not at its first segment.
    const { segment } = await handleOf(id).query(position);
    await handleOf(id).signal(look);
    await expect.poll(async () => (await handleOf(id).query(position)).segment).toBe(segment + 1);
    // Told that it was answered, though the log knows of no answer: the log is what counts.
    await handleOf(id).signal(clarification, { question_id: 'q_1_call_0_0' });
    await expect
      .poll(() => handleOf(id).query(position))
      .toEqual({ segment: segment + 2, waiting_for: ['q_1_call_0_0'] });
    expect((await system.get(id)).status).toBe('waiting_for_user');
    await system.commands.answer(system.caller, id, 'q_1_call_0_0', 'This.');
    expect((await system.ended(id)).status).toBe('completed');
    system.model.assertDone('look');
  });

  it('hears an answer that comes while the segment that asked is still under way', async () => {
    const QUESTIONS = 6;
    system.model.script('quick', [...Array.from({ length: QUESTIONS }, () => ask), { text: 'Done.' }]);
    const id = await system.start('quick');
    const answers: Promise<unknown>[] = [];
    // Answered in the moment it is in the log: the workflow has not been told yet that there is anything to wait for.
    const stop = system.hub.follow(id, {
      entry: ({ facts }) => {
        for (const fact of facts) {
          if (fact.kind !== 'question_asked') continue;
          answers.push(system.commands.answer(system.caller, id, fact.question_id, `Answer ${fact.turn}.`));
        }
      },
      delta: () => undefined,
      gap: () => undefined,
    });
    const run = await system.ended(id);
    stop();
    await Promise.all(answers);
    expect([run.status, answers.length]).toEqual(['completed', QUESTIONS]);
    for (let turn = 1; turn <= QUESTIONS; turn++) expect(requestAt('quick', QUESTIONS)).toContain(`Answer ${turn}.`);
    system.model.assertDone('quick');
  });

  it.each<[string, string[][]]>([
    ['as they were asked', [['a'], ['b']]],
    ['the other way round', [['b'], ['a']]],
    ['at once', [['a', 'b']]],
  ])('takes two decisions %s, and goes on when it has both', async (how, order) => {
    const script = `two-${how}`;
    const [a, b] = [`${script}-a`.replaceAll(' ', '-'), `${script}-b`.replaceAll(' ', '-')];
    const id = await waiting(script, [{ tool_calls: [write(a), write(b)] }, { text: 'Done.' }]);
    for (const together of order) {
      await Promise.all(
        together.map((which) =>
          system.commands.confirm(system.caller, id, {
            action_id: `act_1_${which === 'a' ? a : b}`,
            confirmed: which === 'a',
          }),
        ),
      );
    }
    expect((await system.ended(id)).status).toBe('completed');
    expect(await readFile(join(system.root, `${a}.md`), 'utf8')).toBe(`${a}\n`);
    expect(await readdir(system.root)).not.toContain(`${b}.md`);
    expect((await types(id)).filter((type) => type === 'action.decided')).toHaveLength(2);
    expect(requestAt(script, 1)).toContain('denied');
    system.model.assertDone(script);
  });

  it('does what was allowed before the other decision is there', async () => {
    const id = await waiting('one-by-one', [{ tool_calls: [write('first'), write('second')] }, { text: 'Done.' }]);
    await system.commands.confirm(system.caller, id, { action_id: 'act_1_second', confirmed: true });
    const run = await system.until(id, ({ pending_actions }) => pending_actions.length === 1);
    expect(run.status).toBe('awaiting_confirmation');
    await expect.poll(() => readdir(system.root)).toContain('second.md');
    expect(await readdir(system.root)).not.toContain('first.md');
    await system.commands.cancel(system.caller, id);
    expect(await system.ended(id)).toMatchObject({ status: 'cancelled', pending_actions: [] });
    expect(await readdir(system.root)).not.toContain('first.md');
  });
});

describe('[4] a run that waits for another try', () => {
  it('shows until when, and ends at once when it is cancelled', async () => {
    system.model.script('backing-off', [{ fault: '429', retry_after: 600 }]);
    const id = await system.start('backing-off');
    const { retry_at, status } = await system.until(id, (run) => run.retry_at !== null);
    expect(status).toBe('running');
    expect(Date.parse(retry_at ?? '') - Date.now()).toBeGreaterThan(500_000);
    await system.commands.cancel(system.caller, id);
    expect(await system.ended(id)).toMatchObject({ status: 'cancelled', retry_at: null, unconfirmed_calls: 0 });
    expect(system.model.count('backing-off').calls).toBe(1);
  });

  it('reads what it was told meanwhile with that try, and does not answer it twice', async () => {
    system.model.script('told-meanwhile', [[{ fault: '429', retry_after_ms: 2_500 }, { text: 'Briefly.' }]]);
    const id = await system.start('told-meanwhile');
    await system.until(id, (run) => run.retry_at !== null);
    await system.commands.message(system.caller, id, 'msg_1', 'Be brief.');
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'Briefly.', iterations_used: 1 });
    expect(requestAt('told-meanwhile', 0)).toContain('Be brief.');
    expect(system.model.count('told-meanwhile').calls).toBe(2);
  });
});

describe('a run cancelled through Temporal itself', () => {
  it.each(['while it waits', 'in the middle of a model call'])('%s is told so in its log, and ends', async (when) => {
    const script = `temporal-${when}`;
    const isWaiting = when === 'while it waits';
    system.model.script(script, [isWaiting ? ask : { text: 'A very long answer' }]);
    if (!isWaiting) system.model.hold(script, 0);
    const id = await system.start(script);
    if (isWaiting) await system.until(id, ({ status }) => status === 'waiting_for_user');
    else await system.model.reached(script, 0);
    await handleOf(id).cancel();
    expect((await system.ended(id)).status).toBe('cancelled');
    const facts = (await entriesAfter(id, 0)).flatMap((entry) => entry.facts);
    expect(facts.filter(({ kind }) => kind === 'cancel_requested')).toMatchObject([{ by: { name: 'Temporal' } }]);
    await expect.poll(async () => (await handleOf(id).describe()).status.name).toBe('COMPLETED');
  });
});
