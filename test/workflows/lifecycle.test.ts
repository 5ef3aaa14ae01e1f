import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { startRunBody } from '../../domain/run-requests.ts';
import { entryEvents, entrySteps } from '../../domain/trace.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { allEntries } from '../../store/log-reading.ts';
import { findNotebook } from '../../store/notebooks.ts';
import { takeSlot } from '../../store/request-slots.ts';
import { AGENT, type System, startSystem } from '../running-system.ts';

/** In the place of the hour: long enough for a slow machine to begin a run in. */
const RATE_WINDOW_MS = 6_000;

let system: System;
beforeAll(async () => {
  system = await startSystem({ rateWindowMs: RATE_WINDOW_MS });
});
afterAll(() => system.stop());

const makeAgent = (more: Record<string, unknown>) =>
  createAgent(system.caller, {
    ...createAgentBody.parse({ ...AGENT, workspace_id: system.workspace.id, max_requests_per_hour: null, ...more }),
    id: newId('agt'),
  });
const start = async (agent: { id: string }, script: string, more: Record<string, unknown> = {}): Promise<string> => {
  const body = { agent_id: agent.id, notebook_id: system.notebook.id, input: `[script:${script}] Do it.`, ...more };
  return (await system.commands.start(system.caller, startRunBody.parse(body), newId))._id;
};
const stepsOf = async (id: string) => (await allEntries(id)).flatMap(entrySteps);
const eventsOf = async (id: string) => (await allEntries(id)).flatMap(entryEvents);
const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });
const writer = () => makeAgent({ name: 'Writer', confirmation: { write_file: 'never' } });

describe('[3] resume', () => {
  it('goes on where a run failed: what was done is not done again, and the new run says what it goes on from', async () => {
    system.model.script('fails', [
      { tool_calls: [{ name: 'read_file', arguments: { path: '/notes.md' } }] },
      [{ fault: '401' }, { text: 'Now it is done.' }],
    ]);
    const id = await start(await writer(), 'fails');
    expect(await system.ended(id)).toMatchObject({ status: 'failed', error: { code: 'bad_model_key' } });
    const resumed = await system.commands.resume(system.caller, id, { override_input: undefined }, newId);
    expect(await system.ended(resumed._id)).toMatchObject({
      status: 'completed',
      output: 'Now it is done.',
      parent_run_id: id,
      relation: 'resume',
      resume_from_step: 4,
      root_run_id: resumed._id,
      iterations_used: 1,
    });
    expect(system.model.count('fails', 0).calls).toBe(1);
    expect((await eventsOf(resumed._id)).map(({ type }) => type).slice(0, 3)).toEqual([
      'run.inherited',
      'run.queued',
      'run.started',
    ]);
  });

  it('is refused for a run that did not fail, and runs nothing', async () => {
    system.model.script('fine', [{ text: 'Fine.' }]);
    const id = await start(await writer(), 'fine');
    await system.ended(id);
    const before = system.model.calls.length;
    await expect(system.commands.resume(system.caller, id, { override_input: undefined }, newId)).rejects.toMatchObject(
      {
        code: 'not_failed',
      },
    );
    expect(system.model.calls.length).toBe(before);
  });

  it('takes a changed input', async () => {
    system.model.script('wrong', [{ fault: '401' }]);
    system.model.script('right', [{ text: 'Right.' }]);
    const id = await start(await writer(), 'wrong');
    await system.ended(id);
    const resumed = await system.commands.resume(
      system.caller,
      id,
      { override_input: '[script:right] Do that.' },
      newId,
    );
    expect(await system.ended(resumed._id)).toMatchObject({ output: 'Right.', input: '[script:right] Do that.' });
  });
});

