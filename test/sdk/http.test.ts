import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { ApiError } from '../../sdk/api-error.ts';
import { createClient, everyItem } from '../../sdk/client.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Answers the first request with the first handler and so on; the last one answers all that follow. */
async function serve(...handlers: Handler[]): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    (handlers[requests.length - 1] ?? handlers.at(-1))?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const reply =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const cut: Handler = (_request, response) => response.destroy();

const failing = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => expect.fail('it should have failed'),
    (error: ApiError) => error,
  );

test('a refusal is an ApiError with code, status, message, details and request id', async () => {
  const body = { error: 'not_found', message: 'There is no run.', details: { id: 'x' }, request_id: 'req_1' };
  const { url } = await serve(reply(404, body));
  const error = await failing(createClient({ url, apiKey: 'k' }).runs.get('x'));
  expect(error).toMatchObject({ name: 'ApiError', code: 'not_found', status: 404, message: 'There is no run.' });
  expect(error).toMatchObject({ details: { id: 'x' }, request_id: 'req_1' });
});

test('what stands in between may answer in its own words', async () => {
  const { url } = await serve(reply(413, '<h1>Too large</h1>', { 'x-request-id': 'edge-1' }));
  const error = await failing(createClient({ url, apiKey: 'k' }).me());
  expect(error).toMatchObject({ code: 'http_413', status: 413, request_id: 'edge-1', details: {} });
});

test('an address that answers with something else is said to be the wrong one', async () => {
  const { url } = await serve(reply(200, '<!doctype html>'));
  const error = await failing(createClient({ url, apiKey: 'k' }).me());
  expect(error.code).toBe('not_an_api');
});

test('a server that is away for a moment is waited for, and a write carries the same key at every try', async () => {
  const busy = { error: 'unavailable', message: 'Not yet.', details: {}, request_id: 'r' };
  const { url, requests } = await serve(cut, reply(503, busy), reply(202, { id: 'run_1', status: 'queued' }));
  const started = await createClient({ url, apiKey: 'k' }).runs.start({ agent: 'a', input: 'x' });
  expect(started).toEqual({ id: 'run_1', status: 'queued' });
  const keys = requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
});

test('a refusal is not tried again', async () => {
  const { url, requests } = await serve(
    reply(409, { error: 'not_pending', message: 'Answered already.', details: {}, request_id: 'r' }),
  );
  const client = createClient({ url, apiKey: 'k' });
  const error = await failing(client.runs.confirm('run_1', { action_id: 'a', confirmed: true }));
  expect(error.code).toBe('not_pending');
  expect(requests).toHaveLength(1);
});

test('without patience a server that is not there is told at once', async () => {
  const error = await failing(createClient({ url: 'http://127.0.0.1:1', apiKey: 'k', patienceMs: 0 }).me());
  expect(error).toMatchObject({ code: 'unreachable', status: 0, request_id: null });
});

test('token and key are sent as bearer, queries without what is not given', async () => {
  const { url, requests } = await serve(reply(200, { items: [], next_cursor: null }));
  await createClient({ url: `${url}/`, token: 'jwt' }).runs.list({ status: ['queued', 'running'], limit: 5 });
  expect(requests[0]?.headers.authorization).toBe('Bearer jwt');
  expect(requests[0]?.url).toBe('/api/v1/runs?limit=5&status=queued%2Crunning');
});

test('every item of a list is read page by page', async () => {
  const { url, requests } = await serve(
    reply(200, { items: [{ id: 1 }, { id: 2 }], next_cursor: 'c' }),
    reply(200, { items: [{ id: 3 }], next_cursor: null }),
  );
  const client = createClient({ url, apiKey: 'k' });
  const ids: unknown[] = [];
  for await (const { id } of everyItem((cursor) => client.agents.list(cursor ? { cursor } : {}))) ids.push(id);
  expect(ids).toEqual([1, 2, 3]);
  expect(requests[1]?.url).toBe('/api/v1/agents?cursor=c');
});

test('a reader of a run that does not exist is told so instead of waiting', async () => {
  const body = { error: 'not_found', message: 'There is no run.', details: {}, request_id: 'req_1' };
  const { url } = await serve(reply(404, body));
  const error = await failing(createClient({ url, apiKey: 'k' }).runs.events('run_1').next());
  expect(error.code).toBe('not_found');
});
