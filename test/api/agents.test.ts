import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, type Call, startApi } from './running-api.ts';

interface Person {
  token: string;
  user_id: string;
}

let api: Api;
let workspace: string;
let [admin, writer, other, reader]: Person[] = [];
let stranger: string;
beforeAll(async () => {
  api = await startApi();
  workspace = await api.workspace();
  admin = await api.member(workspace, 'admin');
  writer = await api.member(workspace, 'write');
  other = await api.member(workspace, 'write');
  reader = await api.member(workspace, 'read');
  stranger = await api.foreignOwner();
});
afterAll(() => api.stop());

const as = (person: Person | undefined, more: Call = {}): Call => ({ ...more, token: person?.token ?? null });
const agent = (more = {}) => ({ workspace_id: workspace, name: 'Helper', model: 'demo/longhaul-demo', ...more });
const make = async (by: Person | undefined, more = {}) => {
  const made = await api.call('POST', '/agents', as(by, { body: agent(more) }));
  expect([made.status, made.body.message]).toEqual([201, undefined]);
  return made.body;
};
const put = (id: string, by: Person | undefined, body: object, headers = {}) =>
  api.call('PUT', `/agents/${id}`, as(by, { body, headers }));
const get = (id: string, by: Person | undefined) => api.call('GET', `/agents/${id}`, as(by));
const activate = (id: string, by: Person | undefined, active: boolean) =>
  api.call('POST', `/agents/${id}/activate?active=${active}`, as(by));
const remove = (id: string, by: Person | undefined, headers = {}) =>
  api.call('DELETE', `/agents/${id}`, as(by, { headers }));
/** With a schema that is none: a run that would start is refused for that alone, and no workflow is needed. */
const start = (id: string, by: Person | undefined) =>
  api.call('POST', '/runs', as(by, { body: { agent_id: id, input: 'x', output_schema: { type: 'nonsense' } } }));
const listed = async (by: Person | undefined): Promise<string[]> =>
  (await api.call('GET', `/agents?workspace_id=${workspace}&limit=100`, as(by))).body.items.map(
    ({ id }: { id: string }) => id,
  );

