import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { actionLogSchema, sessionSchema } from '../../domain/session.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { AGENT } from '../running-system.ts';
import { type Served, startServed } from '../served-system.ts';

let system: Served;
let shared: Served['agent'];
beforeAll(async () => {
  system = await startServed();
  shared = await system.sharedAgent();
});
afterAll(() => system.stop());

type Token = { token?: string | null };
const get = (path: string, more: Token = {}) => system.call('GET', path, more);
const post = (path: string, body: unknown = {}, more: object = {}) => system.call('POST', path, { body, ...more });
const open = async (more: object = {}, token?: string) =>
  (await post(`/agents/${shared.id}/sessions`, { notebook_id: system.notebook.id, ...more }, token ? { token } : {}))
    .body.id as string;
const say = (id: string, content: string, more: object = {}) => post(`/sessions/${id}/message`, { content, ...more });
const write = (path: string, content = 'x\n') => ({
  text: 'I am about to write it.',
  tool_calls: [{ name: 'write_file', arguments: { path, content } }],
});

/** A session whose run waits for somebody to allow a change. */
async function waiting(script: string, token?: string) {
  system.model.script(script, [write(`/${script}.md`), { text: 'Done.' }, { text: 'Once more.' }]);
  const id = await open({}, token);
  const body = { content: `[script:${script}] Do it.`, wait: 20 };
  const { status, body: session } = await post(`/sessions/${id}/message`, body, token ? { token } : {});
  expect([status, session.status]).toEqual([200, 'awaiting_confirmation']);
  return { id, session, action: session.pending_actions[0] };
}

describe('[2] the sessions of an agent', () => {
  it('are made with what is pinned, and read with the fields of the contract', async () => {
    const rows = [{ path: '/notes.md', start_line: 1, end_line: 2, note: 'the head' }];
    const made = await post(`/agents/${shared.id}/sessions`, {
      notebook_id: system.notebook.id,
      title: 'Notes',
      context_rows: rows,
    });
    expect(made.status).toBe(201);
    expect(sessionSchema.parse(made.body)).toMatchObject({
      session_id: made.body.id,
      agent_id: shared.id,
      agent_name: shared.name,
      title: 'Notes',
      status: 'pending',
      archived: false,
      context_rows: rows,
      messages: [],
      pending_actions: [],
      pending_questions: [],
      run_id: null,
      tokens_used: 0,
      api_calls_made: 0,
      files_modified: [],
      allowed_tools: [],
      error_message: null,
      started_at: null,
      completed_at: null,
    });
    expect((await get(`/sessions/${made.body.id}`)).body).toEqual(made.body);
  });

  it('are listed with the newest activity first, page by page, archived ones apart', async () => {
    const ids = [await open({ title: 'A' }), await open({ title: 'B' }), await open({ title: 'C' })];
    const [a = '', b = '', c = ''] = ids;
    const change = (id: string, body: unknown) => system.call('PUT', `/sessions/${id}`, { body });
    expect((await change(a, { title: 'A again' })).body.title).toBe('A again');
    expect((await change(c, { archived: true })).body.archived).toBe(true);
    const list = async (query: string) => (await get(query)).body;
    const first = await list(`/agents/${shared.id}/sessions?archived=false&limit=1`);
    expect(first.items.map(({ id }: { id: string }) => id)).toEqual([a]);
    const second = await list(`/sessions?agent_id=${shared.id}&archived=false&limit=1&cursor=${first.next_cursor}`);
    expect(second.items.map(({ id }: { id: string }) => id)).toEqual([b]);
    const archived = await list(`/sessions?workspace_id=${system.workspace.id}&archived=true`);
    expect(archived.items.map(({ id }: { id: string }) => id)).toEqual([c]);
  });

  it.each<[string, object, string]>([
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['rows without a notebook', { context_rows: [{ path: '/a.md' }] }, 'context_rows'],
    ['a row that ends before it begins', { context_rows: [{ path: '/a.md', start_line: 2, end_line: 1 }] }, 'end_line'],
    ['too many rows', { context_rows: Array.from({ length: 21 }, () => ({ path: '/a.md' })) }, 'context_rows'],
  ])('are refused with %s', async (_what, body, field) => {
    const { status, body: said } = await post(`/agents/${shared.id}/sessions`, body);
    expect([status, JSON.stringify(said.details)]).toEqual([400, expect.stringContaining(field)]);
  });

  it('cannot be begun with an agent that is not active, nor gone on with', async () => {
    const agent = await createAgent(system.caller, {
      ...createAgentBody.parse({ ...AGENT, name: 'Gone', workspace_id: system.workspace.id }),
      id: newId('agt'),
    });
    const { id } = (await post(`/agents/${agent.id}/sessions`)).body;
    await mongoose.connection
      .collection<{ _id: string }>('agents')
      .updateOne({ _id: agent.id }, { $set: { is_active: false } });
    const refused = [await post(`/agents/${agent.id}/sessions`), await say(id, 'Hello?')];
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual([
      [409, 'agent_inactive'],
      [409, 'agent_inactive'],
    ]);
    expect((await get(`/sessions/${id}`)).body.run_id).toBeNull();
  });
});

