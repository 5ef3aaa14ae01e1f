import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { route } from '../../api/route.ts';
import { type Answer, type Api, type Call, startApi } from './running-api.ts';

let api: Api;
let handled = 0;
const echo = route({
  method: 'post',
  path: '/echo/:id',
  tag: 'Test',
  summary: 'Counts how often a handler was reached',
  params: z.strictObject({ id: z.string() }),
  query: z.strictObject({ limit: z.coerce.number().int().max(5).optional() }),
  body: z.strictObject({
    text: z.string().max(10),
    deep: z.unknown().optional(),
    inner: z.strictObject({ n: z.int() }).optional(),
  }),
  replies: { 200: z.object({ text: z.string() }) },
  handler: async ({ body }) => {
    handled += 1;
    return { status: 200, body: { text: body.text } };
  },
});
const broken = route({
  method: 'get',
  path: '/broken',
  tag: 'Test',
  summary: 'Fails in a way nobody foresaw',
  replies: { 200: z.object({}) },
  handler: async () => {
    throw new Error('the password is swordfish');
  },
});
const talkative = route({
  method: 'get',
  path: '/talkative',
  tag: 'Test',
  summary: 'Answers more than it says it does',
  replies: { 200: z.object({ id: z.string() }) },
  handler: async () => {
    const body = { id: 'x', password_hash: 'y' };
    return { status: 200, body };
  },
});

beforeAll(async () => {
  api = await startApi({ extraRoutes: [echo, broken, talkative] });
});
afterAll(() => api.stop());

const post = (more: Call, path = '/echo/x') => api.call('POST', path, more);
const nested = (depth: number): string => `${'{"deep":'.repeat(depth)}1${'}'.repeat(depth)}`;

const fieldsOf = ({ body }: Answer) => Object.keys(body.details.fields ?? {});