describe('[2] an agent', () => {
  it('is made with what a client of the seed sends, and has every field of the contract', async () => {
    const sent = {
      workspace_id: workspace,
      name: 'Research Assistant',
      provider: 'anthropic',
      model: 'claude-sonnet-4-20250514',
      scope: { notebooks: ['*'], folders: ['/experiments/*', '/notes'], file_types: ['*.md', '*.txt', '*.json'] },
      can_read: true,
      can_write: true,
      can_create: true,
      can_delete: false,
      max_requests_per_hour: 50,
    };
    const { status, body, headers } = await api.call('POST', '/agents', as(writer, { body: sent }));
    expect(status).toBe(201);
    expect(headers.get('etag')).toBe('"1"');
    expect(body).toMatchObject({
      ...sent,
      slug: 'research-assistant',
      description: '',
      system_prompt: '',
      can_execute_code: false,
      can_access_integrations: false,
      max_tokens_per_request: 4000,
      max_iterations: 50,
      max_token_budget: 100_000,
      agent_mode: 'remote',
      tools: [],
      delegated_agents: [],
      grants: null,
      knowledge_sources: [],
      mcp_servers: [],
      system_tools: null,
      confirmation: {},
      visibility: 'personal',
      access_level: 'everyone',
      roles: [],
      is_active: true,
      is_builtin: false,
      version: 1,
      created_by: writer?.user_id,
      updated_at: body.created_at,
    });
    expect((await get(body.id, writer)).body).toEqual(body);
    expect(await listed(writer)).toContain(body.id);
  });

  it('sets its own number of model calls, or leaves it at what all have, and tells the two apart', async () => {
    const limit = ({ max_iterations, max_iterations_set }: Record<string, unknown>) => [
      max_iterations,
      max_iterations_set,
    ];
    expect(limit(await make(writer))).toEqual([50, false]);
    expect(limit(await make(writer, { max_iterations: null }))).toEqual([50, false]);
    const fifty = await make(writer, { max_iterations: 50 });
    const changed = async (change: object) => limit((await put(fifty.id, writer, change)).body);
    expect(limit(fifty)).toEqual([50, true]);
    expect(await changed({ description: 'x' })).toEqual([50, true]);
    expect(await changed({ max_iterations: null })).toEqual([50, false]);
    await api.call('POST', `/agents/definitions/${fifty.id}/versions/1/rollback`, as(writer));
    expect(limit((await get(fifty.id, writer)).body)).toEqual([50, true]);
  });

  it('is also made where the address names the workspace, and refused where nothing or something else does', async () => {
    const body = { name: 'Addressed', model: 'demo/longhaul-demo' };
    const here = `/agents?workspace_id=${workspace}`;
    const made = await api.call('POST', here, as(writer, { body }));
    expect([made.status, made.body.workspace_id]).toEqual([201, workspace]);
    for (const [path, sent] of [
      ['/agents', body],
      [here, { ...body, workspace_id: 'ws_00000000000000000000000000' }],
    ] as const) {
      const refused = await api.call('POST', path, as(writer, { body: sent }));
      expect([refused.status, Object.keys(refused.body.details.fields)]).toEqual([400, ['workspace_id']]);
    }
  });

  it.each([
    ['ollama', 'llama3', 'ollama', 'ollama/llama3'],
    ['custom', 'my-model', 'openai-compatible', 'openai-compatible/my-model'],
    ['azure', 'gpt4-deployment', 'azure', 'azure/gpt4-deployment'],
    ['openai', 'gpt-4', 'openai', 'gpt-4'],
    ['ollama', 'ollama/llama3', 'ollama', 'ollama/llama3'],
  ])('is made of a provider and a model that are given apart: %s and %s', async (provider, model, named, whole) => {
    const made = await make(writer, { provider, model });
    expect(made).toMatchObject({ provider: named, model: whole });
    expect((await put(made.id, writer, { provider, model })).body).toMatchObject({ provider: named, model: whole });
  });

  it('has the provider that its model names, whatever the model is changed to', async () => {
    const { id, provider } = await make(writer, { model: 'ollama/llama3' });
    expect(provider).toBe('ollama');
    expect((await put(id, writer, { model: 'gpt-4o' })).body.provider).toBe('openai');
  });
});

