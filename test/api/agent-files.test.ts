import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Api, startApi } from './running-api.ts';

let api: Api;
let root: string;
let workspace: string;
let elsewhere: string;
let notebook: string;
let token: string;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-roots-')));
  api = await startApi({ notebookRoots: [root] });
  [workspace, elsewhere] = [await api.workspace('Here'), await api.workspace('Elsewhere')];
  notebook = await notebookOf(workspace, 'Lab notes');
  token = (await api.member(workspace, 'write')).token;
});
afterAll(async () => {
  await api.stop();
  await rm(root, { recursive: true });
});

const notebookOf = async (workspace_id: string, name: string): Promise<string> =>
  (await api.call('POST', '/notebooks', { body: { workspace_id, name, kind: 'folder', path: root } })).body.id;
const sourceOf = async (workspace_id: string, name: string): Promise<string> => {
  const body = { workspace_id, name, content_type: 'text/plain', content: 'A rule.' };
  return (await api.call('POST', '/knowledge', { body })).body.id;
};
const make = async (body: object) => {
  const made = await api.call('POST', '/agents', { body });
  expect([made.status, made.body.message]).toEqual([201, undefined]);
  return made.body;
};
const exported = async (id: string, by = api.ownerKey) => api.call('GET', `/agents/${id}/export`, { token: by });
const imported = (body: object, by = api.ownerKey) => api.call('POST', '/agents/import', { token: by, body });

/** Everything but what is new with each agent. */
const definition = ({
  id: _id,
  slug: _slug,
  created_at: _c,
  updated_at: _u,
  workspace_id: _w,
  ...rest
}: Record<string, unknown>) => rest;

describe('[2] an agent is exported as YAML', () => {
  it('with names and without ids, and imported it is the same agent again', async () => {
    const helper = await make({ workspace_id: workspace, name: 'Helper', model: 'gpt-4o' });
    const source = await sourceOf(workspace, 'Rules');
    const agent = await make({
      workspace_id: workspace,
      name: 'Night watch',
      model: 'claude-sonnet-4-6',
      system_prompt: 'Look around.\n\n  - twice\n',
      scope: { notebooks: [notebook], folders: ['/drafts/*'] },
      can_write: true,
      grants: { can_read: true, scope: { notebooks: [notebook] }, knowledge_sources: [source] },
      knowledge_sources: [source],
      delegated_agents: [
        { agent_id: helper.id, input_schema: { $ref: '#/$defs/t', $defs: { t: { type: 'object' } } } },
      ],
      system_tools: ['read_file', 'write_file'],
      confirmation: { write_file: 'always' },
      max_cost_usd: 0.5,
    });
    const { status, headers, body: yaml } = await exported(agent.id);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/yaml; charset=utf-8']);
    expect(headers.get('content-disposition')).toBe('inline; filename="night-watch.agent.yaml"');
    expect(yaml).not.toMatch(/\b(agt|ws|usr|nb|kn|org)_[0-9a-z]{26}/);
    expect(parse(yaml)).toMatchObject({
      slug: 'night-watch',
      scope: { notebooks: ['Lab notes'] },
      knowledge_sources: ['Rules'],
      grants: { knowledge_sources: ['Rules'] },
      delegated_agents: [{ agent: 'helper' }],
    });
    const again = await imported({ workspace_id: workspace, yaml });
    expect([again.status, again.body.slug]).toEqual([201, 'night-watch-2']);
    expect(definition(again.body)).toEqual(definition(agent));
  });

  it('and bound to another workspace by name, or by what the binding says', async () => {
    const there = await notebookOf(elsewhere, 'Lab notes');
    const yaml = 'name: Traveller\nmodel: gpt-4o\nscope: {notebooks: [Lab notes]}\n';
    const byName = await imported({ workspace_id: elsewhere, yaml });
    expect(byName.body.scope.notebooks).toEqual([there]);
    const binding = {
      model: 'ollama/llama3',
      slug: 'settled',
      visibility: 'workspace',
      notebooks: ['*'],
      max_iterations: 3,
    };
    const bound = await imported({ workspace_id: elsewhere, yaml, binding });
    expect(bound.body).toMatchObject({
      model: 'ollama/llama3',
      provider: 'ollama',
      slug: 'settled',
      visibility: 'workspace',
      max_iterations: 3,
      scope: { notebooks: ['*'] },
    });
    const taken = await imported({ workspace_id: elsewhere, yaml, binding });
    expect([taken.status, taken.body.error]).toEqual([409, 'conflict']);
  });

  it('only for those who see it', async () => {
    const { id } = await make({ workspace_id: workspace, name: 'Mine', model: 'gpt-4o' });
    expect((await exported(id, token)).status).toBe(404);
    expect((await exported(id, await api.foreignOwner())).status).toBe(404);
    expect((await api.call('GET', `/agents/${id}/export`, { token: null })).status).toBe(401);
  });
});

