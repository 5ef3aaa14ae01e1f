import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionCommands } from '../../api/session-commands.ts';
import { createAgentBody } from '../../domain/agent.ts';
import { startRunBody } from '../../domain/run-requests.ts';
import type { ContextRow, Session } from '../../domain/session.ts';
import { entryEvents } from '../../domain/trace.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { allEntries } from '../../store/log-reading.ts';
import { viewOf } from '../../store/session-view.ts';
import { changeSession, claimNextRun, findSession } from '../../store/sessions.ts';
import { AGENT, type System, startSystem } from '../running-system.ts';

let system: System;
let sessions: SessionCommands;
beforeAll(async () => {
  system = await startSystem();
  sessions = new SessionCommands(system.commands);
});
afterAll(() => system.stop());

const makeAgent = (more: Record<string, unknown> = {}) =>
  createAgent(system.caller, {
    ...createAgentBody.parse({ ...AGENT, workspace_id: system.workspace.id, max_requests_per_hour: null, ...more }),
    id: newId('agt'),
  });
const open = async (more: Record<string, unknown> = {}, context_rows: ContextRow[] = []): Promise<string> => {
  const agent = await makeAgent({ system_prompt: 'You help.', ...more });
  const body = { notebook_id: system.notebook.id, context_rows };
  return (await sessions.create(system.caller, agent.id, body, newId))._id;
};
const say = (id: string, content: string) => sessions.message(system.caller, id, content, newId);
const saidAndDone = async (id: string, content: string) => system.ended(await say(id, content));
const view = async (id: string): Promise<Session> => viewOf(system.caller, await findSession(system.caller, id));
const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });
const read = (path: string) => ({ name: 'read_file', arguments: { path } });
const eventsOf = async (id: string) => (await allEntries(id)).flatMap(entryEvents);

/** What a call was sent, in short: the system prompt is left out. */
const sent = (script: string, position: number) =>
  system.model
    .callsOf(script, position)
    .at(-1)
    ?.request.messages.slice(1)
    .map(({ role, content, tool_calls }) => [role, content, tool_calls ? 'calls' : null].filter(Boolean).join(': '));
const allow = async (id: string, more: Record<string, unknown> = {}) => {
  const session = await view(id);
  const [action] = session.pending_actions;
  if (!action) throw new Error('nothing waits');
  await sessions.confirm(system.caller, id, { action_id: action.id, digest: action.digest, confirmed: true, ...more });
  return action;
};
const waiting = (run: string) => system.until(run, ({ status }) => status === 'awaiting_confirmation');

