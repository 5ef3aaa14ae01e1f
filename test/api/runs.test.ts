import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSchema } from '../../domain/run.ts';
import type { Step } from '../../domain/run-events.ts';
import { newId } from '../../store/ids.ts';
import { type Answer, type Served, startServed } from '../served-system.ts';

let system: Served;
let foreigner: string;
beforeAll(async () => {
  system = await startServed();
  foreigner = await system.foreigner();
});
afterAll(() => system.stop());

const body = (script: string, more: object = {}) => ({
  agent_id: system.agent.id,
  notebook_id: system.notebook.id,
  input: `[script:${script}] Do it.`,
  ...more,
});
const post = (path: string, sent: unknown, more: object = {}) => system.call('POST', path, { body: sent, ...more });
const write = (path: string) => ({ tool_calls: [{ name: 'write_file', arguments: { path, content: 'x\n' } }] });
const ask = { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Which?' } }] };

/** A run that waits for somebody to allow a change. */
async function waitingRun(script: string, token = system.ownerKey) {
  system.model.script(script, [write(`/${script}.md`), { text: 'Done.' }]);
  const { id } = (await post('/runs', body(script), { token })).body;
  const run = await system.until(id, ({ status }) => status === 'awaiting_confirmation');
  return { id: id as string, action: run.pending_actions[0] };
}

/** All that is stored of runs. */
const stored = async () =>
  JSON.stringify(
    await Promise.all(
      ['runs', 'log', 'idempotency', 'blobs.files'].map(async (name) => [
        name,
        await mongoose.connection.collection(name).find().sort({ _id: 1 }).toArray(),
      ]),
    ),
  );

describe('[16] POST /runs', () => {
  it.each<[string, (agent: Served['agent']) => object]>([
    ['agent_id', ({ id }) => ({ agent_id: id })],
    ['slug', ({ slug }) => ({ agent: slug })],
    ['name', ({ name }) => ({ agent: name })],
    ['name and workspace', ({ name, workspace_id }) => ({ agent: name, workspace_id })],
  ])('starts an agent by its %s', async (how, named) => {
    const script = `by-${how}`;
    system.model.script(script, [{ text: 'Hello.' }]);
    const started = await post('/runs', { input: `[script:${script}]`, ...named(system.agent) });
    expect([started.status, started.body]).toEqual([202, { id: expect.stringMatching(/^run_/), status: 'queued' }]);
    expect(await system.ended(started.body.id)).toMatchObject({ status: 'completed', agent_id: system.agent.id });
  });

  it('with wait gives the run itself once it has ended', async () => {
    system.model.script('waited', [{ text: 'Hello.' }]);
    const { status, body: run } = await post('/runs', body('waited', { wait: 20, trigger_type: 'chat' }));
    expect([status, run.status, run.output, run.trigger_type]).toEqual([200, 'completed', 'Hello.', 'chat']);
    expect((await system.call('GET', `/runs/${run.id}`)).body).toEqual(run);
  });

  it('with wait gives 202 with its status when the time is up first', async () => {
    system.model.script('unended', [{ text: 'Hello.' }]);
    const release = system.model.hold('unended', 0);
    const { status, body: started } = await post('/runs', body('unended', { wait: 0.3 }));
    expect([status, Object.keys(started)]).toEqual([202, ['id', 'status']]);
    expect(['queued', 'running']).toContain(started.status);
    release();
    await system.ended(started.id);
  });

  it('takes a budget that is smaller than the agent has, never a larger one', async () => {
    system.model.script('budgets', [{ text: 'Hello.' }]);
    const limits = async (budget: object) => {
      const { body: run } = await post('/runs', body('budgets', { budget, wait: 20 }));
      return [run.budget_max_iterations, run.budget_max_tokens];
    };
    expect(await limits({ max_iterations: 3 })).toEqual([3, 100_000]);
    expect(await limits({ max_token_budget: 7 })).toEqual([50, 7]);
    expect(await limits({ max_iterations: 99_999, max_token_budget: 999_999_999 })).toEqual([50, 100_000]);
  });

  it('gives a run of who only reads no tool that writes', async () => {
    system.model.script('reader', [write('/reader.md'), { text: 'I may not.' }]);
    const token = await system.member('read');
    const shared = await system.sharedAgent();
    const sent = body('reader', { agent_id: shared.id, wait: 20 });
    const { status, body: run } = await post('/runs', sent, { token });
    expect([status, run.status, run.output]).toEqual([200, 'completed', 'I may not.']);
    const [first, second] = [0, 1].map((turn) => JSON.stringify(system.model.callsOf('reader', turn)[0]?.request));
    expect(first).toContain('read_file');
    expect(first).not.toContain('write_file');
    expect(second).toContain('unknown_tool');
    await expect(readFile(join(system.root, 'reader.md'))).rejects.toThrow('ENOENT');
  });

  it('of an agent that is switched off is refused', async () => {
    const { id } = await system.sharedAgent();
    await mongoose.connection
      .collection<{ _id: string }>('agents')
      .updateOne({ _id: id }, { $set: { is_active: false } });
    const { status, body: error } = await post('/runs', body('off', { agent_id: id }));
    expect([status, error.error]).toEqual([409, 'agent_inactive']);
  });

  it('with the same Idempotency-Key starts one run, however often and however close', async () => {
    system.model.script('keyed', [{ text: 'Once.' }]);
    const send = () => post('/runs', body('keyed'), { headers: { 'idempotency-key': 'start-once' } });
    const answers = await Promise.all(Array.from({ length: 6 }, send));
    answers.push(await send());
    const started = answers.filter(({ status }) => status === 202);
    expect(new Set(started.map(({ body: run }) => run.id)).size).toBe(1);
    expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true);
    await system.ended(started[0]?.body.id);
    expect(system.model.count('keyed').calls).toBe(1);
    const runs = await mongoose.connection.collection('runs').countDocuments({ input: /script:keyed]/ });
    expect(runs).toBe(1);
  });
});

