import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type Call, startApi } from './running-api.ts';

interface Person {
  token: string;
  user_id: string;
}

let api: Api;
let workspace: string;
let [admin, ana, ben]: Person[] = [];
beforeAll(async () => {
  api = await startApi();
  workspace = await api.workspace();
  admin = await api.member(workspace, 'admin');
  ana = await api.member(workspace, 'write');
  ben = await api.member(workspace, 'write');
});
afterAll(() => api.stop());

const as = (person: Person | undefined, more: Call = {}): Call => ({ ...more, token: person?.token ?? null });
const versions = (id: string, by: Person | undefined, more = '') =>
  api.call('GET', `/agents/definitions/${id}/versions${more}`, as(by));
const rollback = (id: string, n: number, by: Person | undefined, headers = {}) =>
  api.call('POST', `/agents/definitions/${id}/versions/${n}/rollback`, as(by, { headers }));

const BODIES: Record<string, { fresh: object; change: object; diff: object[]; changes: string }> = {
  agents: {
    fresh: { name: 'Versioned', model: 'demo/longhaul-demo', system_prompt: 'Be brief.', scope: { notebooks: ['*'] } },
    change: { system_prompt: 'Be long.', scope: { notebooks: ['*'], folders: ['/a'] } },
    diff: [
      { path: 'system_prompt', change: 'changed', before: 'Be brief.', after: 'Be long.' },
      { path: 'scope.folders', change: 'added', before: null, after: ['/a'] },
    ],
    changes: 'Changed system_prompt, scope',
  },
  'agents/tools': {
    fresh: { name: 'versioned', entrypoint: 'builtin:read_file', scopes: ['a'] },
    change: {
      scopes: ['a', 'b'],
      schema: { input: { type: 'object', properties: { path: { $ref: '#/$defs/p' } }, $defs: { p: {} } } },
    },
    diff: [
      {
        path: 'schema.input.properties.path',
        change: 'added',
        before: null,
        after: { $ref: '#/$defs/p' },
      },
      { path: 'schema.input.$defs', change: 'added', before: null, after: { p: {} } },
      { path: 'scopes', change: 'changed', before: ['a'], after: ['a', 'b'] },
    ],
    changes: 'Changed schema, scopes',
  },
  'agents/workflows': {
    fresh: { name: 'Versioned', steps: [{ id: 'a', type: 'wait', duration: 1 }] },
    change: { steps: [{ id: 'a', type: 'wait', duration: 2 }] },
    diff: [
      {
        path: 'steps',
        change: 'changed',
        before: [{ id: 'a', type: 'wait', duration: 1 }],
        after: [{ id: 'a', type: 'wait', duration: 2 }],
      },
    ],
    changes: 'Changed steps',
  },
  'agents/evals': {
    fresh: { name: 'Versioned', config: { criteria: 'Tone' } },
    change: { config: { criteria: 'Tone', pass_threshold: 0.9 } },
    diff: [{ path: 'config.pass_threshold', change: 'changed', before: 0.7, after: 0.9 }],
    changes: 'Changed config',
  },
};

describe.each(Object.entries(BODIES))(
  'REQ-016 the history of what lies at /%s',
  (path, { fresh, change, diff, changes }) => {
    it('has every version with who changed what, what it was then, the difference, and a way back', async () => {
      const made = await api.call('POST', `/${path}`, as(ana, { body: { workspace_id: workspace, ...fresh } }));
      expect([made.status, made.body.message]).toEqual([201, undefined]);
      const { id } = made.body;
      const second = (await api.call('PUT', `/${path}/${id}`, as(ana, { body: change }))).body;
      expect(second.version).toBe(2);

      const { status, body } = await versions(id, ana);
      expect(status).toBe(200);
      expect(body).toMatchObject({ definition_id: id, next_cursor: null });
      expect(body.agent_id).toBe(path === 'agents' ? id : undefined);
      expect(body.versions).toEqual([
        {
          version: 2,
          changes,
          updated_by: ana?.user_id,
          updated_by_name: expect.any(String),
          updated_at: second.updated_at,
        },
        expect.objectContaining({ version: 1, changes: 'Initial creation', updated_by: ana?.user_id }),
      ]);
      const [page, rest] = [await versions(id, ana, '?limit=1'), await versions(id, ana, '?limit=1&cursor=2')];
      expect([page.body.next_cursor, page.body.versions[0].version]).toEqual(['2', 2]);
      expect([rest.body.next_cursor, rest.body.versions[0].changes]).toEqual([null, 'Initial creation']);

      const first = await versions(id, ana, '/1');
      expect(first.body).toMatchObject({ version: 1, definition: fresh });
      expect((await versions(id, ana, '/7')).status).toBe(404);
      const told = (await versions(id, ana, '/1/diff/2')).body;
      expect(told).toMatchObject({ from: 1, to: 2 });
      const byPath = (a: { path: string }, b: { path: string }) => a.path.localeCompare(b.path);
      expect(told.changes.sort(byPath)).toEqual((diff as { path: string }[]).toSorted(byPath));
      expect((await versions(id, ana, '/2/diff/2')).body.changes).toEqual([]);

      expect((await rollback(id, 1, ana, { 'if-match': '"1"' })).status).toBe(412);
      const back = await rollback(id, 1, ana, { 'if-match': '"2"' });
      expect([back.status, back.body.version, back.body.changes]).toEqual([200, 3, 'Rolled back to version 1']);
      expect((await versions(id, ana, '/1/diff/3')).body.changes).toEqual([]);
      const now = (await api.call('GET', `/${path}/${id}`, as(ana))).body;
      expect(now).toMatchObject({ ...fresh, version: 3 });
      expect((await versions(id, ana)).body.versions.map((one: { version: number }) => one.version)).toEqual([3, 2, 1]);
      expect((await rollback(id, 9, ana)).status).toBe(404);
    });

    it('is for who may see it, and the way back for who may change it', async () => {
      const body = { workspace_id: workspace, ...fresh, name: `shared_${path.length}` };
      const { id } = (await api.call('POST', `/${path}`, as(admin, { body }))).body;
      const hidden = path === 'agents';
      expect((await versions(id, ben)).status).toBe(hidden ? 404 : 200);
      expect((await rollback(id, 1, ben)).status).toBe(hidden ? 404 : 403);
      const stranger = { token: await api.foreignOwner() };
      for (const more of ['', '/1', '/1/diff/1']) {
        expect((await api.call('GET', `/agents/definitions/${id}/versions${more}`, stranger)).status).toBe(404);
      }
      expect((await api.call('GET', `/agents/definitions/${id}/versions`, { token: null })).status).toBe(401);
    });
  },
);

it('REQ-016 a tool that comes with the product has one version, and no way back', async () => {
  const [tool] = (await api.call('GET', '/agents/tools?is_builtin=true', as(ana))).body.items;
  expect((await versions(tool.id, ana)).body.versions).toHaveLength(1);
  expect((await versions(tool.id, ana, '/1')).body.definition.name).toBe(tool.name);
  expect((await rollback(tool.id, 1, admin)).status).toBe(403);
});