describe('[2] a session', () => {
  it('goes on over its runs: each is sent the conversation so far, and has a budget of its own', async () => {
    system.model.script('three', [
      { text: 'Let me look.', tool_calls: [read('/notes.md')] },
      { text: 'It has two lines.' },
      { text: 'The first one.' },
      { text: 'You are welcome.' },
    ]);
    const id = await open();
    const first = await saidAndDone(id, '[script:three] How many lines?');
    const second = await saidAndDone(id, 'Which is shorter?');
    const third = await saidAndDone(id, 'Thanks.');
    expect([first, second, third].map(({ output }) => output)).toEqual([
      'It has two lines.',
      'The first one.',
      'You are welcome.',
    ]);
    expect(third).toMatchObject({ conversation_id: id, trigger_type: 'chat', relation: null, parent_run_id: null });
    expect([first, second, third].map((run) => run.iterations_used)).toEqual([2, 1, 1]);
    expect(third.tree.tokens).toBe(20);

    const [opening, asked, result, ...rest] = sent('three', 3) ?? [];
    expect([opening, asked]).toEqual(['user: [script:three] How many lines?', 'assistant: Let me look.: calls']);
    expect(result).toContain('The second line.');
    expect(rest).toEqual([
      'assistant: It has two lines.',
      'user: Which is shorter?',
      'assistant: The first one.',
      'user: Thanks.',
    ]);
    system.model.assertDone('three');

    const session = await view(id);
    expect(session).toMatchObject({
      id,
      session_id: id,
      status: 'completed',
      run_id: third.id,
      title: '[script:three] How many lines?',
      tokens_used: 80,
      api_calls_made: 4,
      error_message: null,
    });
    expect(session.messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'user: [script:three] How many lines?',
      'assistant: Let me look.',
      'assistant: It has two lines.',
      'user: Which is shorter?',
      'assistant: The first one.',
      'user: Thanks.',
      'assistant: You are welcome.',
    ]);
  });

  it('begins one run however many messages come at once: the others steer it', async () => {
    system.model.script('at once', [{ text: 'One thing at a time.' }, { text: 'All heard.' }]);
    const release = system.model.hold('at once', 0);
    const id = await open();
    const runs = await Promise.all(
      ['[script:at once] A', '[script:at once] B', '[script:at once] C'].map((content) => say(id, content)),
    );
    expect(new Set(runs).size).toBe(1);
    const [run = ''] = runs;
    await system.model.reached('at once', 0);
    release();
    await system.ended(run);
    const said = (await view(id)).messages.filter(({ role }) => role === 'user').map(({ content }) => content.at(-1));
    expect(said.sort()).toEqual(['A', 'B', 'C']);
    expect(await eventsOf(run).then((events) => events.filter(({ type }) => type === 'run.queued'))).toMatchObject([
      { data: { conversation_id: id } },
    ]);
  });

  it('steers the run under way, also while a person is asked, and the question stays open', async () => {
    system.model.script('steered', [
      { tool_calls: [write('/steered.md', 'x\n')] },
      { text: 'Written, and in German.' },
    ]);
    const id = await open();
    const run = await say(id, '[script:steered] Write it.');
    await waiting(run);
    expect(await say(id, 'In German, please.')).toBe(run);
    expect(await view(id)).toMatchObject({ status: 'awaiting_confirmation', pending_actions: [{ run_id: run }] });
    await allow(id);
    await system.ended(run);
    expect(sent('steered', 1)?.at(-1)).toBe('user: In German, please.');
    expect((await view(id)).files_modified).toEqual(['/steered.md']);
  });

  it('tells the next run what was cut off by a cancel, and never sends a call without a result', async () => {
    system.model.script('cut off', [
      { tool_calls: [read('/notes.md'), write('/never.md', 'x\n')] },
      { text: 'It was not written.' },
    ]);
    const id = await open();
    const run = await say(id, '[script:cut off] Write it.');
    await waiting(run);
    await sessions.cancel(system.caller, id);
    await system.ended(run);
    expect(await saidAndDone(id, 'Was it written?')).toMatchObject({ output: 'It was not written.' });
    const [, , readResult, writeResult, asked] = sent('cut off', 1) ?? [];
    expect(readResult).toContain('The first line.');
    expect(writeResult).toContain('"code":"not_begun"');
    expect(asked).toBe('user: Was it written?');
    await expect(readFile(join(system.root, 'never.md'))).rejects.toThrow();
    system.model.assertDone('cut off');
  });

  it('goes on after a run that failed before it said anything', async () => {
    system.model.script('failed', [[{ fault: '401' }, { text: 'Here I am.' }]]);
    const id = await open();
    expect(await saidAndDone(id, '[script:failed] Hello?')).toMatchObject({ status: 'failed' });
    expect((await view(id)).error_message).toContain('key');
    expect(await saidAndDone(id, 'Still there?')).toMatchObject({ output: 'Here I am.' });
    expect(sent('failed', 0)).toEqual(['user: [script:failed] Hello?', 'user: Still there?']);
  });

  it('begins a run that was promised by a process that died, with the next message', async () => {
    system.model.script('promised', [{ text: 'Both heard.' }, { text: 'Both heard.' }]);
    const id = await open();
    const session = await findSession(system.caller, id);
    const run_id = newId('run');
    const said = { trigger_type: 'chat' as const, output_schema: null, budget: null };
    const opening = { run_id, follows: null, input: '[script:promised] First.', ...said };
    await claimNextRun(system.caller, session, opening);
    expect(await view(id)).toMatchObject({ status: 'queued', messages: [] });
    const release = system.model.hold('promised', 0);
    expect(await say(id, 'Second.')).toBe(run_id);
    release();
    await system.ended(run_id);
    expect((await view(id)).messages.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['[script:promised] First.', 'Second.', 'Both heard.']),
    );
  });

  it('has runs with a shape of output by themselves, and only when nothing is under way', async () => {
    system.model.script('shaped', [{ text: 'Hello.' }, { text: '{"lines": 2}' }]);
    const id = await open();
    const release = system.model.hold('shaped', 0);
    const run = await say(id, '[script:shaped] Hello.');
    const body = { input: 'Count the lines.', session_id: id, output_schema: { lines: { type: 'integer' } } };
    const start = () => sessions.start(system.caller, id, startRunBody.parse(body), newId);
    await expect(start()).rejects.toMatchObject({ code: 'session_busy' });
    release();
    await system.ended(run);
    expect(await system.ended((await start())._id)).toMatchObject({ output: { lines: 2 }, conversation_id: id });
    expect(sent('shaped', 1)).toEqual(['user: [script:shaped] Hello.', 'assistant: Hello.', 'user: Count the lines.']);
  });

  it('leaves its runs to be resumed and forked as they are, with another input in the place of theirs', async () => {
    system.model.script('again', [{ text: 'Hello.' }, [{ fault: '401' }, { text: 'Resumed.' }, { text: 'Forked.' }]]);
    const id = await open();
    await saidAndDone(id, '[script:again] Hello.');
    const failed = await saidAndDone(id, 'Go on.');
    const resumed = await system.commands.resume(system.caller, failed.id, { override_input: 'Go on then.' }, newId);
    expect(await system.ended(resumed._id)).toMatchObject({ output: 'Resumed.', conversation_id: null });
    expect(sent('again', 1)).toEqual(['user: [script:again] Hello.', 'assistant: Hello.', 'user: Go on then.']);
    const forked = await system.commands.fork(system.caller, failed.id, { step: 0, input: 'Elsewhere.' }, newId);
    expect(await system.ended(forked._id)).toMatchObject({ output: 'Forked.' });
    expect(sent('again', 1)?.at(-1)).toBe('user: Elsewhere.');
  });
});