describe('[2] a message', () => {
  it('is answered 202 with the session, and with wait 200 once the run has ended', async () => {
    system.model.script('spoken', [{ text: 'Hello.' }, { text: 'Hello again.' }]);
    const id = await open();
    const sent = await say(id, '[script:spoken] Hello?');
    expect([sent.status, sent.body.messages[0]]).toMatchObject([202, { role: 'user', run_id: sent.body.run_id }]);
    await system.ended(sent.body.run_id);
    const { status, body } = await say(id, 'Hello again?', { wait: 20 });
    expect([status, body.status, body.api_calls_made, body.tokens_used]).toEqual([200, 'completed', 2, 40]);
    expect(body.messages.map(({ role, content }: { role: string; content: string }) => [role, content])).toEqual([
      ['user', '[script:spoken] Hello?'],
      ['assistant', 'Hello.'],
      ['user', 'Hello again?'],
      ['assistant', 'Hello again.'],
    ]);
    expect(body.completed_at).not.toBeNull();
    const runs = (await get(`/runs?session_id=${id}`)).body.items;
    expect(runs.map((run: { conversation_id: string }) => run.conversation_id)).toEqual([id, id]);
  });

  it('repeated under its key begins no second run', async () => {
    system.model.script('keyed', [{ text: 'Once.' }]);
    const id = await open();
    const headers = { 'idempotency-key': 'say-it-once' };
    const send = () => post(`/sessions/${id}/message`, { content: '[script:keyed] Once?' }, { headers });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.body.run_id]).toEqual([202, first.body.run_id]);
    await system.ended(first.body.run_id);
    expect((await get(`/runs?session_id=${id}`)).body.items).toHaveLength(1);
    system.model.assertDone('keyed');
  });

  it('to an archived session is 409', async () => {
    const id = await open();
    await system.call('PUT', `/sessions/${id}`, { body: { archived: true } });
    const { status, body } = await say(id, 'Hello?');
    expect([status, body.error]).toEqual([409, 'session_archived']);
  });

  it('tells whoever watches the workspace which session has a new run', async () => {
    system.model.script('told', [{ text: 'Hello.' }]);
    const id = await open();
    const socket = io(system.url, { auth: { token: system.ownerKey }, transports: ['websocket'] });
    try {
      await socket.emitWithAck('watch_workspace', { workspace_id: system.workspace.id });
      const told = new Promise((resolve) =>
        socket.on('run_changed', (change) => change.conversation_id === id && resolve(change)),
      );
      const { run_id } = (await say(id, '[script:told] Hello?')).body;
      expect(await told).toMatchObject({ run_id, type: 'run.started' });
      await system.ended(run_id);
    } finally {
      socket.disconnect();
    }
  });

  it('through POST /runs begins a run in the session, which keeps its agent', async () => {
    system.model.script('by run', [{ text: 'Hello.' }]);
    const id = await open();
    const start = (more: object) => post('/runs', { session_id: id, input: '[script:by run] Hello?', ...more });
    expect((await start({ agent_id: system.agent.id })).status).toBe(400);
    const { status, body } = await start({ wait: 20 });
    expect([status, body]).toMatchObject([200, { conversation_id: id, output: 'Hello.' }]);
  });
});

