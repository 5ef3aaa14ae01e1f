import { lookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { Failure } from '../../domain/failures.ts';
import { isNearbyHost, isNearbyIp, lookUpPublicBy, type Resolve } from '../public-lookup.ts';

export interface Guarded {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string | null;
  max_response_bytes: number;
  timeout_ms: number;
  allow_private: boolean;
  signal: AbortSignal;
  /** Stands in for the resolver of the machine. */
  resolve?: Resolve | undefined;
}

export interface Answer {
  status: number;
  type: string;
  text: string;
}

const refused = (host: string): Failure =>
  new Failure('address_refused', `${host} lies in a private network, which this integration may not reach.`, { host });

const isPrivateError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EPRIVATE';

/** Read to its limit and not beyond. */
async function textOf(message: http.IncomingMessage, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most) {
      message.destroy();
      throw new Failure('integration_failed', `The answer is larger than the ${most} bytes that are allowed.`, {
        status: message.statusCode,
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface Sent {
  message: http.IncomingMessage;
}

/**
 * One connection for one request: what was looked at is what is connected to, and none is left open that was looked up
 * before. The address is seen three times: as it is written, as it is looked up, and as the connection has it.
 */
function send(request: Guarded, signal: AbortSignal, onSent: () => void): Promise<Sent> {
  const { url, allow_private, body, resolve = lookup as Resolve } = request;
  if (!allow_private && isNearbyHost(url.hostname)) throw refused(url.hostname);
  const secure = url.protocol === 'https:';
  const Agent = secure ? https.Agent : http.Agent;
  // A name is only ever looked up by what was handed in, also where private addresses are allowed.
  const any: NonNullable<http.AgentOptions['lookup']> = (hostname, options, callback) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) callback(error ?? new Error(`${hostname} is not known`), '');
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  const agent = new Agent({ keepAlive: false, lookup: allow_private ? any : lookUpPublicBy(resolve) });
  return new Promise((done, fail) => {
    const outgoing = (secure ? https : http).request(
      url,
      {
        method: request.method,
        agent,
        signal,
        headers: {
          'user-agent': 'longhaul',
          'accept-encoding': 'identity',
          ...request.headers,
          ...(body === null ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
      },
      (message) => done({ message }),
    );
    outgoing.once('socket', (socket) =>
      socket.once('connect', () => {
        if (!allow_private && isNearbyIp(socket.remoteAddress ?? '')) outgoing.destroy(refused(url.hostname));
        else onSent();
      }),
    );
    outgoing.once('error', fail);
    outgoing.end(body ?? undefined);
  });
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 3;

/** A registered place may move things about within itself; what it points to elsewhere is not registered. */
function redirectOf({ url, method }: Guarded, { statusCode = 0, headers }: http.IncomingMessage): URL | null {
  if (!REDIRECTS.has(statusCode) || headers.location === undefined) return null;
  const to = URL.canParse(headers.location, url) ? new URL(headers.location, url) : null;
  if (method === 'GET' && to?.origin === url.origin) return to;
  const where = to ? to.origin : 'nowhere';
  throw new Failure('address_refused', `It answered with a redirect to ${where}, which is not followed.`, {
    status: statusCode,
    location: where,
  });
}

async function answerTo(request: Guarded, signal: AbortSignal, onSent: () => void, hops: number): Promise<Answer> {
  const { message } = await send(request, signal, onSent);
  try {
    const to = redirectOf(request, message);
    if (to) {
      if (hops >= MOST_REDIRECTS) throw new Failure('address_refused', 'It redirects too often.');
      return answerTo({ ...request, url: to }, signal, onSent, hops + 1);
    }
    const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = message.headers;
    if (encoding !== 'identity') {
      throw new Failure('integration_failed', `The answer is packed as ${encoding}, which was not asked for.`);
    }
    return { status: message.statusCode ?? 0, type, text: await textOf(message, request.max_response_bytes) };
  } finally {
    message.destroy();
  }
}

/** An answer, or a Failure that says whether anything may have happened on the other side. */
export async function guardedRequest(request: Guarded): Promise<Answer> {
  const limit = AbortSignal.timeout(request.timeout_ms);
  let sent = false;
  const host = request.url.hostname;
  try {
    return await answerTo(request, AbortSignal.any([request.signal, limit]), () => (sent = true), 0);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    if (isPrivateError(cause)) throw refused(host);
    if (limit.aborted) {
      throw new Failure(
        'integration_timeout',
        `${host} did not answer within ${request.timeout_ms} ms.`,
        { sent },
        { cause },
      );
    }
    if (request.signal.aborted) throw cause;
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'the connection broke off';
    const when = sent ? 'after the request was sent' : 'before anything was sent';
    throw new Failure('integration_failed', `${host} could not be reached (${why}), ${when}.`, { sent }, { cause });
  }
}
