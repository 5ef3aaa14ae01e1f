import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, pipeline } from 'node:stream';
import { isNearbyHost, lookUpPublic } from '../public-lookup.ts';

const INSIDE = '/run/longhaul';
const PORT = 3128;
const LAST_PORT = 65_535;
const REFUSAL = 'Only public addresses can be reached from here.';

/**
 * Runs in there as the first process: a port that the programs in there know as their proxy, passed on to the socket
 * that leads out. A command has no other way to the network, and so none to what listens on this machine.
 */
const FORWARDER = `
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
const [, , socket, port, program, ...args] = process.argv;
const server = createServer((from) => {
  const to = connect(socket);
  from.pipe(to).pipe(from);
  for (const end of [from, to]) end.on('error', () => { from.destroy(); to.destroy(); });
});
server.listen(Number(port), '127.0.0.1', () => {
  const child = spawn(program, args, { stdio: 'inherit' });
  child.on('error', (error) => { console.error(error.message); process.exit(127); });
  child.on('exit', (code, signal) => process.exit(signal ? 128 + 9 : code ?? 1));
});
`;

const FOLDER = 'lh-net-';

/** A socket that nobody listens on any more: its folder was left by a worker that was killed. */
const isDeaf = (socket: string): Promise<boolean> =>
  new Promise((done) => {
    const line = connect(socket);
    line.once('connect', () => {
      line.destroy();
      done(false);
    });
    line.once('error', (error: NodeJS.ErrnoException) => done(error.code === 'ECONNREFUSED'));
  });

async function sweep(): Promise<void> {
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith(FOLDER));
  for (const folder of left.map((name) => join(tmpdir(), name))) {
    if (await isDeaf(join(folder, 'out'))) await rm(folder, { recursive: true, force: true });
  }
}

export interface WayOut {
  env: Record<string, string>;
  shown: [string, string][];
  argv: (argv: readonly string[]) => string[];
}

/** Lets commands that were granted it reach public addresses, and those of the private ones that the operator names. */
export class NetworkGate {
  private opened: Promise<{ server: Server; folder: string }> | null = null;

  constructor(private readonly alsoAllowed: readonly string[]) {}

  async wayOut(): Promise<WayOut> {
    this.opened ??= this.open();
    const { folder } = await this.opened;
    const proxy = `http://127.0.0.1:${PORT}`;
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
    return {
      env: { ...Object.fromEntries(names.map((name) => [name, proxy])), NO_PROXY: 'localhost,127.0.0.1' },
      shown: [
        [process.execPath, `${INSIDE}/node`],
        [join(folder, 'forward.mjs'), `${INSIDE}/forward.mjs`],
        [join(folder, 'out'), `${INSIDE}/out`],
      ],
      argv: (argv) => [`${INSIDE}/node`, `${INSIDE}/forward.mjs`, `${INSIDE}/out`, String(PORT), ...argv],
    };
  }

  private async open(): Promise<{ server: Server; folder: string }> {
    await sweep().catch(() => undefined);
    // Short: the address of a socket has room for a hundred characters.
    const folder = mkdtempSync(join(tmpdir(), FOLDER));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'forward.mjs'), FORWARDER);
    const server = createServer((incoming, response) => this.pass(incoming, response));
    server.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.tunnel(incoming, socket, head),
    );
    await new Promise<void>((done, fail) => server.once('error', fail).listen(join(folder, 'out'), done));
    server.unref();
    return { server, folder };
  }

  private isNamed(host: string, port: number): boolean {
    return this.alsoAllowed.includes(host) || this.alsoAllowed.includes(`${host}:${port}`);
  }

  /** Null where it may not be reached; a name is judged again by what it leads to when the connection is made. */
  private lookup(host: string, port: number): { lookup?: LookupFunction } | null {
    if (this.isNamed(host, port)) return {};
    if (isNearbyHost(host)) return null;
    return { lookup: lookUpPublic };
  }

  private tunnel({ url = '' }: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refuse = (status: string, why = '') => socket.end(`HTTP/1.1 ${status}\r\n\r\n${why}`);
    socket.on('error', () => undefined);
    const [, host = '', port = ''] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(url) ?? [];
    if (Number(port) > LAST_PORT) return void refuse('400 Bad Request');
    const way = this.lookup(host, Number(port));
    if (!way) return void refuse('403 Forbidden', `${REFUSAL}\n`);
    const out: Socket = connect({ host, port: Number(port), ...way });
    out.once('error', () => refuse('502 Bad Gateway'));
    out.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      out.write(head);
      // Either end takes the other with it: what a command leaves open must not stay open out here.
      pipeline(out, socket, out, () => undefined);
    });
    socket.once('close', () => out.destroy());
  }

  private pass(incoming: IncomingMessage, response: ServerResponse): void {
    const refuse = (status: number, why: string) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(status).end(`${why}\n`);
    };
    try {
      const url = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : null;
      if (url?.protocol !== 'http:') return void refuse(400, 'This is a proxy for http:// addresses, and for CONNECT.');
      const way = this.lookup(url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || 80));
      if (!way) return void refuse(403, REFUSAL);
      this.forward(url, way, incoming, response, () => refuse(502, 'It did not answer.'));
    } catch {
      // What a command or a server far away sends may be anything, and must not end the worker.
      refuse(400, 'This cannot be passed on.');
    }
  }

  private forward(
    url: URL,
    way: { lookup?: LookupFunction },
    incoming: IncomingMessage,
    response: ServerResponse,
    failed: () => void,
  ): void {
    const { 'proxy-connection': _, ...headers } = incoming.headers;
    const out = request(url, { method: incoming.method, headers, ...way }, (reply) => {
      try {
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        pipeline(reply, response, () => undefined);
      } catch {
        reply.destroy();
        failed();
      }
    });
    out.on('error', failed);
    response.once('close', () => out.destroy());
    incoming.pipe(out);
  }

  async close(): Promise<void> {
    const opened = await this.opened;
    if (!opened) return;
    opened.server.closeAllConnections();
    await new Promise((done) => opened.server.close(done));
    rmSync(opened.folder, { recursive: true, force: true });
  }
}