describe('[7] a change', () => {
  let id: string;
  beforeEach(async () => {
    id = (await make(writer, { name: 'Changing', description: 'as it was' })).id;
  });

  it('names any of the fields, leaves the others, and raises the version', async () => {
    const { status, body, headers } = await put(id, writer, { name: 'Changed', can_write: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'Changed', description: 'as it was', can_write: true, version: 2 });
    expect(Date.parse(body.updated_at)).toBeGreaterThanOrEqual(Date.parse(body.created_at));
    expect(headers.get('etag')).toBe('"2"');
    expect((await get(id, writer)).body).toEqual(body);
  });

  it('goes through only where it was decided on the newest version, if it says which', async () => {
    const first = await put(id, writer, { name: 'First' }, { 'if-match': '"1"' });
    expect([first.status, first.body.version]).toEqual([200, 2]);
    const stale = await put(id, writer, { name: 'Second' }, { 'if-match': '"1"' });
    expect([stale.status, stale.body.error, stale.body.details.version]).toEqual([412, 'version_conflict', 2]);
    expect((await put(id, writer, { name: 'x' }, { 'if-match': 'yesterday' })).status).toBe(400);
    expect((await remove(id, writer, { 'if-match': '"1"' })).status).toBe(412);
    expect((await get(id, writer)).body.name).toBe('First');
  });

  it('of several at once is made after each other: none is lost, each is a version', async () => {
    const fields = ['description', 'system_prompt', 'name', 'can_write', 'can_create', 'max_iterations'] as const;
    const values = {
      description: 'd',
      system_prompt: 's',
      name: 'n',
      can_write: true,
      can_create: true,
      max_iterations: 7,
    };
    const answers = await Promise.all(fields.map((field) => put(id, writer, { [field]: values[field] })));
    expect(answers.map(({ body }) => body.version).sort()).toEqual([2, 3, 4, 5, 6, 7]);
    expect((await get(id, writer)).body).toMatchObject(values);
  });

  it('that meets a switch or a deletion halfway does not undo it', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all([...names.map((name) => put(id, writer, { name })), activate(id, writer, false)]);
    expect((await get(id, writer)).body).toMatchObject({ is_active: false, version: 7 });
    await Promise.all([...names.map((name) => put(id, writer, { name })), remove(id, writer)]);
    expect((await get(id, writer)).status).toBe(404);
  });

  it('leaves every version behind, with who made it', async () => {
    await put(id, writer, { system_prompt: 'Be brief.', confirmation: { $where: 'always' } });
    await put(id, writer, { name: 'Third' });
    const kept = await mongoose.connection
      .collection('definition_versions')
      .find({ kind: 'agent', definition_id: id })
      .sort({ version: 1 })
      .toArray();
    expect(kept.map(({ version, definition, updated_by }) => [version, definition.name, updated_by])).toEqual([
      [1, 'Changing', writer?.user_id],
      [2, 'Changing', writer?.user_id],
      [3, 'Third', writer?.user_id],
    ]);
    expect(kept[1]?.definition).toMatchObject({ system_prompt: 'Be brief.', confirmation: { $where: 'always' } });
  });

  it('is its maker’s alone where the agent is personal, and nobody’s where it is built in', async () => {
    expect((await put(id, undefined, { name: 'x' })).status).toBe(401);
    for (const person of [other, reader, admin]) expect((await put(id, person, { name: 'x' })).status).toBe(404);
    expect((await api.call('PUT', `/agents/${id}`, { token: stranger, body: { name: 'x' } })).status).toBe(404);
    await mongoose.connection.collection('agents').updateOne({ _id: id as never }, { $set: { is_builtin: true } });
    expect((await get(id, reader)).status).toBe(200);
    for (const person of [writer, admin]) {
      const said = [await put(id, person, { name: 'x' }), await remove(id, person), await activate(id, person, false)];
      expect(said.map(({ status, body }) => [status, body.error])).toEqual(Array(3).fill([403, 'forbidden']));
    }
  });

  it('of a shared agent is for admins', async () => {
    const shared = (await make(admin, { visibility: 'workspace' })).id;
    for (const person of [writer, reader]) {
      const said = [
        await put(shared, person, { name: 'x' }),
        await remove(shared, person),
        await activate(shared, person, false),
      ];
      expect(said.map(({ status }) => status)).toEqual([403, 403, 403]);
    }
    expect((await put(shared, { token: api.ownerKey, user_id: '' }, { name: 'By the owner' })).status).toBe(200);
    expect((await put(id, writer, { visibility: 'workspace' })).status).toBe(403);
    const own = (await make(admin)).id;
    expect((await put(own, admin, { visibility: 'workspace' })).body.visibility).toBe('workspace');
  });

  it('keeps slugs apart', async () => {
    await make(writer, { slug: 'taken' });
    const taken = await put(id, writer, { slug: 'taken' });
    expect([taken.status, taken.body.error]).toEqual([409, 'conflict']);
    expect((await put(id, writer, { slug: 'free' })).body.slug).toBe('free');
  });
});

