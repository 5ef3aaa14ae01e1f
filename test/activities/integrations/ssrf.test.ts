import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Guarded, guardedRequest } from '../../../activities/integrations/guarded-request.ts';
import { createProviders } from '../../../activities/models/index.ts';
import type { Resolve } from '../../../activities/public-lookup.ts';
import type { Failure } from '../../../domain/failures.ts';
import { parseModel } from '../../../domain/model.ts';
import { isPrivateHost, isPrivateIp } from '../../../domain/private-address.ts';
import { haveOwnAddresses } from '../../own-addresses.ts';

haveOwnAddresses('8.8.4.4', '2001:4860:4860::8844');

/** Something in the network around us that nobody outside should reach; it counts who does. */
let hits: string[] = [];
const inside = http.createServer((request, response) => {
  hits.push(request.url ?? '');
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  const to = searchParams.get('to');
  if (pathname === '/to' && to) response.writeHead(Number(searchParams.get('status') ?? 302), { location: to }).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end('{"secret": "inside"}');
});
let port: number;
beforeAll(async () => {
  inside.listen(0, '127.0.0.1');
  await once(inside, 'listening');
  port = (inside.address() as AddressInfo).port;
});
afterAll(() => {
  inside.closeAllConnections();
  inside.close();
});
beforeEach(() => {
  hits = [];
});

const nowhere: Resolve = (_host, _options, callback) =>
  callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
