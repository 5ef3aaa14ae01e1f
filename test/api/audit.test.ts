import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditProjector } from '../../api/audit-projector.ts';
import type { AuditLine } from '../../domain/audit.ts';
import { claimPosition, keepPosition } from '../../store/audit-position.ts';
import { newKey, newMember } from '../people.ts';
import { quiet } from '../running-system.ts';
import { type Served, startServed } from '../served-system.ts';

let served: Served;
let projector: AuditProjector;
beforeAll(async () => {
  served = await startServed({ newStore: true });
  projector = new AuditProjector(quiet);
  projector.start();
});
afterAll(async () => {
  await projector.stop();
  await served.stop();
});

async function linesOf(query: string, token?: string): Promise<AuditLine[]> {
  const { status, body } = await served.call('GET', `/audit?${query}&limit=100`, token ? { token } : {});
  expect(status).toBe(200);
  return body.items;
}

/** Of a whole run, oldest first, once all of them are there. */
async function told(run: string): Promise<AuditLine[]> {
  const ends = (lines: AuditLine[]) => lines.some(({ action }) => /^run\.(completed|failed|cancelled)$/.test(action));
  await expect.poll(async () => ends(await linesOf(`run_id=${run}`))).toBe(true);
  return (await linesOf(`run_id=${run}`)).reverse();
}

async function runOf(script: string): Promise<string> {
  served.model.script(script, [
    { tool_calls: [{ name: 'read_file', arguments: { path: '/notes.md' } }] },
    { tool_calls: [{ name: 'delete_everything', arguments: {} }] },
    { text: 'Done.' },
  ]);
  const run = await served.start(script);
  await served.ended(run);
  return run;
}

const actionsOf = (lines: AuditLine[]) => lines.map(({ action }) => action).sort();
const WHOLE = [
  'model.call',
  'model.call',
  'model.call',
  'run.completed',
  'run.started',
  'tool.delete_everything',
  'tool.read_file',
];

describe('[2] what happens in a run', () => {
  it('is told line by line: who, agent, action, target, input, output and time', async () => {
    const run = await runOf('told');
    const lines = await told(run);
    expect(actionsOf(lines)).toEqual(WHOLE);
    expect(lines.find(({ action }) => action === 'tool.read_file')).toMatchObject({
      id: expect.stringMatching(new RegExp(`^${run}:\\d+:\\d+$`)),
      workspace_id: served.workspace.id,
      user_id: served.caller.user_id,
      user_name: served.caller.name,
      agent_id: served.agent.id,
      agent_name: served.agent.name,
      target: '/notes.md',
      input: '{"path":"/notes.md"}',
      output: expect.stringContaining('The first line.'),
      was_allowed: true,
      execution_time_ms: expect.any(Number),
    });
  });

  it('is told with the name of the person who decided', async () => {
    served.model.script('decided', [
      { tool_calls: [{ name: 'write_file', arguments: { path: '/new.md', content: 'x' } }] },
      { text: 'As you wish.' },
    ]);
    const run = await served.start('decided');
    const { pending_actions } = await served.until(run, ({ status }) => status === 'awaiting_confirmation');
    const body = { action_id: pending_actions[0]?.id, confirmed: false, reason: 'not now' };
    expect((await served.call('POST', `/runs/${run}/confirm`, { body })).status).toBe(202);
    const lines = await told(run);
    expect(lines.filter(({ action }) => action === 'action.denied')).toMatchObject([
      { user_name: served.caller.name, output: 'not now' },
    ]);
    expect(lines.find(({ action }) => action === 'tool.write_file')).toMatchObject({ was_allowed: false });
    // The log tells it: the request is not written down a second time.
    expect(await linesOf('action=runs')).toEqual([]);
  });
});

describe('[13] the projection of the logs', () => {
  it('is made by one process at a time, and gives each line once however many there are', async () => {
    const others = [1, 2].map(() => new AuditProjector(quiet));
    for (const other of others) other.start();
    const run = await runOf('many');
    expect(actionsOf(await told(run))).toEqual(WHOLE);
    await Promise.all(others.map((other) => other.stop()));
  });

  it('catches up with what happened while no process was there', async () => {
    await projector.stop();
    const run = await runOf('absent');
    expect(await linesOf(`run_id=${run}`)).toEqual([]);
    projector = new AuditProjector(quiet);
    projector.start();
    const lines = await told(run);
    expect(actionsOf(lines)).toEqual(WHOLE);
    expect(lines.find(({ action }) => action === 'tool.read_file')?.input).toBe('{"path":"/notes.md"}');
  });

  it('reads the logs themselves where the place in the stream is lost', async () => {
    await projector.stop();
    const run = await runOf('lost');
    await claimPosition('dead', 0);
    await keepPosition('dead', { token: { _data: '8200000000000000002B0229296E04' }, upto: new Date() }, 0);
    projector = new AuditProjector(quiet);
    projector.start();
    expect(actionsOf(await told(run))).toEqual(WHOLE);
  });
});