describe('bad input is told what is wrong with it, and reaches no handler', () => {
  const cases: [string, () => Promise<Answer>, number, string, string[]?][] = [
    ['bad JSON', () => post({ body: '{"text":' }), 400, 'invalid_json'],
    ['JSON that is a bare value', () => post({ body: '"text"' }), 400, 'invalid_json'],
    ['JSON that is a list', () => post({ body: '[]' }), 400, 'invalid_request', ['body']],
    ['no body', () => post({}), 400, 'invalid_request', ['text']],
    ['a wrong type', () => post({ body: { text: 1 } }), 400, 'invalid_request', ['text']],
    ['an unknown field', () => post({ body: { text: 'a', more: 1 } }), 400, 'invalid_request', ['more']],
    [
      'an inner unknown field',
      () => post({ body: { text: 'a', inner: { n: 1, m: 2 } } }),
      400,
      'invalid_request',
      ['inner.m'],
    ],
    [
      'an inner wrong type',
      () => post({ body: { text: 'a', inner: { n: 1.5 } } }),
      400,
      'invalid_request',
      ['inner.n'],
    ],
    [
      'a field named __proto__',
      () => post({ body: '{"text":"a","__proto__":{"admin":true}}' }),
      400,
      'invalid_request',
      ['__proto__'],
    ],
    [
      'several mistakes at once',
      () => post({ body: { inner: 1, more: 2 } }),
      400,
      'invalid_request',
      ['text', 'inner', 'more'],
    ],
    [
      'an unknown query field',
      () => post({ body: { text: 'a' } }, '/echo/x?colour=red'),
      400,
      'invalid_request',
      ['colour'],
    ],
    [
      'a query field out of bounds',
      () => post({ body: { text: 'a' } }, '/echo/x?limit=9'),
      400,
      'invalid_request',
      ['limit'],
    ],
    [
      'a query field given twice',
      () => post({ body: { text: 'a' } }, '/echo/x?limit=1&limit=2'),
      400,
      'invalid_request',
      ['limit'],
    ],
    ['a path that is not encoded well', () => post({ body: { text: 'a' } }, '/echo/%E0%A4%A'), 400, 'invalid_request'],
    ['a body nested too deep', () => post({ body: nested(500) }), 400, 'invalid_request'],
    ['a body over 1 MB', () => post({ body: { text: 'a'.repeat(1_100_000) } }), 413, 'too_large'],
    ['a body far over 1 MB', () => post({ body: { text: 'a'.repeat(8_000_000) } }), 413, 'too_large'],
    [
      'another content type',
      () => post({ body: 'text=a', headers: { 'content-type': 'text/plain' } }),
      415,
      'unsupported_media_type',
    ],
    [
      'no content type',
      () => post({ body: '{"text":"a"}', headers: { 'content-type': '' } }),
      415,
      'unsupported_media_type',
    ],
    [
      'an unknown charset',
      () => post({ body: '{}', headers: { 'content-type': 'application/json; charset=x-no' } }),
      415,
      'unsupported_media_type',
    ],
    [
      'an unknown encoding',
      () => post({ body: '{}', headers: { 'content-encoding': 'x-no' } }),
      415,
      'unsupported_media_type',
    ],
    [
      'a malformed Idempotency-Key',
      () => post({ body: { text: 'a' }, headers: { 'idempotency-key': 'a b' } }),
      400,
      'invalid_request',
      ['Idempotency-Key'],
    ],
    ['an unknown path', () => api.call('GET', '/nothing-here'), 404, 'not_found'],
    ['an unknown path outside the API', () => api.send('POST', '/nothing-here'), 404, 'not_found'],
    ['a method that is not possible', () => api.call('PUT', '/echo/x'), 405, 'method_not_allowed'],
    ['a cursor of somebody else', () => api.call('GET', '/agents?cursor=eHh4'), 400, 'invalid_request'],
    [
      'an id of another kind',
      () => api.call('GET', '/agents/ws_00000000000000000000000000'),
      400,
      'invalid_request',
      ['id'],
    ],
    ['an id with an operator in it', () => api.call('GET', '/agents?workspace_id[$ne]=x'), 400, 'invalid_request'],
  ];
  it.each(cases)('%s', async (_what, act, status, error, fields) => {
    const before = handled;
    const answer = await act();
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(Object.keys(answer.body).sort()).toEqual(['details', 'error', 'message', 'request_id']);
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
    if (fields) expect(fieldsOf(answer).sort()).toEqual(fields.sort());
    expect(handled).toBe(before);
  });

  it('the Allow header names what is possible', async () => {
    expect((await api.call('PUT', '/agents')).headers.get('allow')).toBe('POST, GET');
  });
});

describe('good input that looks odd', () => {
  it.each([
    [
      'an empty body where none is needed',
      () => api.call('DELETE', '/api-keys/key_00000000000000000000000000', { body: '{}' }),
      404,
    ],
    ['nesting that fits', () => post({ body: `{"text":"a","deep":${nested(40)}}` }), 200],
    [
      'text beyond ASCII, and half a surrogate',
      () => api.call('POST', '/workspaces', { body: '{"name":"Größe \\ud83d\\ude80 \\ud800"}' }),
      201,
    ],
    [
      'a charset that is spelled out',
      () => post({ body: '{"text":"a"}', headers: { 'content-type': 'application/json; charset=utf-8' } }),
      200,
    ],
  ])('%s', async (_what, act, status) => {
    expect((await act()).status).toBe(status);
  });
});

it('a fault of ours tells nothing of the inside', async () => {
  const answer = await api.call('GET', '/broken');
  expect([answer.status, answer.body.error, answer.body.details]).toEqual([500, 'internal', {}]);
  expect(JSON.stringify(answer.body)).not.toContain('swordfish');
});

it('in tests, a reply with a field that is not documented is a fault', async () => {
  expect((await api.call('GET', '/talkative')).status).toBe(500);
});

it('nobody without a token learns whether input would be good', async () => {
  expect((await post({ token: null, body: '{"text":' })).status).toBe(401);
});
