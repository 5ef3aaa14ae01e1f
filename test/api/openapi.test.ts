import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Api, startApi } from './running-api.ts';

let api: Api;
let document: Answer['body'];
beforeAll(async () => {
  api = await startApi();
  document = (await api.call('GET', '/openapi.json', { token: null })).body;
});
afterAll(() => api.stop());

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string }[];
  requestBody?: unknown;
  responses: Record<string, unknown>;
  security?: unknown[];
}
const operations = (): [string, Operation][] =>
  Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : refsIn(inner),
  );
}

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 with every operation under an id of its own', () => {
    expect(document.openapi).toBe('3.1.0');
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(20);
  });

  it('has every route of the contract', () => {
    const named = operations().map(([name]) => name);
    for (const wanted of [
      'post /auth/sign-in',
      'post /auth/link',
      'get /me',
      'put /me/password',
      'post /api-keys',
      'get /api-keys',
      'delete /api-keys/{id}',
      'post /workspaces',
      'get /workspaces',
      'post /notebooks',
      'get /notebooks',
      'get /notebooks/{id}',
      'post /agents',
      'get /agents',
      'get /agents/{id}',
      'get /models',
      'post /runs',
      'get /runs',
      'get /runs/{id}',
      'get /runs/{id}/steps',
      'get /runs/{id}/events',
      'post /runs/{id}/cancel',
      'post /runs/{id}/confirm',
      'post /runs/{id}/answer',
      'post /runs/{id}/message',
      'get /inbox',
    ]) {
      expect(named).toContain(wanted);
    }
  });

  it('has nothing that is not there: every operation asks for a token or for better input', async () => {
    for (const [name, operation] of operations()) {
      const [method = '', path = ''] = name.split(' ');
      const isHook = path.startsWith('/hooks/');
      const ask = isHook ? api.send : api.call;
      const { status } = await ask(method.toUpperCase(), path.replace(/\{\w+\}/g, 'x'), { token: null });
      // Where no source is, nobody is told what one would want.
      expect([name, status]).toEqual([name, isHook ? 404 : operation.security ? 400 : 401]);
    }
  });

  it('has the address of webhooks, with the headers that stand for a token', () => {
    const { post } = document.paths['/hooks/{source}'];
    expect(post).toMatchObject({ servers: [{ url: '/' }], security: [], tags: ['Events'] });
    const headers = post.parameters.filter((one: { in: string }) => one.in === 'header');
    expect(headers.map((one: { name: string; required: boolean }) => [one.name, one.required])).toEqual([
      ['x-longhaul-timestamp', true],
      ['x-longhaul-signature', true],
      ['x-longhaul-delivery', false],
    ]);
    expect(Object.keys(post.responses)).toEqual(['202', 'default']);
  });

  it('refers only to schemas that it has', () => {
    const refs = refsIn(document);
    expect(refs.length).toBeGreaterThan(50);
    const names = new Set(Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`));
    expect(refs.filter((ref) => !names.has(ref))).toEqual([]);
  });

  it('declares each parameter of a path, and what every operation answers', () => {
    for (const [name, { parameters = [], responses }] of operations()) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      expect([name, parameters.filter((one) => one.in === 'path').map((one) => one.name)]).toEqual([name, inPath]);
      expect(Object.keys(responses)).toContain('default');
      expect(Object.keys(responses).some((status) => status.startsWith('2'))).toBe(true);
    }
  });

  it('has shared shapes under their names, with defaults in what is sent and open ends in what is answered', () => {
    const { Agent, Run, NewAgent } = document.components.schemas;
    expect(Agent.required).toContain('slug');
    expect(Agent.additionalProperties).toBeUndefined();
    expect(Run.properties.status).toEqual({ $ref: '#/components/schemas/RunStatus' });
    expect(NewAgent.required.sort()).toEqual(['model', 'name']);
    expect(NewAgent.additionalProperties).toBe(false);
    expect(NewAgent.properties.max_iterations.default).toBe(50);
    expect(document.components.schemas.NewRun.required).toEqual(['input']);
  });
});

describe('the reference page', () => {
  it('shows every operation with an example, and loads nothing from anywhere', async () => {
    const { status, headers, body: page } = await api.send('GET', '/docs', { token: null });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const [, { operationId }] of operations()) expect(page).toContain(`<section id="${operationId}">`);
    expect(page.match(/curl /g).length).toBe(operations().length);
    expect(page).not.toMatch(/<script|src=|https?:/);
    for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${anchor}"`);
  });
});