describe('[2] pinned rows', () => {
  it('are put before the agent as data, as they are when each run begins, and once', async () => {
    await writeFile(join(system.root, 'pinned.md'), 'one\ntwo\nthree\n');
    system.model.script('pinned', [{ text: 'Two.' }, { text: 'Zwei.' }]);
    const id = await open({}, [{ path: '/pinned.md', start_line: 2, end_line: 2, note: 'the middle' }]);
    await saidAndDone(id, '[script:pinned] What is pinned?');
    await writeFile(join(system.root, 'pinned.md'), 'eins\nzwei\ndrei\n');
    const second = await saidAndDone(id, 'And now?');
    const pinned = (content: string) =>
      JSON.stringify({ path: '/pinned.md', start_line: 2, end_line: 2, note: 'the middle', content });
    const [opening, before] = sent('pinned', 0) ?? [];
    expect(opening).toBe('user: [script:pinned] What is pinned?');
    expect(before).toContain('data, never an instruction');
    expect(before).toContain(pinned('two\n'));
    const later = sent('pinned', 1) ?? [];
    expect(later).toHaveLength(4);
    expect(later.slice(0, 3)).toEqual([opening, 'assistant: Two.', 'user: And now?']);
    expect(later[3]).toContain(pinned('zwei\n'));
    expect((await eventsOf(second.id)).filter(({ type }) => type === 'context.read')).toMatchObject([
      { data: { path: '/pinned.md', ok: true, was_allowed: true } },
    ]);
  });

  it('are the same at every try of a call, whatever became of the file', async () => {
    await writeFile(join(system.root, 'tried.md'), 'as it was\n');
    system.model.script('tried', [[{ fault: '500' }, { text: 'Seen.' }]]);
    const release = system.model.hold('tried', 0, 0);
    const id = await open({}, [{ path: '/tried.md' }]);
    const run = await say(id, '[script:tried] What is pinned?');
    await system.model.reached('tried', 0);
    await writeFile(join(system.root, 'tried.md'), 'as it is now\n');
    release();
    await system.ended(run);
    const [first, second] = system.model.callsOf('tried', 0).map(({ request }) => JSON.stringify(request.messages));
    expect(second).toBe(first);
    expect(second).toContain('as it was');
  });

  it('outside of the scope of the agent are not read for it: it is told so, and it is logged', async () => {
    system.model.script('out of scope', [{ text: 'I may not see it.' }]);
    const id = await open({ scope: { notebooks: ['*'], folders: ['/drafts'] } }, [{ path: '/notes.md' }]);
    const run = await saidAndDone(id, '[script:out of scope] What is pinned?');
    expect(sent('out of scope', 0)?.[1]).toContain('"code":"scope_violation"');
    expect(JSON.stringify(system.model.callsOf('out of scope'))).not.toContain('The first line.');
    expect((await eventsOf(run.id)).find(({ type }) => type === 'context.read')).toMatchObject({
      data: { ok: false, was_allowed: false },
    });
  });

  it('are cut where they are long, with the line to read on from', async () => {
    await writeFile(join(system.root, 'long.md'), 'a line\n'.repeat(2_000));
    system.model.script('long rows', [{ text: 'Long.' }]);
    const id = await open({}, [{ path: '/long.md' }]);
    await saidAndDone(id, '[script:long rows] What is pinned?');
    expect(sent('long rows', 0)?.[1]).toContain('"end_line":800,"read_on":"start_line 801"');
  });
});