describe('[16] what can be read of a run', () => {
  it('is the run as the document says, its steps in pages of any size', async () => {
    const read = {
      text: 'Reading.',
      tool_calls: [{ name: 'read_file', arguments: { path: '/notes.md' } }, { name: 'list_files' }],
    };
    system.model.script('steps', [read, read, read, { text: 'Done.' }]);
    const { body: run } = await post('/runs', body('steps', { wait: 20 }));
    expect(runSchema.parse(run)).toEqual(run);
    const all = (await system.call('GET', `/runs/${run.id}/steps`)).body;
    expect(all.next_cursor).toBeNull();
    expect(all.items.map(({ step_number }: Step) => step_number)).toEqual(all.items.map((_: Step, n: number) => n + 1));
    expect(all.items.map(({ type }: Step) => type).slice(0, 5)).toEqual([
      'llm_response',
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
    ]);
    expect((await system.call('GET', `/runs/${run.id}/steps/4`)).body).toEqual(all.items[3]);
    expect((await system.call('GET', `/runs/${run.id}/steps/99`)).status).toBe(404);
    for (const limit of [1, 2, 3, 1000]) {
      const items: Step[] = [];
      for (let cursor = '0'; cursor !== null; ) {
        const page = (await system.call('GET', `/runs/${run.id}/steps?limit=${limit}&cursor=${cursor}`)).body;
        expect(page.items).toHaveLength(Math.min(limit, all.items.length - items.length));
        items.push(...page.items);
        cursor = page.next_cursor;
      }
      expect(items).toEqual(all.items);
    }
  });

  it('waits in the inbox until it is decided', async () => {
    const { id, action } = await waitingRun('inbox');
    const waiting = async () =>
      (await system.call('GET', '/inbox')).body.items.filter(({ run_id }: { run_id: string }) => run_id === id);
    expect(await waiting()).toMatchObject([{ kind: 'action', agent_name: 'Worker', action: { id: action?.id } }]);
    await post(`/runs/${id}/confirm`, { action_id: action?.id, confirmed: true });
    expect(await waiting()).toEqual([]);
    await system.ended(id);
  });

  it('is listed by what it is asked for, newest first, in pages', async () => {
    const { id } = await waitingRun('listed');
    const list = async (query: string) => (await system.call('GET', `/runs?${query}`)).body;
    const ids = async (query: string) => (await list(query)).items.map((run: { id: string }) => run.id);
    const now = encodeURIComponent(new Date(Date.now() + 1_000).toISOString());
    expect((await ids('limit=1'))[0]).toBe(id);
    expect((await ids('sort=oldest&limit=1'))[0]).not.toBe(id);
    expect(await ids('status=awaiting_confirmation,waiting_for_user')).toEqual([id]);
    expect(await ids('status=failed')).toEqual([]);
    expect(await ids(`from=${now}`)).toEqual([]);
    expect(await ids(`to=${now}&limit=1`)).toEqual([id]);
    expect(await ids(`agent_id=${newId('agt')}`)).toEqual([]);
    expect((await ids(`agent_id=${system.agent.id}`))[0]).toBe(id);
    expect(await ids('caller_user_id=nobody')).toEqual([]);
    expect((await ids('trigger_type=chat')).includes(id)).toBe(false);
    expect((await ids(`workspace_id=${system.workspace.id}`))[0]).toBe(id);
    const first = await list('limit=2');
    const second = await list(`limit=2&cursor=${encodeURIComponent(first.next_cursor)}`);
    expect(new Set([...first.items, ...second.items].map((run) => run.id)).size).toBe(4);
    await system.call('POST', `/runs/${id}/cancel`);
    await system.ended(id);
  });
});