describe('[2] what people do beside runs', () => {
  it('is told by the one place that serves all routes', async () => {
    const { body } = await served.call('POST', '/agents', {
      body: { workspace_id: served.workspace.id, name: 'Told', model: 'gpt-test', system_prompt: 'sesame' },
    });
    const [line] = await linesOf(`action=agents.create&workspace_id=${served.workspace.id}`);
    expect(line).toMatchObject({ user_id: served.caller.user_id, target: body.id, output: '201', was_allowed: true });
    expect(JSON.parse(line?.input ?? '')).toMatchObject({ name: 'Told', system_prompt: '…' });
  });

  it('never shows a value that its route does not say may be shown', async () => {
    const password = 'correct horse battery';
    const key = (await served.call('POST', '/api-keys', { body: { name: 'Robot' } })).body.key;
    expect((await served.call('PUT', '/me/password', { body: { password } })).status).toBe(204);
    const email = `${served.caller.user_id}@example.org`;
    const signIn = (body: object) => served.call('POST', '/auth/sign-in', { token: null, body });
    expect((await signIn({ email, password })).status).toBe(200);
    expect((await signIn({ email, password: 'incorrect horse' })).status).toBe(401);
    const lines = [
      ...(await linesOf('action=api-keys')),
      ...(await linesOf('action=me')),
      ...(await linesOf('action=auth')),
    ];
    expect(lines.map(({ action, was_allowed }) => [action, was_allowed])).toEqual([
      ['api-keys.create', true],
      ['me.password.update', true],
      ['auth.sign-in', false],
      ['auth.sign-in', true],
    ]);
    expect(lines[1]?.input).toBe('{"password":"…"}');
    const all = JSON.stringify(await linesOf(''));
    for (const secret of [password, 'incorrect horse', key]) expect(all).not.toContain(secret);
  });

  it('is told where it was refused, with where and why', async () => {
    const token = await served.member('read');
    const body = { workspace_id: served.workspace.id, name: 'Mine', model: 'gpt-test' };
    expect((await served.call('POST', '/agents', { token, body })).status).toBe(403);
    expect(await linesOf(`was_allowed=false&action=agents&workspace_id=${served.workspace.id}`)).toMatchObject([
      { action: 'agents.create', user_name: 'Some read', output: expect.stringContaining('forbidden') },
    ]);
  });

  it('is told to the admins of the workspace it was done in, whatever it was done to', async () => {
    const [admin, token] = await Promise.all([served.member('admin'), served.member('write')]);
    const { id: workspace_id } = served.workspace;
    const { id: agent_id } = await served.sharedAgent();
    const source = await served.call('POST', '/events/sources', { token, body: { workspace_id, name: 'Hook' } });
    const schedule = await served.call('POST', '/runs/schedule', {
      token,
      body: { agent_id, cron_expression: '0 9 * * *' },
    });
    await served.call('DELETE', `/events/sources/${source.body.id}`, { token });
    await served.call('DELETE', `/runs/schedule/${schedule.body.id}`, { token });
    await served.call('DELETE', `/integrations/github?workspace_id=${workspace_id}`, { token });
    const lines = await linesOf(`workspace_id=${workspace_id}`, admin);
    expect(lines.slice(0, 3).map(({ action, target, was_allowed }) => [action, target, was_allowed])).toEqual([
      ['integrations.github.delete', null, false],
      ['runs.schedule.delete', schedule.body.id, true],
      ['events.sources.delete', source.body.id, true],
    ]);
  });

  it('is told once where a request is repeated under its Idempotency-Key', async () => {
    const again = { body: { name: 'Twice' }, headers: { 'idempotency-key': 'audit-twice' } };
    await served.call('POST', '/api-keys', again);
    await served.call('POST', '/api-keys', again);
    const lines = await linesOf('action=api-keys.create');
    expect(lines.filter(({ input }) => input?.includes('Twice'))).toHaveLength(1);
  });
});