describe('[2] a pending action of a session', () => {
  it('is shown with the message that asks for it, allowed there, and done', async () => {
    const { id, session, action } = await waiting('asked for');
    expect(session.messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: 'I am about to write it.',
      pending_actions: [{ id: action.id, type: 'write_file', path: '/asked for.md', requires_confirmation: true }],
    });
    expect((await get('/inbox')).body.items).toContainEqual(expect.objectContaining({ conversation_id: id }));
    const { status } = await post(`/sessions/${id}/confirm`, { action_id: action.id, confirmed: true });
    expect(status).toBe(202);
    await system.ended(session.run_id);
    const { body } = await get(`/sessions/${id}`);
    expect(body).toMatchObject({ status: 'completed', files_modified: ['/asked for.md'], pending_actions: [] });
    expect(await readFile(join(system.root, 'asked for.md'), 'utf8')).toBe('x\n');
  });

  it('is denied with a reason that the agent is told', async () => {
    const { id, session, action } = await waiting('denied');
    await post(`/sessions/${id}/confirm`, { action_id: action.id, confirmed: false, reason: 'not today' });
    await system.ended(session.run_id);
    expect(JSON.stringify(system.model.callsOf('denied', 1)[0]?.request.messages)).toContain('not today');
    await expect(readFile(join(system.root, 'denied.md'))).rejects.toThrow();
  });

  it('with a digest that was not shown is 409 and runs nothing; answered twice, 409', async () => {
    const { id, session, action } = await waiting('stale');
    const confirm = (more: object) =>
      post(`/sessions/${id}/confirm`, { action_id: action.id, confirmed: true, ...more });
    const stale = await confirm({ digest: 'sha256:of something else' });
    expect([stale.status, stale.body.error]).toEqual([409, 'stale_approval']);
    expect((await get(`/sessions/${id}`)).body.status).toBe('awaiting_confirmation');
    expect((await confirm({ digest: action.digest })).status).toBe(202);
    await system.ended(session.run_id);
    const again = await confirm({ digest: action.digest });
    expect([again.status, again.body.error]).toEqual([409, 'run_ended']);
  });

  it('cannot be denied for the session, and is not found in another one', async () => {
    const { id, action } = await waiting('elsewhere');
    const confirm = (session: string, more: object) =>
      post(`/sessions/${session}/confirm`, { action_id: action.id, ...more });
    expect((await confirm(id, { confirmed: false, for_session: true })).status).toBe(400);
    expect((await confirm(await open(), { confirmed: true })).status).toBe(404);
    expect((await confirm(id, { confirmed: true, for_session: true })).body.allowed_tools).toEqual(['write_file']);
  });

  it('is let go with the session: cancelled, and nothing goes on', async () => {
    const { id, session } = await waiting('let go');
    expect((await post(`/sessions/${id}/cancel`)).status).toBe(202);
    await system.ended(session.run_id);
    expect((await get(`/sessions/${id}`)).body).toMatchObject({ status: 'cancelled', pending_actions: [] });
    const again = await post(`/sessions/${id}/cancel`);
    expect([again.status, again.body.error]).toEqual([409, 'run_ended']);
    const unspoken = await post(`/sessions/${await open()}/cancel`);
    expect([unspoken.status, unspoken.body.error]).toEqual([409, 'run_ended']);
  });
});