describe('[2] an answer', () => {
  it('is taken from one of many who give it at once; it takes effect once', async () => {
    const { id, action } = await waitingRun('race');
    const sent = Array.from({ length: 8 }, (_, n) =>
      post(`/runs/${id}/confirm`, { action_id: action?.id, confirmed: n % 2 === 0 }),
    );
    const answers = await Promise.all(sent);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    for (const { status, body: error } of answers.filter((answer) => answer.status !== 202)) {
      expect(status).toBe(409);
      expect(['not_pending', 'run_ended']).toContain(error.error);
    }
    await system.ended(id);
    const events = (await system.call('GET', `/runs/${id}/events`)).body.events;
    expect(events.filter(({ type }: { type: string }) => type === 'action.decided')).toHaveLength(1);
    system.model.assertDone('race');
  });

  it('may be given by who started the run and by admins, not by others who see it', async () => {
    const [mine, other, admin] = [
      await system.member('write'),
      await system.member('write'),
      await system.member('admin'),
    ];
    const shared = await system.sharedAgent();
    system.model.script('whose', [ask, { text: 'Done.' }]);
    const start = async () => {
      const { id } = (await post('/runs', body('whose', { agent_id: shared.id }), { token: mine })).body;
      const run = await system.until(id, ({ status }) => status === 'waiting_for_user');
      return { id, sent: { question_id: run.pending_questions[0]?.id, answer: 'This.' } };
    };
    const { id, sent } = await start();
    expect((await system.call('GET', `/runs/${id}`, { token: other })).status).toBe(200);
    for (const [path, what] of [
      ['answer', sent],
      ['message', { content: 'Hi.' }],
      ['cancel', undefined],
    ] as const) {
      const { status, body: error } = await post(`/runs/${id}/${path}`, what, { token: other });
      expect([path, status, error.error]).toEqual([path, 403, 'forbidden']);
    }
    expect((await post(`/runs/${id}/answer`, sent, { token: mine })).status).toBe(202);
    const again = await start();
    expect((await post(`/runs/${again.id}/answer`, again.sent, { token: admin })).status).toBe(202);
    await Promise.all([system.ended(id), system.ended(again.id)]);
  });

  it('that is given is in the run that comes back', async () => {
    system.model.script('comes-back', [ask, { text: 'Done.' }]);
    const { id } = (await post('/runs', body('comes-back'))).body;
    const run = await system.until(id, ({ status }) => status === 'waiting_for_user');
    const question_id = run.pending_questions[0]?.id;
    const answered = await post(`/runs/${id}/answer`, { question_id, answer: 'This.' });
    expect([answered.status, answered.body.pending_questions]).toEqual([202, []]);
    expect((await system.ended(id)).output).toBe('Done.');
  });
});

