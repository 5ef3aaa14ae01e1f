import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from './running-api.ts';

let api: Api;
let webDir: string;
let isReady = true;
const lines: string[] = [];
beforeAll(async () => {
  webDir = await mkdtemp(join(tmpdir(), 'longhaul-web-'));
  await mkdir(join(webDir, 'assets'));
  await writeFile(join(webDir, 'index.html'), '<!doctype html><title>Longhaul</title>');
  await writeFile(join(webDir, 'assets', 'main-abc123.js'), 'export {};');
  await writeFile(join(webDir, 'assets', 'large-abc123.js'), 'export const as = "it is";');
  await writeFile(join(webDir, 'assets', 'large-abc123.js.br'), brotliCompressSync('export const as = "br";'));
  await writeFile(join(webDir, 'assets', 'large-abc123.js.gz'), gzipSync('export const as = "gzip";'));
  await writeFile(join(webDir, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  api = await startApi({
    webDir,
    logger: pino({ level: 'debug' }, stream),
    readiness: async () => ({ mongodb: true, temporal: isReady }),
  });
});
afterAll(async () => {
  await api.stop();
  await rm(webDir, { recursive: true });
});

const get = (path: string, headers = {}) => api.send('GET', path, { token: null, headers });

describe('every answer', () => {
  it.each(['/', '/docs', '/healthz', '/api/v1/me', '/api/v1/nothing', '/assets/main-abc123.js'])(
    'at %s carries the security headers',
    async (path) => {
      const { headers } = await get(path);
      expect(headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('access-control-allow-origin')).toBeNull();
    },
  );

  it('carries a request id, the one that was given where it is a sane one', async () => {
    expect((await get('/healthz')).headers.get('x-request-id')).toMatch(/^req_/);
    expect((await get('/healthz', { 'x-request-id': 'trace-1.a:b' })).headers.get('x-request-id')).toBe('trace-1.a:b');
    expect((await get('/healthz', { 'x-request-id': 'a b;<c>' })).headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('of the API is never kept by a cache', async () => {
    expect((await api.call('GET', '/me')).headers.get('cache-control')).toBe('no-store');
  });

  it('is given to pages of this origin only', async () => {
    const response = await fetch(`${api.url}/api/v1/me`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('health', () => {
  it('is alive as long as it answers', async () => {
    expect((await get('/healthz')).status).toBe(200);
  });

  it('is ready while its engines are', async () => {
    expect(await get('/readyz')).toMatchObject({ status: 200, body: { ready: true } });
    isReady = false;
    expect(await get('/readyz')).toMatchObject({ status: 503, body: { ready: false, checks: { temporal: false } } });
    isReady = true;
  });

  it('counts requests by route and not by id', async () => {
    await api.call('GET', '/agents/agt_00000000000000000000000000');
    const { body, headers } = await get('/metrics');
    expect(headers.get('content-type')).toContain('version=0.0.4');
    expect(body).toMatch(/^http_requests_total\{method="GET",route="\/agents\/:id",status="404"\} 1$/m);
    expect(body).toMatch(/^http_request_duration_seconds_bucket\{method="GET",route="\/agents\/:id",le="\+Inf"\} 1$/m);
    expect(body).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(body).not.toContain('agt_0000');
  });
});

describe('the web app', () => {
  it('is served at every path that is nothing else, and asked for anew each time', async () => {
    for (const path of ['/', '/runs/run_1', '/sign-in']) {
      const { status, headers, body } = await get(path);
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect(body).toContain('<title>Longhaul</title>');
    }
  });

  it('has assets that may be kept for ever, and misses that are misses', async () => {
    const asset = await get('/assets/main-abc123.js');
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect((await get('/assets/gone.js')).status).toBe(404);
    expect((await get('/api/v2/anything')).status).toBe(404);
    expect((await get('/favicon.svg')).headers.get('content-type')).toContain('svg');
  });

  it('has assets that are sent as packed as the browser takes them, under their own type', async () => {
    const cases = [
      ['gzip, deflate, br, zstd', 'br', 'br'],
      ['gzip', 'gzip', 'gzip'],
      ['identity', null, 'it is'],
      ['br;q=0, gzip;q=0', null, 'it is'],
    ];
    for (const [accepted, encoding, text] of cases) {
      const { headers, body } = await get('/assets/large-abc123.js', { 'accept-encoding': accepted });
      expect([headers.get('content-encoding'), body]).toEqual([encoding, `export const as = "${text}";`]);
      expect(headers.get('content-type')).toContain('javascript');
      expect(headers.get('vary')).toContain('Accept-Encoding');
    }
    await rm(join(webDir, 'assets', 'large-abc123.js.br'));
    const gone = await get('/assets/large-abc123.js', { 'accept-encoding': 'br' });
    expect([gone.status, gone.headers.get('content-encoding')]).toEqual([404, null]);
  });

  it('gives out nothing beside its own folder', async () => {
    for (const path of ['/..%2f..%2fetc%2fpasswd', '/assets/..%2f..%2f..%2fetc%2fpasswd', '/.env']) {
      const { body } = await get(path);
      expect(JSON.stringify(body)).not.toContain('root:');
    }
  });
});

it('the request log has who, what and how long, and neither tokens, queries nor bodies', async () => {
  await api.call('POST', '/api-keys?secret=in-the-query', { body: { name: 'said in the body' } });
  await api.call('GET', '/me');
  const log = lines.join('');
  const line = lines.map((text) => JSON.parse(text)).find(({ path }) => path === '/api/v1/me' && path);
  expect(line).toMatchObject({ method: 'GET', request_id: expect.any(String), ms: expect.any(Number) });
  expect(lines.some((text) => text.includes('"user_id":"usr_'))).toBe(true);
  for (const secret of [api.ownerKey, 'in-the-query', 'said in the body']) expect(log).not.toContain(secret);
});