describe('[2] an import', () => {
  const yaml = 'name: A\nmodel: gpt-4o\n';

  it('is for those who may make agents, and no way around what they may', async () => {
    const reader = (await api.member(workspace, 'read')).token;
    expect((await imported({ workspace_id: workspace, yaml }, reader)).status).toBe(403);
    expect((await imported({ workspace_id: workspace, yaml }, await api.foreignOwner())).status).toBe(404);
    expect((await api.call('POST', '/agents/import', { token: null, body: {} })).status).toBe(401);
    const shared = { workspace_id: workspace, yaml, binding: { visibility: 'workspace' } };
    expect((await imported(shared, token)).status).toBe(403);
    const hidden = await make({ workspace_id: workspace, name: 'Hidden', slug: 'hidden', model: 'gpt-4o' });
    for (const more of [
      { yaml: `${yaml}delegated_agents: [hidden]` },
      { yaml: `${yaml}delegated_agents: [x]`, binding: { delegated_agents: { x: hidden.id } } },
    ]) {
      const answer = await imported({ workspace_id: workspace, ...more }, token);
      expect([answer.status, answer.body.details.lines]).toEqual([400, expect.objectContaining({})]);
    }
    const strange = {
      workspace_id: workspace,
      yaml: 'name: A\nmodel: gpt-4o\nscope: {notebooks: [Lab notes]}',
      binding: { notebooks: { 'Lab notes': await notebookOf(elsewhere, 'Other') } },
    };
    expect((await imported(strange, token)).body.details.fields).toHaveProperty(['scope.notebooks.0']);
  });

  it.each([
    ['what only the server can tell', 'name: A\nmodel: made-up\n', 'unsupported_model', { model: 2 }],
    [
      'a schema that is none',
      'name: A\nmodel: gpt-4o\ndelegated_agents:\n  - agent: seen\n    input_schema:\n      type: nonsense\n',
      'invalid_schema',
      { 'delegated_agents.0.input_schema': 5 },
    ],
    ['an unknown field', 'name: A\nmodel: gpt-4o\ncan_fly: true\n', 'invalid_request', { can_fly: 3 }],
  ])('tells the line of %s', async (_what, text, error, lines) => {
    await api.call('POST', '/agents', {
      body: { workspace_id: workspace, name: 'Seen', slug: 'seen', model: 'gpt-4o' },
    });
    const { status, body } = await imported({ workspace_id: workspace, yaml: text });
    expect([status, body.error, body.details.lines]).toEqual([400, error, lines]);
  });
});

describe('[2] templates', () => {
  it('are agents to begin with; a new one has all that it does not say itself', async () => {
    const { items, next_cursor } = (await api.call('GET', '/templates', { token })).body;
    expect(next_cursor).toBeNull();
    expect(items.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(['summarizer', 'reviewer', 'refactorer', 'researcher']),
    );
    for (const { id, agent } of items) {
      const one = (await api.call('GET', `/templates/${id}`, { token })).body;
      expect(one.agent).toEqual(agent);
      const made = await make({
        workspace_id: workspace,
        name: 'Own',
        model: 'gpt-4o',
        can_delete: true,
        template: id,
      });
      expect(made).toMatchObject({ ...agent, name: 'Own', can_delete: true });
      const spelt = await make({ workspace_id: workspace, model: 'gpt-4o', ...agent });
      expect(spelt).toMatchObject(agent);
    }
    expect((await api.call('GET', '/templates', { token: null })).status).toBe(401);
    expect(
      (
        await api.call('POST', '/agents', {
          body: { workspace_id: workspace, name: 'A', model: 'gpt-4o', template: 'x' },
        })
      ).status,
    ).toBe(400);
  });
});

describe('[2] a probe', () => {
  const probe = (body: object, by = api.ownerKey) =>
    api.call('POST', '/agents/probe', {
      token: by,
      body: { notebook_id: notebook, path: '/a.md', operation: 'write', ...body },
    });

  it('says whether, by which rule, and whether a person is asked', async () => {
    const scope = { notebooks: ['*'], folders: ['/notes', '/drafts/*'] };
    const { id } = await make({ workspace_id: workspace, name: 'Probed', model: 'gpt-4o', scope, can_write: true });
    expect((await probe({ agent_id: id, path: 'drafts//x/../a.md' })).body.allowed).toBe(false);
    expect((await probe({ agent_id: id, path: 'drafts//a.md' })).body).toEqual({
      allowed: true,
      rule: expect.stringContaining('folder rule 2 (/drafts/*)'),
      asks: 'always',
      path: '/drafts/a.md',
    });
    expect((await probe({ agent_id: id, path: '/other/a.md' })).body).toMatchObject({ allowed: false, asks: null });
    const draft = { scope, can_create: true, confirmation: { create_file: 'first_time' } };
    expect((await probe({ agent: draft, operation: 'create', path: '/notes/n.md' })).body).toMatchObject({
      allowed: true,
      asks: 'first_time',
    });
  });

  it('is for the caller: who only reads starts nothing that writes', async () => {
    const reader = (await api.member(workspace, 'read')).token;
    const agent = { scope: { notebooks: ['*'] }, can_write: true };
    expect((await probe({ agent }, token)).body.allowed).toBe(true);
    const { body } = await probe({ agent }, reader);
    expect([body.allowed, body.rule]).toEqual([false, expect.stringContaining('your role')]);
    expect((await probe({ agent, operation: 'read' }, reader)).body).toMatchObject({ allowed: true, asks: 'never' });
  });

  it('finds nothing that the caller cannot see', async () => {
    const { id } = await make({ workspace_id: workspace, name: 'Unseen', model: 'gpt-4o' });
    expect((await probe({ agent_id: id }, token)).status).toBe(404);
    expect((await probe({ agent: {} }, await api.foreignOwner())).status).toBe(404);
    expect((await probe({ agent_id: id, notebook_id: await notebookOf(elsewhere, 'Far') })).status).toBe(404);
    expect((await probe({})).status).toBe(400);
    expect((await probe({ agent_id: id, agent: {} })).status).toBe(400);
    expect((await api.call('POST', '/agents/probe', { token: null, body: {} })).status).toBe(401);
  });
});