describe('[13] bad input', () => {
  const NOBODY = `run_${'0'.repeat(26)}`;

  const cases: [string, (waiting: string, ended: string) => Promise<Answer>, number, string][] = [
    ['a run that is not there', () => system.call('GET', `/runs/${NOBODY}`), 404, 'not_found'],
    ['its steps', () => system.call('GET', `/runs/${NOBODY}/steps`), 404, 'not_found'],
    ['its events', () => system.call('GET', `/runs/${NOBODY}/events`), 404, 'not_found'],
    ['cancelling it', () => post(`/runs/${NOBODY}/cancel`, undefined), 404, 'not_found'],
    [
      'a run of another organization',
      (id) => system.call('GET', `/runs/${id}`, { token: foreigner }),
      404,
      'not_found',
    ],
    [
      'its steps, for a stranger',
      (id) => system.call('GET', `/runs/${id}/steps`, { token: foreigner }),
      404,
      'not_found',
    ],
    [
      'its events, for a stranger',
      (id) => system.call('GET', `/runs/${id}/events`, { token: foreigner }),
      404,
      'not_found',
    ],
    [
      'its stream, for a stranger',
      (id) => system.call('GET', `/runs/${id}/events`, { token: foreigner, headers: { accept: 'text/event-stream' } }),
      404,
      'not_found',
    ],
    [
      'confirming for a stranger',
      (id) => post(`/runs/${id}/confirm`, { action_id: 'act_1_call_0_0', confirmed: true }, { token: foreigner }),
      404,
      'not_found',
    ],
    [
      'a message from a stranger',
      (id) => post(`/runs/${id}/message`, { content: 'x' }, { token: foreigner }),
      404,
      'not_found',
    ],
    ['a cancel from a stranger', (id) => post(`/runs/${id}/cancel`, undefined, { token: foreigner }), 404, 'not_found'],
    ['a stranger who starts our agent', () => post('/runs', body('none'), { token: foreigner }), 404, 'not_found'],
    ['nobody', (id) => system.call('GET', `/runs/${id}`, { token: null }), 401, 'unauthenticated'],
    ['an id that is none', () => system.call('GET', '/runs/nonsense'), 400, 'invalid_request'],
    ['an id of another kind', () => system.call('GET', `/runs/agt_${'0'.repeat(26)}`), 400, 'invalid_request'],
    ['bad JSON', () => post('/runs', '{"agent_id": '), 400, 'invalid_json'],
    ['an unknown field', () => post('/runs', body('none', { colour: 'red' })), 400, 'invalid_request'],
    [
      'an unknown field in the budget',
      () => post('/runs', body('none', { budget: { euros: 3 } })),
      400,
      'invalid_request',
    ],
    ['no agent', () => post('/runs', { input: 'x' }), 400, 'invalid_request'],
    ['two agents', () => post('/runs', body('none', { agent: 'Worker' })), 400, 'invalid_request'],
    ['no input', () => post('/runs', { agent_id: system.agent.id }), 400, 'invalid_request'],
    [
      'a budget of nothing',
      () => post('/runs', body('none', { budget: { max_iterations: 0 } })),
      400,
      'invalid_request',
    ],
    ['a wait without end', () => post('/runs', body('none', { wait: 301 })), 400, 'invalid_request'],
    [
      'a trigger that is not ours to give',
      () => post('/runs', body('none', { trigger_type: 'schedule' })),
      400,
      'invalid_request',
    ],
    ['an agent that is not there', () => post('/runs', body('none', { agent_id: newId('agt') })), 404, 'not_found'],
    ['an agent nobody called so', () => post('/runs', { agent: 'nobody', input: 'x' }), 404, 'not_found'],
    ['a notebook that is not there', () => post('/runs', body('none', { notebook_id: newId('nb') })), 404, 'not_found'],
    [
      'a workspace that is not there',
      () => post('/runs', { agent: 'Worker', workspace_id: newId('ws'), input: 'x' }),
      404,
      'not_found',
    ],
    ['a body over 1 MB', () => post('/runs', body('none', { input: 'x'.repeat(1_100_000) })), 413, 'too_large'],
    [
      'an action that is not there',
      (id) => post(`/runs/${id}/confirm`, { action_id: 'act_9', confirmed: true }),
      404,
      'not_found',
    ],
    [
      'an action that is not what was shown',
      (id) => post(`/runs/${id}/confirm`, { action_id: 'act_1_call_0_0', confirmed: true, digest: 'sha256:0' }),
      409,
      'stale_approval',
    ],
    [
      'other arguments for an action that is not there',
      (id) => post(`/runs/${id}/revise`, { action_id: 'act_9', arguments: {} }),
      404,
      'not_found',
    ],
    [
      'other arguments for an action that is not what was shown',
      (id) => post(`/runs/${id}/revise`, { action_id: 'act_1_call_0_0', arguments: {}, digest: 'sha256:0' }),
      409,
      'stale_approval',
    ],
    [
      'a confirmation that says neither',
      (id) => post(`/runs/${id}/confirm`, { action_id: 'act_1_call_0_0' }),
      400,
      'invalid_request',
    ],
    [
      'a question that is not there',
      (id) => post(`/runs/${id}/answer`, { question_id: 'q_9', answer: 'x' }),
      404,
      'not_found',
    ],
    ['an empty answer', (id) => post(`/runs/${id}/answer`, { question_id: 'q_9', answer: '' }), 400, 'invalid_request'],
    ['an empty message', (id) => post(`/runs/${id}/message`, { content: '  ' }), 400, 'invalid_request'],
    ['a body where none is taken', (id) => post(`/runs/${id}/cancel`, { now: true }), 400, 'invalid_request'],
    [
      'a confirmation after the end',
      (_id, id) => post(`/runs/${id}/confirm`, { action_id: 'act_1', confirmed: true }),
      409,
      'run_ended',
    ],
    [
      'an answer after the end',
      (_id, id) => post(`/runs/${id}/answer`, { question_id: 'q_1', answer: 'x' }),
      409,
      'run_ended',
    ],
    ['a message after the end', (_id, id) => post(`/runs/${id}/message`, { content: 'x' }), 409, 'run_ended'],
    ['a cancel after the end', (_id, id) => post(`/runs/${id}/cancel`, undefined), 409, 'run_ended'],
    ['a page that is too long', () => system.call('GET', '/runs?limit=101'), 400, 'invalid_request'],
    ['a cursor that is not ours', () => system.call('GET', '/runs?cursor=%21%21'), 400, 'invalid_request'],
    ['an unknown filter', () => system.call('GET', '/runs?colour=red'), 400, 'invalid_request'],
    ['an unknown status', () => system.call('GET', '/runs?status=running,flying'), 400, 'invalid_request'],
    ['a date that is none', () => system.call('GET', '/runs?from=yesterday'), 400, 'invalid_request'],
    [
      'a cursor before the first event',
      (id) => system.call('GET', `/runs/${id}/events?cursor=-1`),
      400,
      'invalid_request',
    ],
    ['half a cursor', (id) => system.call('GET', `/runs/${id}/events?cursor=1.5`), 400, 'invalid_request'],
    ['a cursor that is no number', (id) => system.call('GET', `/runs/${id}/events?cursor=x`), 400, 'invalid_request'],
    ['a wait that is too long', (id) => system.call('GET', `/runs/${id}/events?wait=301`), 400, 'invalid_request'],
    ['a step before the first', (id) => system.call('GET', `/runs/${id}/steps?cursor=-1`), 400, 'invalid_request'],
  ];

  let waiting: string;
  let ended: string;
  beforeAll(async () => {
    waiting = (await waitingRun('patient')).id;
    system.model.script('over', [{ text: 'Over.' }]);
    ended = (await post('/runs', body('over', { wait: 20 }))).body.id;
  });

  it.each(cases)('%s', async (_what, act, status, error) => {
    const before = await stored();
    const answer = await act(waiting, ended);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(Object.keys(answer.body).sort()).toEqual(['details', 'error', 'message', 'request_id']);
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
    expect(await stored()).toBe(before);
  });

  it('has changed nothing for the run that waited through it all', async () => {
    const run = await system.get(waiting);
    expect(run).toMatchObject({ status: 'awaiting_confirmation', pending_actions: [{ id: 'act_1_call_0_0' }] });
    await post(`/runs/${waiting}/confirm`, { action_id: 'act_1_call_0_0', confirmed: true });
    expect(await system.ended(waiting)).toMatchObject({ status: 'completed', output: 'Done.' });
    system.model.assertDone('patient', 'over');
  });
});

