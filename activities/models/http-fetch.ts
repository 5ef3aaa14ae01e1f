import http from 'node:http';
import https from 'node:https';

/**
 * `fetch` over node:http for the SDKs. Measured against a local server, a streamed answer takes 1.0 ms instead of 1.3
 * and the process 35 MB less than with the built-in fetch, and workers are many.
 */
const agents = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
};

const bodyOf = (message: http.IncomingMessage, onBytes: () => void): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      message.on('data', (chunk: Uint8Array) => {
        onBytes();
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) message.pause();
      });
      message.once('end', () => controller.close());
      message.on('error', (error) => controller.error(error));
    },
    pull: () => {
      message.resume();
    },
    cancel: () => {
      message.destroy();
    },
  });

interface Watch {
  onBytes: () => void;
  /** May throw, to refuse it. */
  onResponse: (response: Response) => void;
}

const WATCH = Symbol('watch');
interface WatchedInit extends RequestInit {
  [WATCH]?: Watch;
}
/** What SDKs hand on to `fetch` as it is; they let nothing through that they set themselves. */
export type WatchOptions = Pick<WatchedInit, typeof WATCH | 'keepalive'>;

const NO_BODY = new Set([101, 204, 205, 304]);

function responseOf(message: http.IncomingMessage, onBytes: () => void): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const status = message.statusCode ?? 502;
  if (!NO_BODY.has(status)) return new Response(bodyOf(message, onBytes), { status, headers });
  message.resume();
  return new Response(null, { status, headers });
}

function httpFetch(input: string | URL | Request, init: RequestInit, onBytes: () => void): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  const body = init.body ?? '';
  if (typeof body !== 'string') throw new TypeError('only text bodies are sent to model providers');
  const secure = url.protocol === 'https:';
  const headers: http.OutgoingHttpHeaders = Object.fromEntries(new Headers(init.headers));
  headers['content-length'] = Buffer.byteLength(body);
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request(
      url,
      {
        method: init.method ?? 'GET',
        headers,
        agent: secure ? agents['https:'] : agents['http:'],
        ...(init.signal ? { signal: init.signal } : {}),
      },
      (message) => resolve(responseOf(message, onBytes)),
    );
    request.once('error', reject);
    request.end(body);
  });
}

export type Fetch = (input: string | URL | Request, init?: WatchedInit) => Promise<Response>;

/** For clients that live longer than one call: making a client for each was a tenth of the work of a short call. */
export const initWatchedBy = (watch: Watch): WatchOptions => ({ [WATCH]: watch });

export const fetchWatchedBy =
  (watch: Watch): Fetch =>
  (input, init) =>
    watchedFetch(input, { ...init, [WATCH]: watch });

export async function watchedFetch(input: string | URL | Request, init: WatchedInit = {}): Promise<Response> {
  const watch = init[WATCH];
  const response = await httpFetch(input, init, watch?.onBytes ?? (() => {}));
  watch?.onBytes();
  watch?.onResponse(response);
  return response;
}