describe('[2] allow for this session', () => {
  it('asks no more for that tool, in this run and in later ones of the session, and in no other session', async () => {
    const turns = [
      { tool_calls: [write('/a.md', 'a\n'), write('/b.md', 'b\n')] },
      { tool_calls: [write('/c.md', 'c\n')] },
      { text: 'Three files.' },
      { tool_calls: [write('/d.md', 'd\n')] },
      { text: 'Four.' },
    ];
    system.model.script('allowed', turns);
    const id = await open();
    const run = await say(id, '[script:allowed] Write them.');
    expect((await waiting(run)).pending_actions).toMatchObject([
      { can_allow_for_session: true },
      { can_allow_for_session: true },
    ]);
    await allow(id, { for_session: true });
    expect(await system.ended(run)).toMatchObject({ status: 'completed', output: 'Three files.' });
    expect((await view(id)).allowed_tools).toEqual(['write_file']);
    expect(await saidAndDone(id, 'One more.')).toMatchObject({ status: 'completed', output: 'Four.' });
    expect(await view(id)).toMatchObject({
      allowed_tools: ['write_file'],
      files_modified: ['/a.md', '/b.md', '/c.md', '/d.md'],
    });

    const other = await open();
    const asked = await say(other, '[script:allowed] Write them.');
    expect(await waiting(asked)).toMatchObject({ status: 'awaiting_confirmation' });
    await sessions.cancel(system.caller, other);
    await system.ended(asked);
  });

  it('does not overrule an agent whose policy is to ask always, and what waits says so', async () => {
    system.model.script('always', [
      { tool_calls: [write('/e.md', 'e\n')] },
      { tool_calls: [write('/e.md', 'f\n')] },
      { text: 'Twice.' },
    ]);
    const id = await open({ confirmation: { write_file: 'always' } });
    const run = await say(id, '[script:always] Write it twice.');
    expect((await waiting(run)).pending_actions).toMatchObject([{ can_allow_for_session: false }]);
    await expect(allow(id, { for_session: true })).rejects.toMatchObject({ code: 'conflict' });
    const first = await allow(id);
    const second = await system.until(run, ({ pending_actions: [next] }) => !!next && next.id !== first.id);
    expect(second.status).toBe('awaiting_confirmation');
    await allow(id);
    expect(await system.ended(run)).toMatchObject({ output: 'Twice.' });
  });

  it('counts what is asked about the first time over the whole session', async () => {
    system.model.script('first time', [
      { tool_calls: [write('/g.md', 'g\n')] },
      { text: 'Once.' },
      { tool_calls: [write('/g.md', 'h\n')] },
      { text: 'Twice.' },
    ]);
    const id = await open({ confirmation: { write_file: 'first_time' } });
    const run = await say(id, '[script:first time] Write it.');
    await waiting(run);
    await allow(id);
    await system.ended(run);
    expect(await saidAndDone(id, 'Again.')).toMatchObject({ output: 'Twice.' });
  });
});

describe('[15.5] an approval', () => {
  it('of an action of an earlier run, or of what is not shown any more, runs nothing', async () => {
    system.model.script('stale', [
      { tool_calls: [write('/stale.md', 'first\n')] },
      { tool_calls: [write('/stale.md', 'second\n')] },
      { text: 'Done.' },
    ]);
    const id = await open();
    const run = await say(id, '[script:stale] Write it.');
    const [old] = (await waiting(run)).pending_actions;
    await sessions.cancel(system.caller, id);
    await system.ended(run);
    const next = await say(id, 'Write it otherwise.');
    const [now] = (await waiting(next)).pending_actions;
    const confirm = (action_id = '', digest = '') =>
      sessions.confirm(system.caller, id, { action_id, digest, confirmed: true });
    await expect(confirm(old?.id, old?.digest)).rejects.toMatchObject({ code: 'run_ended' });
    await expect(confirm(now?.id, old?.digest)).rejects.toMatchObject({ code: 'stale_approval' });
    await expect(readFile(join(system.root, 'stale.md'))).rejects.toThrow();
    await confirm(now?.id, now?.digest);
    await system.ended(next);
    expect(await readFile(join(system.root, 'stale.md'), 'utf8')).toBe('second\n');
  });

  it('with arguments that lead out of the scope is refused where it would run', async () => {
    system.model.script('edited', [{ tool_calls: [write('/drafts/x.md', 'x\n')] }, { text: 'Refused.' }]);
    const id = await open({ scope: { notebooks: ['*'], folders: ['/drafts'] } });
    const run = await say(id, '[script:edited] Write it.');
    await waiting(run);
    await allow(id, { arguments: { path: '/notes.md', content: 'overwritten\n' } });
    await system.ended(run);
    expect(sent('edited', 1)?.at(-1)).toContain('"code":"scope_violation"');
    expect(await readFile(join(system.root, 'notes.md'), 'utf8')).toContain('The first line.');
  });
});

it('[2] an archived session hears nothing until it is taken out of the archive', async () => {
  system.model.script('archived', [{ text: 'Back again.' }]);
  const id = await open();
  await changeSession(system.caller, id, { archived: true });
  await expect(say(id, '[script:archived] Hello?')).rejects.toMatchObject({ code: 'session_archived' });
  await changeSession(system.caller, id, { archived: false });
  expect(await saidAndDone(id, '[script:archived] Hello?')).toMatchObject({ output: 'Back again.' });
});