describe('[15.6] a fork', () => {
  it('has the conversation and the files of its step, in a tree of its own, and leaves its parent untouched', async () => {
    await writeFile(join(system.root, 'fork.md'), 'zero\n');
    system.model.script('forked', [
      { tool_calls: [write('/fork.md', 'one\n')] },
      { tool_calls: [write('/fork.md', 'two\n')] },
      { text: 'Two.' },
    ]);
    const id = await start(await writer(), 'forked');
    await system.ended(id);
    const steps = await stepsOf(id);
    const firstResult = steps.find(({ type }) => type === 'tool_result')?.step_number ?? 0;
    const log = JSON.stringify(await allEntries(id));
    await writeFile(join(system.root, 'fork.md'), 'later\n');

    const at = async (step: number) => {
      system.model.script(`fork at ${step}`, [
        { tool_calls: [{ name: 'read_file', arguments: { path: '/fork.md' } }] },
        { tool_calls: [{ name: 'read_file', arguments: { path: '/fork.md' } }, write('/mine.md', 'mine\n')] },
        { text: 'Seen.' },
      ]);
      const fork = await system.commands.fork(
        system.caller,
        id,
        { step, input: `[script:fork at ${step}] Look.`, system_prompt: 'Another prompt.' },
        newId,
      );
      const run = await system.ended(fork._id);
      const notebook = await findNotebook(system.caller, run.notebook_id ?? '');
      return { run, root: notebook.path ?? '' };
    };
    const early = await at(0);
    expect(early.run).toMatchObject({ status: 'completed', parent_run_id: id, relation: 'fork', resume_from_step: 0 });
    expect(await readFile(join(early.root, 'fork.md'), 'utf8')).toBe('zero\n');
    const middle = await at(firstResult);
    expect(middle.run).toMatchObject({ status: 'completed' });
    expect(await readFile(join(middle.root, 'fork.md'), 'utf8')).toBe('one\n');
    expect(await readFile(join(middle.root, 'mine.md'), 'utf8')).toBe('mine\n');
    const request = JSON.stringify(system.model.callsOf(`fork at ${firstResult}`)[0]?.request.messages);
    expect(request).toContain('Another prompt.');
    expect(request).toContain('one');
    expect(request).not.toContain('two');

    expect(JSON.stringify(await allEntries(id))).toBe(log);
    expect(await readFile(join(system.root, 'fork.md'), 'utf8')).toBe('later\n');
    await expect(readFile(join(system.root, 'mine.md'))).rejects.toThrow();
  });

  it('is refused while the run is at work, and at a step there is not', async () => {
    system.model.script('busy', [{ text: 'Busy.' }]);
    const release = system.model.hold('busy', 0);
    const id = await start(await writer(), 'busy');
    await system.model.reached('busy', 0);
    const fork = (step: number) => system.commands.fork(system.caller, id, { step, input: undefined }, newId);
    await expect(fork(0)).rejects.toMatchObject({ code: 'not_ended' });
    release();
    await system.ended(id);
    await expect(fork(99)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('[3] output schema', () => {
  const schema = { name: { type: 'string' }, age: { type: 'integer' } };

  it('what does not fit goes back to the model with the errors, until it fits', async () => {
    system.model.script('shaped', [
      { text: 'Ada, 36' },
      { text: '{"name": "Ada", "age": "36"}' },
      { text: '{"name": "Ada", "age": 36}' },
    ]);
    const id = await start(await writer(), 'shaped', { output_schema: schema });
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: { name: 'Ada', age: 36 } });
    expect(JSON.stringify(system.model.callsOf('shaped', 2)[0]?.request.messages)).toContain('/age must be integer');
    expect(system.model.callsOf('shaped', 0)[0]?.request).toMatchObject({ response_format: { type: 'json_schema' } });
  });

  it('five retries, then the run fails with the last answer as its output', async () => {
    system.model.script(
      'shapeless',
      Array.from({ length: 6 }, () => ({ text: 'No.' })),
    );
    const id = await start(await writer(), 'shapeless', { output_schema: schema });
    expect(await system.ended(id)).toMatchObject({
      status: 'failed',
      output: 'No.',
      error: { code: 'invalid_output' },
    });
    expect(system.model.count('shapeless').calls).toBe(6);
  });

  it('an invalid schema is refused before anything runs', async () => {
    const agent = await writer();
    await expect(start(agent, 'never', { output_schema: { type: 'nonsense' } })).rejects.toMatchObject({
      code: 'invalid_schema',
    });
  });
});

describe('[2] requests per hour', () => {
  it('a run waits for its turn, says until when, and does not fail', async () => {
    const agent = await makeAgent({ name: 'Limited', max_requests_per_hour: 2 });
    for (const key of ['one', 'two']) await takeSlot(agent.id, key, 2, RATE_WINDOW_MS);
    system.model.script('limited', [{ text: 'In time.' }]);
    const id = await start(agent, 'limited');
    const waiting = await system.until(id, (run) => run.retry_at !== null || run.status === 'completed');
    expect(waiting).toMatchObject({ status: 'running', iterations_used: 0 });
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'In time.', retry_at: null });
    const limited = (await eventsOf(id)).find(({ type }) => type === 'run.rate_limited');
    expect(limited?.data).toMatchObject({ limit: 2 });
    // The record says so in its own words: they are the same but for the moment between the two.
    const until = Date.parse(String(limited?.data.until));
    expect(Math.abs(Date.parse(waiting.retry_at ?? '') - until)).toBeLessThan(1_000);
    expect(Date.parse(String((await eventsOf(id)).find(({ type }) => type === 'model.started')?.ts))).toBeGreaterThan(
      until - 50,
    );
  });
});

describe('[3] budgets', () => {
  it('a call that the rest does not cover is not made, and what was said so far is the output', async () => {
    const agent = await makeAgent({ name: 'Poor', max_token_budget: 3_000, max_tokens_per_request: 1_000 });
    system.model.script('poor', [
      { text: 'First.', tool_calls: [{ name: 'list_files' }], usage: { input: 1_500, output: 800 } },
      { text: 'Second.' },
    ]);
    const id = await start(agent, 'poor');
    expect(await system.ended(id)).toMatchObject({ status: 'budget_exceeded', output: 'First.', tokens_used: 2_300 });
    expect(system.model.count('poor').calls).toBe(1);
  });

  it('cost: every call has its price, and a limit in money holds', async () => {
    const agent = await makeAgent({ name: 'Paid', model: 'gpt-4o', max_cost_usd: 0.02, max_tokens_per_request: 500 });
    system.model.script('paid', [
      { text: 'A.', tool_calls: [{ name: 'list_files' }], usage: { input: 1_000, output: 500 } },
      { text: 'B.', tool_calls: [{ name: 'list_files' }], usage: { input: 1_000, output: 500 } },
      { text: 'C.', tool_calls: [{ name: 'list_files' }], usage: { input: 1_000, output: 200 } },
      { text: 'D.' },
    ]);
    const run = await system.ended(await start(agent, 'paid'));
    expect(run).toMatchObject({ status: 'budget_exceeded', output: 'C.', iterations_used: 3 });
    expect(run.cost_usd).toBeCloseTo((3_000 * 2.5 + 1_200 * 10) / 1_000_000, 6);
    // What is left pays for less than the agent's own limit: the model is told so.
    const limits = system.model.callsOf('paid').map(({ request }) => request.max_completion_tokens ?? 0);
    expect(limits.slice(0, 2)).toEqual([500, 500]);
    expect(limits[2]).toBeLessThan(500);
  });

  it('a cost limit on a model whose price nobody knows is refused', async () => {
    const agent = await makeAgent({ name: 'Unknown' });
    const budget = { max_cost_usd: 1 };
    await expect(start(agent, 'never', { budget })).rejects.toMatchObject({ code: 'unknown_price' });
    await expect(makeAgent({ name: 'Unknown', max_cost_usd: 1 })).rejects.toMatchObject({ code: 'unknown_price' });
  });
});