it('[2] a question of a session is answered there', async () => {
  system.model.script('asks', [
    { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Which?' } }] },
    { text: 'That one.' },
  ]);
  const id = await open();
  const { body } = await say(id, '[script:asks] Choose.', { wait: 20 });
  expect(body).toMatchObject({ status: 'waiting_for_user', pending_questions: [{ question: 'Which?' }] });
  const [question] = body.pending_questions;
  const answered = await post(`/sessions/${id}/answer`, { question_id: question.id, answer: 'the second' });
  expect(answered.status).toBe(202);
  expect(await system.ended(body.run_id)).toMatchObject({ output: 'That one.' });
});

it('[2] the logs of a session tell what was done in it, page by page, in the fields of the contract', async () => {
  system.model.script('logged', [
    { tool_calls: [{ name: 'read_file', arguments: { path: '/notes.md' } }] },
    { text: 'Read.' },
    { tool_calls: [{ name: 'read_file', arguments: { path: '/../outside.md' } }] },
    { text: 'Refused.' },
  ]);
  const id = await open({ context_rows: [{ path: '/notes.md' }] });
  await say(id, '[script:logged] Read it.', { wait: 20 });
  await say(id, 'And the other.', { wait: 20 });
  const { items } = (await get(`/sessions/${id}/logs`)).body;
  for (const line of items) actionLogSchema.parse(line);
  const of = (action: string) => items.filter(({ action_type }: { action_type: string }) => action_type === action);
  expect(of('tool.read_file')).toMatchObject([
    { target_path: '/notes.md', was_allowed: true, output_summary: expect.stringContaining('The first line.') },
    { target_path: '/../outside.md' },
  ]);
  expect(of('context.read')).toHaveLength(2);
  const first = (await get(`/sessions/${id}/logs?limit=3`)).body;
  const rest = (await get(`/sessions/${id}/logs?cursor=${first.next_cursor}`)).body;
  expect([...first.items, ...rest.items]).toEqual(items);
  expect((await get(`/sessions/${id}/logs?cursor=nothing`)).status).toBe(400);
});

describe('[1] a session is its user’s', () => {
  it('others find nothing; an admin sees it, answers in it, and cannot speak in it', async () => {
    const [writer, other, admin] = await Promise.all([
      system.member('write'),
      system.member('write'),
      system.member('admin'),
    ]);
    const { id, session, action } = await waiting('private', writer);
    expect((await get('/sessions', { token: writer })).body.items.map((of: { id: string }) => of.id)).toEqual([id]);
    expect((await get(`/sessions/${id}`, { token: other })).status).toBe(404);
    expect((await get('/sessions?all=true', { token: other })).body.items).toEqual([]);

    expect((await get(`/sessions/${id}`, { token: admin })).status).toBe(200);
    expect((await get('/sessions', { token: admin })).body.items).toEqual([]);
    const all = (await get('/sessions?all=true', { token: admin })).body.items;
    expect(all.map((of: { id: string }) => of.id)).toContain(id);
    expect((await post(`/sessions/${id}/message`, { content: 'Hello.' }, { token: admin })).status).toBe(403);
    expect((await system.call('PUT', `/sessions/${id}`, { token: admin, body: { title: 'Mine' } })).status).toBe(403);
    const allowed = { action_id: action.id, confirmed: true };
    expect((await post(`/sessions/${id}/confirm`, allowed, { token: admin })).status).toBe(202);
    await system.ended(session.run_id);
  });

  it('another organization finds nothing over HTTP, and nobody without a token', async () => {
    const { id, action, session } = await waiting('foreign');
    const foreigner = await system.foreigner();
    const calls: [string, string, unknown?][] = [
      ['GET', `/sessions/${id}`],
      ['GET', `/sessions/${id}/logs`],
      ['GET', `/agents/${shared.id}/sessions`],
      ['GET', `/sessions?workspace_id=${system.workspace.id}`],
      ['PUT', `/sessions/${id}`, { title: 'Theirs' }],
      ['POST', `/agents/${shared.id}/sessions`, {}],
      ['POST', `/sessions/${id}/message`, { content: 'Hello.' }],
      ['POST', `/sessions/${id}/confirm`, { action_id: action.id, confirmed: true }],
      ['POST', `/sessions/${id}/answer`, { question_id: 'q', answer: 'a' }],
      ['POST', `/sessions/${id}/cancel`],
      ['POST', '/runs', { session_id: id, input: 'Hello.' }],
    ];
    for (const [method, path, body] of calls) {
      const sent = body === undefined ? {} : { body };
      const status = async (token: string | null) => (await system.call(method, path, { token, ...sent })).status;
      expect([path, await status(foreigner), await status(null)]).toEqual([path, 404, 401]);
    }
    expect((await get('/sessions?all=true', { token: foreigner })).body.items).toEqual([]);
    expect((await get(`/sessions/${id}`)).body).toEqual({ ...session, updated_at: expect.any(String) });
  });

  it('who may only read has an agent that only reads', async () => {
    const reader = await system.member('read');
    system.model.script('reader', [write('/reader.md'), { text: 'I cannot.' }]);
    const id = await open({}, reader);
    const body = { content: '[script:reader] Write it.', wait: 20 };
    expect((await post(`/sessions/${id}/message`, body, { token: reader })).body.status).toBe('completed');
    await expect(readFile(join(system.root, 'reader.md'))).rejects.toThrow();
  });
});
