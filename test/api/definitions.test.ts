import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { ensureBuiltinAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { type Api, type Call, startApi } from './running-api.ts';

interface Person {
  token: string;
  user_id: string;
}

let api: Api;
let workspace: string;
let [admin, ana, ben, reader]: Person[] = [];
let stranger: string;
beforeAll(async () => {
  api = await startApi();
  workspace = await api.workspace();
  admin = await api.member(workspace, 'admin');
  ana = await api.member(workspace, 'write');
  ben = await api.member(workspace, 'write');
  reader = await api.member(workspace, 'read');
  stranger = await api.foreignOwner();
});
afterAll(() => api.stop());

const as = (person: Person | undefined, more: Call = {}): Call => ({ ...more, token: person?.token ?? null });

let count = 0;
const unique = (name: string): string => `${name}_${++count}`;

const agent = async (by: Person | undefined, more = {}) =>
  (
    await api.call(
      'POST',
      '/agents',
      as(by, { body: { workspace_id: workspace, name: 'Helper', model: 'demo/longhaul-demo', ...more } }),
    )
  ).body;

/** What a client sends of each kind, and something it changes. */
const KINDS = {
  tools: {
    fresh: () => ({
      name: unique('doc_search'),
      description: 'Searches documents',
      schema: { input: { type: 'object', properties: { query: { type: 'string' } } }, output: { type: 'array' } },
      entrypoint: 'builtin:search_knowledge',
      scopes: ['search.read'],
    }),
    change: { description: 'Searches all documents', scopes: ['search.read', 'search.all'] },
    bad: { entrypoint: 'app.tools.doc_search:search' },
    ids: 'tool_ids',
  },
  workflows: {
    fresh: () => ({
      name: unique('document-analysis'),
      description: 'Extract and sum up',
      steps: [{ id: 'step1', type: 'approval', message: 'Go on?' }],
    }),
    change: { steps: [{ id: 'step1', type: 'wait', duration: 5 }] },
    bad: { steps: [{ id: 'step1', type: 'agent', agent: 'nobody' }] },
    ids: 'workflow_ids',
  },
  evals: {
    fresh: () => ({
      name: unique('accuracy-scorer'),
      description: 'Scores accuracy',
      config: {
        criteria: 'Accuracy of response',
        pass_threshold: 0.8,
        model: 'anthropic:claude-3-5-sonnet',
        prompt_template: 'Judge {{ output }}',
        rules: { contains: ['42'] },
      },
    }),
    change: { config: { criteria: 'Tone', pass_threshold: 0.5 } },
    bad: { config: { criteria: 'x', pass_threshold: 2 } },
    ids: 'eval_ids',
  },
} as const;
type Path = keyof typeof KINDS;
const PATHS = Object.keys(KINDS) as Path[];

const make = async (path: Path, by: Person | undefined, more = {}) => {
  const body = { workspace_id: workspace, ...KINDS[path].fresh(), ...more };
  const made = await api.call('POST', `/agents/${path}`, as(by, { body }));
  expect([made.status, made.body.message]).toEqual([201, undefined]);
  return made.body;
};
const get = (path: Path, id: string, by: Person | undefined) => api.call('GET', `/agents/${path}/${id}`, as(by));
const put = (path: Path, id: string, by: Person | undefined, body: object, headers = {}) =>
  api.call('PUT', `/agents/${path}/${id}`, as(by, { body, headers }));
const remove = (path: Path, id: string, by: Person | undefined, headers = {}) =>
  api.call('DELETE', `/agents/${path}/${id}`, as(by, { headers }));
const list = async (path: Path, by: Person | undefined, query = '') =>
  (await api.call('GET', `/agents/${path}?workspace_id=${workspace}&limit=100${query}`, as(by))).body.items;
const ids = (items: { id: string }[]) => items.map(({ id }) => id);
const NOWHERE = '00000000000000000000000000';

const schedule = (id: string, of: object) =>
  mongoose.connection.collection<{ _id: string }>('schedules').insertOne({ _id: id, ...of });

async function builtinTool() {
  const [found] = await list('tools', ana, '&is_builtin=true');
  return found;
}

it('REQ-002 a personal agent is seen and used by its creator alone, a built-in one by all', async () => {
  const personal = await agent(ana);
  const seen = async (who: Person | undefined) =>
    (await api.call('GET', `/agents?workspace_id=${workspace}&limit=100`, as(who))).body.items;
  const { id: org_id } = (await api.call('GET', '/me')).body.organization;
  const builtin = { id: newId('agt') };
  const body = createAgentBody.parse({ workspace_id: workspace, name: 'Given', model: 'demo/longhaul-demo' });
  await ensureBuiltinAgent(org_id, 'system', { ...body, ...builtin, slug: 'given', visibility: 'workspace' });
  for (const [who, sees] of [
    [ana, true],
    [ben, false],
    [reader, false],
    [admin, false],
  ] as const) {
    expect(ids(await seen(who)).includes(personal.id)).toBe(sees);
    expect(ids(await seen(who))).toContain(builtin.id);
    expect((await api.call('GET', `/agents/${builtin.id}`, as(who))).status).toBe(200);
    expect((await api.call('GET', `/agents/${personal.id}`, as(who))).status).toBe(sees ? 200 : 404);
  }
  for (const [method, path, body] of [
    ['PUT', `/agents/${personal.id}`, { name: 'Mine' }],
    ['DELETE', `/agents/${personal.id}`, undefined],
    ['POST', `/agents/${personal.id}/activate?active=false`, undefined],
    ['POST', `/agents/${personal.id}/sessions`, {}],
    ['POST', '/runs', { agent_id: personal.id, input: 'x' }],
    ['GET', `/agents/definitions/${personal.id}/versions`, undefined],
  ] as const) {
    expect([path, (await api.call(method, path, as(ben, { body }))).status]).toEqual([path, 404]);
  }
  expect((await api.call('GET', '/agents', { token: null })).status).toBe(401);
  expect((await api.call('PUT', `/agents/${builtin.id}`, as(admin, { body: { name: 'Mine' } }))).status).toBe(403);
});

describe.each([
  ['REQ-003', 'tools'],
  ['REQ-004', 'workflows'],
  ['REQ-005', 'evals'],
] as const)('%s one of the %s', (_requirement, path) => {
  it('is read by its id by every member, with all its fields; missing, inactive and foreign ones are 404', async () => {
    const fresh = KINDS[path].fresh();
    const made = await make(path, ana, fresh);
    for (const who of [ana, ben, reader, admin]) {
      const { status, body, headers } = await get(path, made.id, who);
      expect([status, headers.get('etag')]).toEqual([200, '"1"']);
      expect(body).toMatchObject({
        ...fresh,
        workspace_id: workspace,
        is_active: true,
        is_builtin: false,
        version: 1,
        created_by: ana?.user_id,
        updated_at: body.created_at,
      });
    }
    expect(ids(await list(path, reader))).toContain(made.id);
    expect((await api.call('GET', `/agents/${path}/${made.id}`, { token: stranger })).status).toBe(404);
    expect((await api.call('GET', `/agents/${path}/${made.id}`, { token: null })).status).toBe(401);
    expect((await get(path, made.id.replace(/_.*/, `_${NOWHERE}`), ana)).status).toBe(404);
    expect((await get(path, 'x', ana)).status).toBe(400);
    await remove(path, made.id, ana);
    expect((await get(path, made.id, ana)).status).toBe(404);
  });
});

it('REQ-003 built-in tools are listed with their schemas, before all others, on pages, and are read like any other', async () => {
  const own = await make('tools', ana);
  const all = await list('tools', ana);
  const builtin = all.filter(({ is_builtin }: { is_builtin: boolean }) => is_builtin);
  expect(builtin.map(({ name }: { name: string }) => name)).toContain('read_file');
  expect(all.slice(0, builtin.length)).toEqual(builtin);
  expect(builtin[0]).toMatchObject({ workspace_id: null, version: 1, schema: { input: { type: 'object' } } });
  expect((await get('tools', builtin[0].id, reader)).body).toEqual(builtin[0]);
  const paged: string[] = [];
  let cursor: string | null = null;
  do {
    const at: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const page = await api.call('GET', `/agents/tools?workspace_id=${workspace}&limit=4${at}`, as(ana));
    expect(page.status).toBe(200);
    paged.push(...ids(page.body.items));
    cursor = page.body.next_cursor;
  } while (cursor);
  expect(paged).toEqual(ids(all));
  expect(ids(await list('tools', ana, '&is_builtin=false'))).toContain(own.id);
  expect(ids(await list('tools', ana, '&is_builtin=false'))).not.toContain(builtin[0].id);
  expect(ids(await list('tools', ana, `&name=${own.name}`))).toEqual([own.id]);
  expect(ids(await list('tools', ana, `&created_by=${ana?.user_id}`))).toContain(own.id);
});

describe.each([
  ['REQ-006', 'tools'],
  ['REQ-007', 'workflows'],
  ['REQ-008', 'evals'],
] as const)('%s a change of one of the %s', (_requirement, path) => {
  const { change, bad } = KINDS[path];

  it('takes any fields, raises the version and the time, and is for its creator or an admin', async () => {
    const made = await make(path, ana);
    const changed = await put(path, made.id, ana, change);
    expect([changed.status, changed.body.version, changed.headers.get('etag')]).toEqual([200, 2, '"2"']);
    expect(changed.body).toMatchObject({ name: made.name, ...change });
    expect(Date.parse(changed.body.updated_at)).toBeGreaterThan(Date.parse(made.updated_at));
    expect((await put(path, made.id, ben, change)).status).toBe(403);
    expect((await put(path, made.id, reader, change)).status).toBe(403);
    expect((await api.call('PUT', `/agents/${path}/${made.id}`, { token: stranger, body: change })).status).toBe(404);
    expect((await api.call('PUT', `/agents/${path}/${made.id}`, { token: null, body: change })).status).toBe(401);
    const byAdmin = await put(path, made.id, admin, { ...KINDS[path].fresh(), is_active: true });
    expect([byAdmin.status, byAdmin.body.version, byAdmin.body.created_by]).toEqual([200, 3, ana?.user_id]);
    expect((await get(path, made.id, ben)).body).toEqual(byAdmin.body);
  });

  it('that is not valid is 400 and writes nothing, of one that is missing 404', async () => {
    const made = await make(path, ana);
    for (const wrong of [bad, { nonsense: 1 }, { name: '' }, { version: 7 }]) {
      const refused = await put(path, made.id, ana, wrong);
      expect([wrong, refused.status]).toEqual([wrong, 400]);
    }
    expect((await get(path, made.id, ana)).body).toEqual(made);
    expect((await put(path, made.id.replace(/_.*/, `_${NOWHERE}`), ana, change)).status).toBe(404);
    const refused = await api.call(
      'POST',
      `/agents/${path}`,
      as(ana, { body: { workspace_id: workspace, ...KINDS[path].fresh(), ...bad } }),
    );
    expect(refused.status).toBe(400);
    const byReader = as(reader, { body: { workspace_id: workspace, ...KINDS[path].fresh() } });
    expect((await api.call('POST', `/agents/${path}`, byReader)).status).toBe(403);
  });

  it('goes through only on the newest version, if it says which', async () => {
    const made = await make(path, ana);
    expect((await put(path, made.id, ana, change, { 'if-match': '"1"' })).status).toBe(200);
    const stale = await put(path, made.id, ana, change, { 'if-match': '"1"' });
    expect([stale.status, stale.body.error, stale.body.details.version]).toEqual([412, 'version_conflict', 2]);
    expect((await remove(path, made.id, ana, { 'if-match': '"1"' })).status).toBe(412);
    const both = await Promise.all([1, 2, 3].map((n) => put(path, made.id, ana, { description: `by ${n}` })));
    expect(both.map(({ body }) => body.version).sort()).toEqual([3, 4, 5]);
  });

  it('keeps names apart among the active ones of a workspace', async () => {
    const [first, second] = [await make(path, ana), await make(path, ana)];
    const taken = await put(path, second.id, ana, { name: first.name });
    expect([taken.status, taken.body.error]).toEqual([409, 'conflict']);
    await remove(path, first.id, ana);
    expect((await put(path, second.id, ana, { name: first.name })).status).toBe(200);
    expect((await put(path, first.id, ana, { is_active: true })).status).toBe(409);
    expect((await put(path, first.id, ana, { is_active: true, name: unique('back') })).status).toBe(200);
  });
});

it('REQ-006 built-in tools cannot be changed', async () => {
  const { id } = await builtinTool();
  expect((await put('tools', id, admin, { description: 'mine' })).status).toBe(403);
});

it('REQ-006 a tool has a name and a schema that models can be given, and an entrypoint that leads somewhere', async () => {
  const tool = KINDS.tools.fresh();
  for (const [field, wrong] of [
    ['name', { name: 'has blanks' }],
    ['name', { name: 'read_file' }],
    ['name', { name: 'delegate_to_somebody' }],
    ['schema.input', { schema: { input: { type: 'nonsense' } } }],
    ['schema.input', { schema: { input: { type: 'array' } } }],
    ['entrypoint', { entrypoint: 'builtin:nothing' }],
    ['entrypoint', { entrypoint: 'integration:nowhere/call' }],
    ['entrypoint', { entrypoint: 'workflow:nothing' }],
  ] as const) {
    const body = { workspace_id: workspace, ...tool, ...wrong };
    const refused = await api.call('POST', '/agents/tools', as(ana, { body }));
    expect([wrong, refused.status, Object.keys(refused.body.details.fields)]).toEqual([wrong, 400, [field]]);
  }
});

it('REQ-007 a workflow is validated when it is saved, and what is wrong is named by step', async () => {
  const used = await agent(ana);
  const tool = await make('tools', ana);
  const fresh = {
    ...KINDS.workflows.fresh(),
    steps: [
      { id: 'find', type: 'tool', tool: tool.name, input_mapping: { query: '{{ input }}' } },
      { id: 'sum', type: 'agent', agent_id: used.id, input_mapping: '{{ steps.find.output }}' },
    ],
  };
  const flow = await make('workflows', ana, fresh);
  for (const [field, step] of [
    ['steps.0.tool', { id: 'a', type: 'tool', tool: 'nothing' }],
    ['steps.0.agent_id', { id: 'a', type: 'agent', agent_id: 'agt_nobody' }],
    ['steps.0.workflow', { id: 'a', type: 'workflow', workflow: flow.name }],
    ['steps.0.input_mapping', { id: 'a', type: 'agent', agent_id: used.id, input_mapping: '{{ steps.b.output }}' }],
  ] as const) {
    const refused = await put('workflows', flow.id, ana, { steps: [step] });
    expect([refused.status, Object.keys(refused.body.details.fields)]).toEqual([400, [field]]);
  }
  const outer = await make('workflows', ana, { steps: [{ id: 'in', type: 'workflow', workflow_id: flow.id }] });
  const circle = await put('workflows', flow.id, ana, {
    steps: [{ id: 'x', type: 'workflow', workflow_id: outer.id }],
  });
  expect([circle.status, circle.body.message]).toEqual([400, expect.stringContaining('runs this workflow again')]);
  const asTool = await make('tools', ana, { entrypoint: `workflow:${outer.id}` });
  const round = await put('workflows', flow.id, ana, { steps: [{ id: 'x', type: 'tool', tool: asTool.name }] });
  expect([round.status, round.body.message]).toEqual([400, expect.stringContaining('runs this workflow again')]);

  const plain = await make('tools', ana);
  const calls = await make('workflows', ana, { steps: [{ id: 'x', type: 'tool', tool: plain.name }] });
  const through = await make('workflows', ana, { steps: [{ id: 'x', type: 'workflow', workflow_id: calls.id }] });
  for (const { id } of [calls, through]) {
    const back = await put('tools', plain.id, ana, { entrypoint: `workflow:${id}` });
    expect([back.status, back.body.details.fields]).toEqual([
      400,
      { entrypoint: expect.stringContaining('calls this tool again') },
    ]);
  }
});

it('REQ-006 a tool is not brought back to where nothing is any more', async () => {
  const flow = await make('workflows', ana);
  const tool = await make('tools', ana, { entrypoint: `workflow:${flow.id}` });
  await remove('tools', tool.id, ana);
  await remove('workflows', flow.id, ana);
  const back = await put('tools', tool.id, ana, { is_active: true });
  expect([back.status, Object.keys(back.body.details.fields)]).toEqual([400, ['entrypoint']]);
  const elsewhere = { is_active: true, entrypoint: 'builtin:search_knowledge' };
  expect((await put('tools', tool.id, ana, elsewhere)).status).toBe(200);
});

it('REQ-007 REQ-010 a workflow with active schedules can be neither changed nor deleted, and they are listed', async () => {
  const flow = await make('workflows', ana);
  const org_id = (await api.call('GET', '/me')).body.organization.id;
  const mine = { org_id, workspace_id: workspace, workflow_id: flow.id, cron_expression: '0 9 * * *' };
  await schedule('sch_1', { ...mine, is_active: true });
  await schedule('sch_2', { ...mine, is_active: false });
  for (const refused of [
    await put('workflows', flow.id, ana, { description: 'x' }),
    await remove('workflows', flow.id, ana),
  ]) {
    expect([refused.status, refused.body.error]).toEqual([409, 'has_schedules']);
    expect(refused.body.details.schedules).toEqual([{ id: 'sch_1', name: '0 9 * * *' }]);
  }
  await mongoose.connection.collection('schedules').deleteMany({ workflow_id: flow.id });
  expect((await put('workflows', flow.id, ana, { description: 'x' })).status).toBe(200);
  expect((await remove('workflows', flow.id, ana)).status).toBe(204);
});

describe.each([
  ['REQ-009', 'tools'],
  ['REQ-010', 'workflows'],
  ['REQ-011', 'evals'],
] as const)('%s deleting one of the %s', (_requirement, path) => {
  it('is soft and 204, for its creator or an admin; who may can bring it back, and nobody else finds it', async () => {
    const made = await make(path, ana);
    expect((await remove(path, made.id, ben)).status).toBe(403);
    expect((await remove(path, made.id, reader)).status).toBe(403);
    expect((await api.call('DELETE', `/agents/${path}/${made.id}`, { token: null })).status).toBe(401);
    const gone = await remove(path, made.id, ana);
    expect([gone.status, gone.body]).toEqual([204, '']);
    expect((await remove(path, made.id, ana)).status).toBe(404);
    expect((await put(path, made.id, ana, { description: 'x' })).status).toBe(404);
    expect(ids(await list(path, ana))).not.toContain(made.id);
    expect(ids(await list(path, ana, '&is_active=false'))).toContain(made.id);
    expect(ids(await list(path, ben, '&is_active=false'))).not.toContain(made.id);
    expect((await put(path, made.id, ben, { is_active: true })).status).toBe(404);
    const back = await put(path, made.id, ana, { is_active: true });
    expect([back.status, back.body.is_active, back.body.version]).toEqual([200, true, 2]);
    expect((await remove(path, made.id, admin)).status).toBe(204);
  });
});

it('REQ-009 a built-in tool cannot be deleted', async () => {
  expect((await remove('tools', (await builtinTool()).id, admin)).status).toBe(403);
});

it('REQ-009 what active agents, workflows or tools use is 409 with the list, whoever asks; off or changed, it is free', async () => {
  const tool = await make('tools', ana);
  const user = await agent(ana, { name: 'User', visibility: 'personal', tools: [tool.name] });
  const hidden = await agent(ben, { name: 'Hidden', tools: [tool.name] });
  const flow = await make('workflows', ana, { steps: [{ id: 'a', type: 'tool', tool_id: tool.id }] });
  const refused = await remove('tools', tool.id, ana);
  expect([refused.status, refused.body.error]).toEqual([409, 'in_use']);
  expect(refused.body.details).toEqual({
    used_by: [
      { kind: 'agent', id: user.id, name: 'User' },
      { kind: 'workflow', id: flow.id, name: flow.name },
    ],
    unseen: 1,
  });
  const renamed = await put('tools', tool.id, ana, { name: unique('other') });
  expect([renamed.status, renamed.body.error]).toEqual([409, 'in_use']);
  expect((await put('tools', tool.id, ana, { is_active: false })).status).toBe(409);
  await api.call('POST', `/agents/${user.id}/activate?active=false`, as(ana));
  await api.call('PUT', `/agents/${hidden.id}`, as(ben, { body: { tools: [] } }));
  await remove('workflows', flow.id, ana);
  expect((await remove('tools', tool.id, ana)).status).toBe(204);

  const inner = await make('workflows', ana);
  const caller = await make('tools', ana, { entrypoint: `workflow:${inner.name}` });
  const outer = await make('workflows', ana, { steps: [{ id: 'a', type: 'workflow', workflow: inner.name }] });
  const used = await remove('workflows', inner.id, ana);
  expect(used.body.details.used_by.map(({ id }: { id: string }) => id).sort()).toEqual([caller.id, outer.id].sort());
  const runner = await agent(ana);
  await make('workflows', ana, { steps: [{ id: 'a', type: 'agent', agent_id: runner.id }] });
  expect((await api.call('DELETE', `/agents/${runner.id}`, as(ana))).body.error).toBe('in_use');
});

it('an agent lists tools that the workspace has, and no others', async () => {
  const tool = await make('tools', ana);
  const body = { workspace_id: workspace, name: 'Lister', model: 'demo/longhaul-demo', tools: [tool.name, 'nothing'] };
  const refused = await api.call('POST', '/agents', as(ana, { body }));
  expect([refused.status, Object.keys(refused.body.details.fields)]).toEqual([400, ['tools.1']]);
  const made = await agent(ana, { tools: [tool.name, 'read_file'] });
  expect(made.tools).toEqual([tool.name, 'read_file']);
});

describe.each(PATHS)('REQ-015 bulk-delete of %s', (path) => {
  it('deletes each on its own, and says of the others why not', async () => {
    const [mine, theirs] = [await make(path, ana), await make(path, ben)];
    const missing = mine.id.replace(/_.*/, `_${NOWHERE}`);
    const body = { [KINDS[path].ids]: [mine.id, theirs.id, missing, mine.id] };
    const { status, body: outcome } = await api.call('POST', `/agents/${path}/bulk-delete`, as(ana, { body }));
    expect([status, outcome.deleted]).toEqual([200, [mine.id]]);
    expect(outcome.failed).toEqual([
      { id: theirs.id, reason: expect.stringContaining('Only who made') },
      { id: missing, reason: expect.stringContaining('There is no') },
    ]);
    expect((await get(path, mine.id, ana)).status).toBe(404);
    expect((await get(path, theirs.id, ana)).status).toBe(200);
    for (const wrong of [{}, { [KINDS[path].ids]: [] }, { [KINDS[path].ids]: 'x' }, { ids: [mine.id] }]) {
      expect((await api.call('POST', `/agents/${path}/bulk-delete`, as(ana, { body: wrong }))).status).toBe(400);
    }
    expect((await api.call('POST', `/agents/${path}/bulk-delete`, { token: null, body })).status).toBe(401);
  });
});

it('REQ-015 names what a tool is in use by', async () => {
  const tool = await make('tools', ana);
  await agent(ana, { name: 'Busy', tools: [tool.name] });
  const builtin = await builtinTool();
  const body = { tool_ids: [tool.id, builtin.id] };
  const { body: outcome } = await api.call('POST', '/agents/tools/bulk-delete', as(admin, { body }));
  expect(outcome).toEqual({
    deleted: [],
    failed: [
      { id: tool.id, reason: expect.stringContaining('in use by') },
      { id: builtin.id, reason: expect.stringContaining('built-in') },
    ],
  });
});