describe('[1] going on from a run of another', () => {
  it('needs the agent itself: what somebody else’s agent may and pays for is not theirs to use', async () => {
    const [ana, ben] = await Promise.all([system.member('write'), system.member('write')]);
    const { id: agent_id } = (
      await post('/agents', { workspace_id: system.workspace.id, name: 'Personal', model: 'gpt-test' }, { token: ana })
    ).body;
    system.model.script('personal', [{ fault: '401' }]);
    const input = '[script:personal] Do it.';
    const { id } = (await post('/runs', { agent_id, input, wait: 20 }, { token: ana })).body;
    expect(await system.ended(id)).toMatchObject({ status: 'failed' });
    const attempts = [
      ['resume', {}],
      ['fork', { step: 0, system_prompt: 'You are mine now.' }],
    ] as const;
    const before = await stored();
    for (const [how, sent] of attempts) {
      expect(await post(`/runs/${id}/${how}`, sent, { token: ben })).toMatchObject({
        status: 404,
        body: { error: 'not_found', details: { id: agent_id } },
      });
    }
    expect(await stored()).toBe(before);
    await system.call('POST', `/agents/${agent_id}/activate?active=false`, { token: ana });
    for (const [how, sent] of attempts) {
      expect(await post(`/runs/${id}/${how}`, sent, { token: ana })).toMatchObject({
        status: 409,
        body: { error: 'agent_inactive' },
      });
    }
    system.model.assertDone('personal');
  });
});