describe('[7] an agent that is off', () => {
  it('is seen and switched on by those who may change it, and cannot be started', async () => {
    const { id } = await make(admin, { visibility: 'workspace' });
    expect((await get(id, reader)).status).toBe(200);
    const off = await activate(id, admin, false);
    expect([off.status, off.body.is_active, off.body.version]).toEqual([200, false, 1]);
    expect([(await get(id, admin)).body.is_active, (await start(id, admin)).body.error]).toEqual([
      false,
      'agent_inactive',
    ]);
    expect((await start(id, admin)).status).toBe(409);
    for (const person of [writer, reader]) {
      const said = [await get(id, person), await start(id, person), await activate(id, person, true)];
      expect(said.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(await listed(person)).not.toContain(id);
    }
    expect((await put(id, admin, { is_active: true })).body).toMatchObject({ is_active: true, version: 2 });
    expect((await get(id, reader)).status).toBe(200);
  });

  it('takes effect at once for who starts runs here', async () => {
    const { id } = await make(writer);
    const said = async () => (await start(id, writer)).body.error;
    expect(await said()).toBe('invalid_schema');
    await activate(id, writer, false);
    expect(await said()).toBe('agent_inactive');
    await activate(id, writer, true);
    expect(await said()).toBe('invalid_schema');
    await remove(id, writer);
    expect(await said()).toBe('not_found');
  });
});

describe('[7] a deleted agent', () => {
  it('is gone for everybody, its slug is free, and its maker can bring it back', async () => {
    const { id } = await make(writer, { slug: 'passing' });
    expect((await remove(id, undefined)).status).toBe(401);
    expect((await remove(id, other)).status).toBe(404);
    expect((await remove(id, writer)).status).toBe(204);
    expect((await get(id, writer)).status).toBe(404);
    expect((await remove(id, writer)).status).toBe(404);
    expect((await activate(id, writer, true)).status).toBe(404);
    expect((await put(id, writer, { name: 'x' })).status).toBe(404);
    expect(await listed(writer)).not.toContain(id);
    const successor = await make(writer, { slug: 'passing' });
    expect((await put(id, writer, { is_active: true })).body.error).toBe('conflict');
    expect((await put(id, other, { is_active: true, slug: 'back' })).status).toBe(404);
    const back = await put(id, writer, { is_active: true, slug: 'back' });
    expect([back.status, back.body.slug, back.body.is_active]).toEqual([200, 'back', true]);
    expect((await get(successor.id, writer)).body.slug).toBe('passing');
  });

  it('is not deleted while another active agent hands work to it', async () => {
    const helper = await make(admin, { visibility: 'workspace' });
    const delegated_agents = [{ agent_id: helper.id }];
    const lead = await make(admin, { name: 'Lead', visibility: 'workspace', delegated_agents });
    const hidden = await make(writer, { name: 'Hidden lead', delegated_agents });
    const refused = await remove(helper.id, admin);
    expect([refused.status, refused.body.error, refused.body.details]).toEqual([
      409,
      'in_use',
      { used_by: [{ kind: 'agent', id: lead.id, name: 'Lead' }], unseen: 1 },
    ]);
    await activate(lead.id, admin, false);
    await remove(hidden.id, writer);
    expect((await remove(helper.id, admin)).status).toBe(204);
  });
});

describe('[1] who sees an agent', () => {
  it('that is for roles: those who hold one of them, admins and its maker; others find nothing', async () => {
    const { id } = await make(admin, { visibility: 'workspace', access_level: 'role_based', roles: ['write'] });
    const see = async () => Promise.all([reader, writer, admin].map(async (who) => (await get(id, who)).status));
    expect(await see()).toEqual([404, 200, 200]);
    expect((await start(id, reader)).status).toBe(404);
    expect([(await listed(reader)).includes(id), (await listed(writer)).includes(id)]).toEqual([false, true]);
    await put(id, admin, { roles: ['admin'] });
    expect(await see()).toEqual([404, 404, 200]);
    await put(id, admin, { roles: ['read'] });
    expect(await see()).toEqual([200, 200, 200]);
    await put(id, admin, { access_level: 'role_based', roles: [] });
    expect(await see()).toEqual([404, 404, 200]);
  });

  it('is nobody of another organization, by any way', async () => {
    const { id } = await make(admin, { visibility: 'workspace' });
    const tries: [string, string, object?][] = [
      ['GET', `/agents/${id}`],
      ['PUT', `/agents/${id}`, { name: 'x' }],
      ['PUT', `/agents/${id}`, { is_active: true }],
      ['DELETE', `/agents/${id}`],
      ['POST', `/agents/${id}/activate`],
    ];
    for (const [method, path, body] of tries) {
      expect([path, (await api.call(method, path, { token: stranger, body })).status]).toEqual([path, 404]);
      expect([path, (await api.call(method, path, { token: null, body })).status]).toEqual([path, 401]);
    }
  });
});

describe('[2] what could only fail once it runs is refused now, with the field named', () => {
  const cases: [string, object, string, string][] = [
    ['a model nobody knows', { model: 'made-up' }, 'unsupported_model', 'model'],
    ['a local model nobody knows', { local_model: 'made-up' }, 'unsupported_model', 'local_model'],
    ['another provider than the model’s', { provider: 'openai' }, 'invalid_request', 'provider'],
    ['a mode without a model for it', { model: 'gpt-4o', agent_mode: 'local' }, 'invalid_request', 'agent_mode'],
    ['a cost limit without a price', { model: 'gpt-unheard-of', max_cost_usd: 1 }, 'unknown_price', 'max_cost_usd'],
    [
      'a pattern that could run for hours',
      { scope: { folders: ['*/'.repeat(9)] } },
      'invalid_request',
      'scope.folders.0',
    ],
    ['a folder that no path is in', { scope: { folders: ['./docs'] } }, 'invalid_request', 'scope.folders.0'],
    ['a folder out of the notebook', { scope: { folders: ['/a', '/a/../..'] } }, 'invalid_request', 'scope.folders.1'],
    ['a notebook that is not there', { scope: { notebooks: ['*', 'nb_1'] } }, 'invalid_request', 'scope.notebooks.1'],
    [
      'a notebook in the grants',
      { grants: { scope: { notebooks: ['x'] } } },
      'invalid_request',
      'grants.scope.notebooks.0',
    ],
    [
      'a knowledge source in the grants',
      { grants: { knowledge_sources: ['*', 'kn_1'] } },
      'invalid_request',
      'grants.knowledge_sources.1',
    ],
    ['a tool in the grants', { grants: { tools: ['*', 'fly'] } }, 'invalid_request', 'grants.tools.1'],
    ['a knowledge source that is not there', { knowledge_sources: ['kn_1'] }, 'invalid_request', 'knowledge_sources.0'],
    [
      'a delegate that is not there',
      { delegated_agents: [{ agent_id: 'agt_1' }] },
      'invalid_request',
      'delegated_agents.0.agent_id',
    ],
    ['a tool that is not there', { system_tools: ['read_file', 'fly'] }, 'invalid_request', 'system_tools.1'],
    ['a field nobody knows', { can_fly: true }, 'invalid_request', 'can_fly'],
  ];
  it.each(cases)('%s', async (_what, more, error, field) => {
    const { id } = await make(writer);
    for (const answer of [
      await api.call('POST', '/agents', as(writer, { body: agent(more) })),
      await put(id, writer, more),
    ]) {
      expect([answer.status, answer.body.error, Object.keys(answer.body.details.fields)]).toEqual([
        400,
        error,
        [field],
      ]);
    }
    expect((await get(id, writer)).body.version).toBe(1);
  });

  it('schemas of a delegate, and delegates that their lister could not start', async () => {
    const helper = await make(writer, { name: 'Helper' });
    const list = (...delegated_agents: object[]) =>
      api.call('POST', '/agents', as(writer, { body: agent({ delegated_agents }) }));
    const bad = await list({ agent_id: helper.id, input_schema: { type: 'nonsense' } });
    expect([bad.body.error, Object.keys(bad.body.details.fields)]).toEqual([
      'invalid_schema',
      ['delegated_agents.0.input_schema'],
    ]);
    expect((await list({ agent_id: helper.id }, { agent_id: helper.id })).status).toBe(400);
    expect((await list({ agent_id: helper.id })).status).toBe(201);
    const theirs = await make(other);
    expect((await list({ agent_id: theirs.id })).status).toBe(400);
    await activate(helper.id, writer, false);
    expect((await list({ agent_id: helper.id })).status).toBe(400);
  });

  it('but what an agent referred to before may stay', async () => {
    const helper = await make(writer);
    const lead = await make(writer, { delegated_agents: [{ agent_id: helper.id }] });
    await activate(helper.id, writer, false);
    const delegated_agents = [
      { agent_id: helper.id, output_schema: { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } } },
    ];
    const { status, body } = await put(lead.id, writer, { name: 'Still', delegated_agents });
    expect([status, body.delegated_agents]).toEqual([200, delegated_agents]);
  });
});