describe('[1] the audit log is seen', () => {
  it('whole by an admin of the workspace; by others as far as they did it or it was done for them', async () => {
    const agent = await served.sharedAgent();
    const member = await newMember(served.caller, served.workspace.id, 'write');
    const token = await newKey(member);
    served.model.script('theirs', [
      { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Which?' } }] },
      { text: 'Ok.' },
    ]);
    const body = { agent_id: agent.id, input: '[script:theirs] Do it.', notebook_id: served.notebook.id };
    const { id } = (await served.call('POST', '/runs', { token, body })).body;
    const { pending_questions } = await served.until(id, ({ status }) => status === 'waiting_for_user');
    const answer = { question_id: pending_questions[0]?.id, answer: 'This.' };
    expect((await served.call('POST', `/runs/${id}/answer`, { body: answer })).status).toBe(202);
    await served.ended(id);
    const whole = actionsOf(await told(id));

    expect(actionsOf(await linesOf(`run_id=${id}`, token))).toEqual(whole);
    const admin = await served.member('admin');
    expect(actionsOf(await linesOf(`run_id=${id}`, admin))).toEqual(whole);
    const other = await served.member('write');
    expect(await linesOf(`run_id=${id}`, other)).toEqual([]);
    expect(await linesOf(`workspace_id=${served.workspace.id}`, other)).toEqual([]);
    // A key belongs to no workspace: its maker and the owner of the organization see it made.
    await served.call('POST', '/api-keys', { token: other, body: { name: 'Own' } });
    const made = 'action=api-keys.create';
    expect((await linesOf(made, other)).map(({ input }) => input)).toEqual(['{"name":"Own"}']);
    expect(await linesOf(made, admin)).toEqual([]);
    expect(JSON.stringify(await linesOf(made))).toContain('Own');
  });

  it('by nobody of another organization', async () => {
    const token = await served.foreigner();
    expect(await linesOf('', token)).toEqual([]);
    expect((await served.call('GET', `/audit?workspace_id=${served.workspace.id}`, { token })).status).toBe(404);
    expect((await served.call('GET', `/audit/export?workspace_id=${served.workspace.id}`, { token })).status).toBe(404);
  });

  it('page by page, newest first, without a line twice or missing', async () => {
    const all = await linesOf('');
    const paged: AuditLine[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await served.call('GET', `/audit?limit=3${cursor}`);
      paged.push(...body.items);
      if (body.next_cursor === null || paged.length >= all.length) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(paged.slice(0, all.length)).toEqual(all);
    expect(all.map(({ created_at }) => created_at)).toEqual(
      all
        .map(({ created_at }) => created_at)
        .sort()
        .reverse(),
    );
  });
});

describe('[2] an export', () => {
  it('as NDJSON is the list, line by line', async () => {
    const { headers, body } = await served.call('GET', '/audit/export?action=tool');
    expect(headers.get('content-disposition')).toBe('attachment; filename=audit.ndjson');
    const lines = String(body)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual(await linesOf('action=tool'));
    expect(lines.length).toBeGreaterThan(1);
  });

  it('as CSV quotes what needs it, and gives a spreadsheet nothing to run', async () => {
    const name = '=cmd|"/c calc"!A1,\nnext';
    await served.call('POST', '/workspaces', { body: { name } });
    const member = await newMember(served.caller, served.workspace.id, 'read');
    const token = await newKey({ ...member, name: 'x' });
    await served.call('POST', '/workspaces', { token, body: { name } });
    const { headers, body } = await served.call('GET', '/audit/export?format=csv&action=workspaces.create');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head = '', ...rows] = String(body).split('\r\n');
    expect(head.split(',')).toEqual(expect.arrayContaining(['id', 'created_at', 'action', 'was_allowed']));
    expect(rows.join('')).toContain('"{""name"":""=cmd');
    for (const cell of rows.flatMap((row) => row.split(','))) expect(cell).not.toMatch(/^"?[=+@-]/);
  });
});

describe('[2] a line', () => {
  it('cannot be changed or removed by any request', async () => {
    const [line] = await linesOf('');
    for (const method of ['PUT', 'PATCH', 'POST', 'DELETE']) {
      expect((await served.call(method, '/audit', { body: {} })).status).toBe(405);
      expect((await served.call(method, `/audit/${line?.id}`, { body: {} })).status).toBe(404);
    }
    expect((await linesOf('')).find(({ id }) => id === line?.id)).toEqual(line);
  });
});
