import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NetworkGate } from '../../activities/sandbox/network.ts';
import { haveOwnAddresses } from '../own-addresses.ts';

/** An address that anybody can reach, and this machine's all the same. */
const OWN = '8.8.4.4';
haveOwnAddresses(OWN);

/** A server that answers what a command's own server somewhere might. */
let strange: Server;
let port: number;
let answer = '';
let open = 0;
let gate: NetworkGate;
let way: string;

beforeAll(async () => {
  strange = createServer((socket) => {
    open += 1;
    socket.on('error', () => undefined);
    socket.once('close', () => {
      open -= 1;
    });
    socket.once('data', () => {
      if (answer !== '') socket.end(answer);
    });
  }).listen(0, '127.0.0.1');
  await once(strange, 'listening');
  const address = strange.address();
  port = typeof address === 'object' && address ? address.port : 0;
  gate = new NetworkGate([`127.0.0.1:${port}`]);
  const { shown } = await gate.wayOut();
  way = shown.find(([, inside]) => inside.endsWith('/out'))?.[0] ?? '';
});
afterAll(async () => {
  await gate.close();
  strange.close();
});

/** The first line of what the gate says to this. */
async function said(words: string): Promise<string> {
  const socket = connect(way);
  socket.write(words);
  const heard = await new Promise<string>((done) => {
    socket.once('data', (bytes: Buffer) => done(bytes.toString()));
    socket.once('close', () => done('closed'));
  });
  socket.destroy();
  return heard.split('\r\n')[0] ?? '';
}
const request = (line: string): Promise<string> => said(`${line} HTTP/1.1\r\nHost: x\r\n\r\n`);

describe('the gate outlasts whatever a command says to it', () => {
  it.each([
    ['CONNECT example.com:99999', 400],
    ['CONNECT example.com:123456', 403],
    ['CONNECT example.com', 403],
    ['CONNECT :80', 403],
    ['GET https://example.com/', 400],
    ['GET ftp://example.com/', 400],
    ['GET /etc/passwd', 400],
    ['GET file:///etc/passwd', 400],
  ])('%s', async (line, status) => {
    expect(await request(line)).toContain(` ${status} `);
  });

  it.each([
    ['a status that there is not', 'HTTP/1.1 000 \r\n\r\n'],
    ['another one', 'HTTP/1.1 099 x\r\n\r\n'],
    ['no HTTP at all', 'hello\r\n'],
  ])('and what a server answers: %s', async (_what, words) => {
    answer = words;
    expect(await request(`GET http://127.0.0.1:${port}/`)).toContain(' 502 ');
  });

  it('and leaves nothing open for who has gone', async () => {
    answer = '';
    for (const words of [
      `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\na`,
    ]) {
      const socket = connect(way);
      socket.write(words);
      await expect.poll(() => open).toBe(1);
      socket.destroy();
      await expect.poll(() => open).toBe(0);
    }
  });
});

describe('the gate leads to public addresses alone', () => {
  it.each([
    ...['127.0.0.1', '127.1', '2130706433', '0', '0.0.0.0', '169.254.169.254', '100.100.100.200', '168.63.129.16'],
    ...['10.0.0.1', '192.168.1.1.', 'localhost', 'localhost.', 'metadata.google.internal', '[::]', '[::1]'],
    ...['[::ffff:127.0.0.1]', '[::ffff:0:127.0.0.1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]'],
    ...['[2002:7f00:1::]', '[2001:0:7f00:1::]', '[fec0::1]', '[fe80::1%eth0]', '[fd00:ec2::254]', OWN],
  ])('not to %s', async (host) => {
    expect(await request(`CONNECT ${host}:80`)).toContain(' 403 ');
    expect(await request(`GET http://${host}:80/`)).toMatch(/ 40[03] /);
  });

  it('nor by a name that leads elsewhere', async () => {
    expect(await request('CONNECT 0x7f.0.0.1:80')).toContain(' 502 ');
  });
});