const leadingTo =
  (...addresses: string[]): Resolve =>
  (_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const ask = (url: string, more: Partial<Guarded> = {}) =>
  guardedRequest({
    method: 'GET',
    url: new URL(url),
    headers: {},
    body: null,
    max_response_bytes: 1_000,
    timeout_ms: 2_000,
    allow_private: false,
    signal: new AbortController().signal,
    resolve: nowhere,
    ...more,
  });
const refusal = async (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'answered',
    (error: Failure) => error.code,
  );

/** Loopback, link-local, private, shared, reserved and metadata addresses, however they are spelt. */
const HOSTS = `
127.0.0.1 127.0.0.1. 127.1 127.0.1 127.255.255.254 2130706433 0x7f000001 0x7f.0.0.1 0x7f.1 0X7F.0x0.0x0.0x1 017700000001
0177.0.0.1 0177.0.0.01 00000177.0.0.1 0177.1 127.0.0.0x1 ①②⑦.⓪.⓪.① 127。0。0。1 １２７.０.０.１ 1２7.0.0.1 %31%32%37.0.0.1
0 0.0.0.0 0x0 00 [::] [::1] [0:0:0:0:0:0:0:1] [0000:0000::0001] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001]
[0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1]
[64:ff9b:1::a00:1] [2002:7f00:1::] [2002:a9fe:a9fe::1] [2001::7f00:1] [2001:0:0:0:0:0:0:1] [fe80::1] [febf::1] [fec0::1]
[fc00::1] [fd00:ec2::254] [fdff::1] [ff02::1] [100::1] [2001:db8::1] [5f00::1]
10.0.0.1 10.255.255.255 012.0.0.1 0xa.1 167772161 172.16.0.1 172.31.255.254 2886729729 192.168.0.1 192.168.1.254 3232235521 0xc0a80001
169.254.169.254 169.254.170.2 2852039166 0xa9fea9fe 0251.0376.0251.0376 0xa9.0xfe.0xa9.0xfe 169.254.43518 [::ffff:169.254.169.254]
[::ffff:a9fe:a9fe] 100.64.0.1 100.100.100.200 100.127.255.254 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1
168.63.129.16 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
localhost LOCALHOST localhost. loc%61lhost LocalHost.localdomain foo.localhost foo.localhost. printer.local metadata.google.internal
metadata.google.internal. instance-data.ec2.internal intranet router.lan nas.home.arpa metadata ⓛⓞⓒⓐⓛⓗⓞⓢⓣ
`
  .split(/\s+/)
  .filter(Boolean);

describe('[7] an integration never reaches', () => {
  it.each(HOSTS)('%s', async (host) => {
    // With the port of what is inside: what got through would be answered.
    const url = `http://${host}:${port}/`;
    expect([url, await refusal(ask(url)), hits]).toEqual([url, 'address_refused', []]);
  });

  it('what hides behind a user, a backslash, or a fragment', async () => {
    for (const url of [
      `http://example.org@127.0.0.1:${port}/`,
      `http://example.org%2f@127.0.0.1:${port}/`,
      `http://127.0.0.1:${port}\\@example.org/`,
      `http://example.org:80@127.0.0.1:${port}/`,
      `http:127.0.0.1:${port}/`,
      `http:/\\127.0.0.1:${port}/`,
    ]) {
      expect([url, await refusal(ask(url))]).toEqual([url, 'address_refused']);
    }
    expect(hits).toEqual([]);
  });

  it.each([
    ['one private address', ['127.0.0.1']],
    ['one in other clothes', ['::ffff:127.0.0.1']],
    ['a metadata address', ['169.254.169.254']],
    ['a private one among public ones', ['93.184.215.14', '10.0.0.1']],
    ['a link-local one with a zone', ['fe80::1%eth0']],
    ['nothing that can be read', ['not an address']],
    ['nothing at all', []],
  ])('a name that leads to %s', async (_what, addresses) => {
    const url = `http://innocent.example.org:${port}/`;
    expect(await refusal(ask(url, { resolve: leadingTo(...addresses) }))).toBe('address_refused');
    expect(hits).toEqual([]);
  });

  describe('this machine by its public addresses', () => {
    const ADDRESSES = ['8.8.4.4', '::ffff:8.8.4.4', '::ffff:808:404', '2001:4860:4860::8844'];

    it.each([...ADDRESSES, '2001:4860:4860:0:0:0:0:8844'])('which a name leads to: %s', async (address) => {
      const url = `http://innocent.example.org:${port}/`;
      const among = leadingTo('93.184.215.14', address);
      expect(await refusal(ask(url, { resolve: leadingTo(address) }))).toBe('address_refused');
      expect(await refusal(ask(url, { resolve: among }))).toBe('address_refused');
    });

    it.each([...ADDRESSES, '134743044', '0x8080404'])('as it is written: %s', async (address) => {
      const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}/`;
      expect(await refusal(ask(url))).toBe('address_refused');
      const provider = createProviders({})(parseModel('openai-compatible/m'), { api_key: 'k', api_base: url });
      const call = provider.streamStep(
        { model: 'm', messages: [{ role: 'user', content: 'x' }], tools: [], max_tokens: 10 },
        { signal: new AbortController().signal, idleMs: 5_000 },
      );
      await expect(call).rejects.toThrow('private network');
    });
  });

  it('a name that is rebound between two looks: it is looked up once, and what was looked at is connected to', async () => {
    let looks = 0;
    // Given up once it has looked: nothing of a test leaves this machine.
    const given = new AbortController();
    const rebinding: Resolve = (host, options, callback) => {
      looks += 1;
      if (looks === 1) given.abort();
      leadingTo(looks === 1 ? '93.184.215.14' : '127.0.0.1')(host, options, callback);
    };
    const url = `http://rebind.example.org:${port}/`;
    expect(await refusal(ask(url, { resolve: rebinding, signal: given.signal }))).toBe('ABORT_ERR');
    expect([looks, hits]).toEqual([1, []]);
    expect(await refusal(ask(url, { resolve: rebinding }))).toBe('address_refused');
    expect([looks, hits]).toEqual([2, []]);
  });
});

describe('[7] a redirect', () => {
  const allowed = { allow_private: true, resolve: leadingTo('127.0.0.1') };
  const from = (to: string, status = 302) =>
    `http://registered.example.org:${port}/to?status=${status}&to=${encodeURIComponent(to)}`;

  it.each([301, 302, 303, 307, 308])(
    'with %d to another place is refused, though that may be reached',
    async (status) => {
      for (const to of [
        `http://127.0.0.1:${port}/secret`,
        `http://localhost:${port}/secret`,
        'http://169.254.169.254/latest/meta-data/',
        `https://registered.example.org:${port}/secret`,
        `//other.example.org:${port}/secret`,
        'file:///etc/passwd',
        'gopher://127.0.0.1:25/',
        'http://[::1',
      ]) {
        expect([to, await refusal(ask(from(to, status), allowed))]).toEqual([to, 'address_refused']);
      }
      expect(hits.filter((path) => path.includes('/secret') && !path.startsWith('/to'))).toEqual([]);
    },
  );

  it('within the same place is followed, looked up anew, and not for ever', async () => {
    expect(await ask(from('/there'), allowed)).toMatchObject({ status: 200, text: '{"secret": "inside"}' });
    let looks = 0;
    const moving: Resolve = (host, options, callback) =>
      leadingTo(++looks === 1 ? '127.0.0.1' : '127.0.0.2')(host, options, callback);
    // Nobody listens at the second address: it is what the second look said that is connected to.
    const moved = await refusal(ask(from('/there'), { allow_private: true, resolve: moving }));
    expect([looks, moved]).toEqual([2, 'integration_failed']);
    let loop = '/end';
    for (let n = 0; n < 5; n++) loop = `/to?to=${encodeURIComponent(loop)}`;
    expect(await refusal(ask(`http://registered.example.org:${port}${loop}`, allowed))).toBe('address_refused');
  });

  it('is never followed by what changes something', async () => {
    expect(await refusal(ask(from('/there'), { ...allowed, method: 'POST', body: '{}' }))).toBe('address_refused');
  });
});

it('[7] every address that is not plainly public counts as private; public ones do not', () => {
  for (const ip of ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '::ffff:8.8.8.8', '93.184.215.14'])
    expect([ip, isPrivateIp(ip)]).toEqual([ip, false]);
  for (const host of ['api.example.org', 'example.org.', 'xn--bcher-kva.example', '[2606:4700::1111]'])
    expect([host, isPrivateHost(host)]).toEqual([host, false]);
});
