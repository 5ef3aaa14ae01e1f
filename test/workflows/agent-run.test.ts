import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryEvents, entrySteps } from '../../domain/trace.ts';
import { newId } from '../../store/ids.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { insertRun } from '../../store/runs.ts';
import { startAgentRun } from '../../workflows/start.ts';
import { draft } from '../recorded-run.ts';
import { type System, startGivingUp, startSystem } from '../running-system.ts';

let system: System;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

const eventsOf = async (id: string) => (await entriesAfter(id, 0)).flatMap(entryEvents);
const types = async (id: string) => (await eventsOf(id)).map((event) => event.type);

describe('[3] a run', () => {
  it('goes from input over tool calls to its output, every step in the log', async () => {
    system.model.script('plain', [
      {
        text: 'I will read.',
        tool_calls: [{ name: 'read_file', arguments: { path: '/notes.md' } }, { name: 'list_files' }],
      },
      { text: 'All done.' },
    ]);
    const id = await system.start('plain');
    const run = await system.ended(id);
    expect(run).toMatchObject({
      status: 'completed',
      output: 'All done.',
      iterations_used: 2,
      tokens_used: 40,
      error: null,
    });
    system.model.assertDone('plain');

    const entries = await entriesAfter(id, 0);
    // One append before the first call leaves: a second would cost every run the time of a journaled write.
    expect(entries[0]?.facts.map(({ kind }) => kind)).toEqual([
      'queued',
      'started',
      'provider_selected',
      'call_started',
    ]);
    const events = entries.flatMap(entryEvents);
    expect(events.map((event) => event.cursor)).toEqual(events.map((_, index) => index + 1));
    expect(events.map((event) => event.type)).toEqual([
      'run.queued',
      'run.started',
      'provider.selected',
      'model.started',
      'model.completed',
      'tool.started',
      'tool.completed',
      'tool.started',
      'tool.completed',
      'model.started',
      'model.completed',
      'run.completed',
    ]);
    const steps = entries.flatMap(entrySteps);
    expect(steps.map((step) => [step.step_number, step.type])).toEqual([
      [1, 'llm_response'],
      [2, 'tool_call'],
      [3, 'tool_call'],
      [4, 'tool_result'],
      [5, 'tool_result'],
      [6, 'llm_response'],
    ]);
    expect(JSON.stringify(system.model.callsOf('plain', 1)[0]?.request.messages)).toContain('The first line.');
  });

  it('answers an unknown tool, bad arguments and malformed arguments to the model and goes on', async () => {
    system.model.script('mistakes', [
      {
        tool_calls: [
          { name: 'launch_rocket' },
          { name: 'read_file', arguments: { file: 'x' } },
          { name: 'read_file', arguments: 'not json' },
          { name: 'read_file', arguments: { path: '/../etc/passwd' } },
        ],
      },
      { text: 'Sorry.' },
    ]);
    const run = await system.ended(await system.start('mistakes'));
    expect(run.status).toBe('completed');
    const said = JSON.stringify(system.model.callsOf('mistakes', 1)[0]?.request.messages);
    for (const code of ['unknown_tool', 'invalid_arguments', 'scope_violation']) expect(said).toContain(code);
    expect(said).toContain('read_file');
  });

  it('waits for a confirmation with a preview, and writes once it is allowed', async () => {
    system.model.script('write', [
      {
        text: 'Writing.',
        tool_calls: [{ name: 'write_file', arguments: { path: '/out/new.md', content: 'hello\n' } }],
      },
      { text: 'Written.' },
    ]);
    const id = await system.start('write');
    const waiting = await system.until(id, (run) => run.status === 'awaiting_confirmation');
    const [action] = waiting.pending_actions;
    expect(action).toMatchObject({ type: 'write_file', path: '/out/new.md', requires_confirmation: true });
    expect(action?.preview).toContain('+hello');
    await expect(readFile(join(system.root, 'out/new.md'))).rejects.toThrow('ENOENT');

    await system.commands.confirm(system.caller, id, {
      action_id: action?.id ?? '',
      confirmed: true,
      digest: action?.digest ?? '',
    });
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'Written.', pending_actions: [] });
    expect(await readFile(join(system.root, 'out/new.md'), 'utf8')).toBe('hello\n');
    expect(await readdir(join(system.root, 'out'))).toEqual(['new.md']);
    expect(await types(id)).toContain('action.decided');
    await expect(
      system.commands.confirm(system.caller, id, { action_id: action?.id ?? '', confirmed: true }),
    ).rejects.toMatchObject({ code: 'run_ended' });
  });

  it('tells the model of a denial with its reason, and never runs the call', async () => {
    system.model.script('denied', [
      { tool_calls: [{ name: 'write_file', arguments: { path: '/denied.md', content: 'no' } }] },
      { text: 'I was refused.' },
    ]);
    const id = await system.start('denied');
    const { pending_actions } = await system.until(id, (run) => run.status === 'awaiting_confirmation');
    const action_id = pending_actions[0]?.id ?? '';
    await expect(
      system.commands.confirm(system.caller, id, { action_id, confirmed: true, digest: 'sha256:other' }),
    ).rejects.toMatchObject({ code: 'stale_approval' });
    await system.commands.confirm(system.caller, id, { action_id, confirmed: false, reason: 'not that file' });
    await expect(system.commands.confirm(system.caller, id, { action_id, confirmed: true })).rejects.toMatchObject({
      code: expect.stringMatching(/not_pending|run_ended/),
    });
    expect((await system.ended(id)).status).toBe('completed');
    expect(JSON.stringify(system.model.callsOf('denied', 1)[0]?.request.messages)).toContain('not that file');
    await expect(readFile(join(system.root, 'denied.md'))).rejects.toThrow('ENOENT');
  });

  it('refuses to write where the file changed after it was shown', async () => {
    await writeFile(join(system.root, 'moving.md'), 'one\n');
    system.model.script('moving', [
      { tool_calls: [{ name: 'write_file', arguments: { path: '/moving.md', content: 'two\n' } }] },
      { text: 'It changed.' },
    ]);
    const id = await system.start('moving');
    const { pending_actions } = await system.until(id, (run) => run.status === 'awaiting_confirmation');
    await writeFile(join(system.root, 'moving.md'), 'somebody else\n');
    await system.commands.confirm(system.caller, id, { action_id: pending_actions[0]?.id ?? '', confirmed: true });
    await system.ended(id);
    expect(await readFile(join(system.root, 'moving.md'), 'utf8')).toBe('somebody else\n');
    expect(JSON.stringify(system.model.callsOf('moving', 1)[0]?.request.messages)).toContain('file_changed');
  });

  it('asks a question, waits, and goes on with the answer', async () => {
    system.model.script('ask', [
      { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Which one?' } }] },
      { text: 'The red one then.' },
    ]);
    const id = await system.start('ask');
    const waiting = await system.until(id, (run) => run.status === 'waiting_for_user');
    expect(waiting.pending_questions).toMatchObject([{ question: 'Which one?' }]);
    const question = waiting.pending_questions[0]?.id ?? '';
    await expect(system.commands.answer(system.caller, id, 'q_other', 'x')).rejects.toMatchObject({
      code: 'not_found',
    });
    await system.commands.answer(system.caller, id, question, 'the red one');
    expect((await system.ended(id)).output).toBe('The red one then.');
    expect(JSON.stringify(system.model.callsOf('ask', 1)[0]?.request.messages)).toContain('the red one');
  });

  it('reads a message sent to it while it works at its next turn', async () => {
    system.model.script('steer', [
      { text: 'Reading', tool_calls: [{ name: 'list_files' }] },
      { text: 'First answer.' },
      { text: 'Changed as you said.' },
    ]);
    const release = system.model.hold('steer', 1);
    const id = await system.start('steer');
    await system.model.reached('steer', 1);
    await system.commands.message(system.caller, id, 'msg_1', 'Be brief instead.');
    release();
    expect((await system.ended(id)).output).toBe('Changed as you said.');
    expect(JSON.stringify(system.model.callsOf('steer', 2)[0]?.request.messages)).toContain('Be brief instead.');
  });

  it('stops a model call within two seconds of a cancel, and says so', async () => {
    system.model.script('cancel', [{ text: 'A very long answer' }]);
    system.model.hold('cancel', 0);
    const id = await system.start('cancel');
    await system.model.reached('cancel', 0);
    const begun = Date.now();
    await system.commands.cancel(system.caller, id);
    const run = await system.ended(id);
    expect(run.status).toBe('cancelled');
    expect(Date.now() - begun).toBeLessThan(2000);
    expect((await types(id)).at(-1)).toBe('run.cancelled');
    await system.model.settled('cancel');
    expect(system.model.count('cancel')).toMatchObject({ calls: 1, aborted: 1 });
  });

  it('cancels a run that waits for a person', async () => {
    system.model.script('cancel-waiting', [
      { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Well?' } }] },
    ]);
    const id = await system.start('cancel-waiting');
    await system.until(id, (run) => run.status === 'waiting_for_user');
    await system.commands.cancel(system.caller, id);
    expect((await system.ended(id)).status).toBe('cancelled');
  });

  it('tries again after 429, 500 and a cut stream, and honours Retry-After', async () => {
    system.model.script('faults', [
      [
        { fault: '429', retry_after_ms: 300 },
        { fault: '500' },
        { fault: 'cut', after_chunks: 2 },
        { text: 'At last.' },
      ],
    ]);
    const begun = Date.now();
    const id = await system.start('faults');
    const run = await system.ended(id);
    expect(run).toMatchObject({ status: 'completed', output: 'At last.' });
    expect(Date.now() - begun).toBeGreaterThan(300);
    system.model.assertDone('faults');
  });

  it('fails at once on a bad key and says what to do', async () => {
    system.model.script('key', [{ fault: '401' }]);
    const run = await system.ended(await system.start('key'));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'bad_model_key', retryable: false } });
    expect(run.error?.message).toContain('key');
    expect(system.model.count('key').calls).toBe(1);
  });

  it('is warned at 80 % of its iterations and ends as budget_exceeded if it still calls tools', async () => {
    const read = { tool_calls: [{ name: 'list_files' }] };
    system.model.script('budget', [read, read, read, read, read]);
    const id = await system.start('budget', { budget: { max_iterations: 5 } });
    const run = await system.ended(id);
    expect(run).toMatchObject({ status: 'budget_exceeded', iterations_used: 5 });
    expect((await types(id)).filter((type) => type === 'run.budget_warning')).toHaveLength(1);
    expect(JSON.stringify(system.model.callsOf('budget', 4)[0]?.request.messages)).toContain('Finish now');
  });

  it('waits for a record that is written while its workflow starts, and ends where none ever comes', async () => {
    const never = newId('run');
    const gaveUp = await startGivingUp(system, never);

    system.model.script('late', [{ text: 'In time.' }]);
    const late = newId('run');
    await startAgentRun(system.starter, { run_id: late, workspace_id: system.workspace.id });
    await insertRun(
      system.caller,
      draft(late, system.agent, { notebook: system.notebook, input: '[script:late] Do it.' }),
    );
    expect(await system.ended(late)).toMatchObject({ status: 'completed', output: 'In time.' });

    await gaveUp.result();
    expect(await entriesAfter(never, 0)).toEqual([]);
  });

  it('cannot be started twice under one id', async () => {
    system.model.script('once', [{ text: 'Once.' }]);
    const id = await system.start('once');
    await system.ended(id);
    await startAgentRun(system.starter, { run_id: id, workspace_id: system.workspace.id });
    expect(system.model.count('once').calls).toBe(1);
  });
});
