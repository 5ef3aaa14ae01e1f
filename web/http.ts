import { isRecord } from '../domain/json-value.ts';
import { record, text } from './event-data.ts';
import { session } from './session.ts';

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly request_id: string | null,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }

  /** Nobody was there to do it, or to say what became of it. */
  get isAway(): boolean {
    return [0, 502, 503, 504].includes(this.status);
  }
}

interface Request {
  /** Project-wide edits are served beside everything else. */
  base?: '/api/v1' | '/api/agent';
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  body?: unknown;
  query?: Record<string, string | number | boolean | null | undefined>;
  idempotency_key?: string;
  /** The version that was read: what has changed since is not overwritten. */
  if_match?: number | undefined;
  signal?: AbortSignal | undefined;
}

const search = (query: Request['query'] = {}): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
};

async function failure(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const told = isRecord(body) ? body : {};
  return new ApiError(
    response.status,
    text(told, 'error') || 'internal',
    text(told, 'message') || `The server answered ${response.status}. Try again in a moment.`,
    text(told, 'request_id') || null,
    record(told, 'details'),
  );
}

async function send(
  path: string,
  { base = '/api/v1', method = 'GET', body, query, idempotency_key, if_match, signal }: Request,
): Promise<Response> {
  const headers = new Headers();
  const token = session.token();
  if (token) headers.set('authorization', `Bearer ${token}`);
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (idempotency_key) headers.set('idempotency-key', idempotency_key);
  if (if_match !== undefined) headers.set('if-match', `"${if_match}"`);
  const init: RequestInit = { method, headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal) init.signal = signal;
  let response: Response;
  try {
    response = await fetch(`${base}${path}${search(query)}`, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(
      0,
      'unreachable',
      method === 'GET'
        ? 'The server cannot be reached. This page goes on by itself as soon as it is back.'
        : 'The server cannot be reached. What you entered is kept; try again in a moment.',
      null,
    );
  }
  if (response.ok) return response;
  const failed = await failure(response);
  // Only where the token sent is still the one in use: another tab may have signed in again meanwhile.
  if (failed.code === 'unauthenticated' && token !== null && token === session.token()) session.end();
  throw failed;
}

/** Longer than all processes take to be there again after they were killed. */
const PATIENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 2_000;

/** For what can be said twice without harm: a server that is away for a moment is waited for. */
export async function outlast<T>(say: () => Promise<T>): Promise<T> {
  const until = Date.now() + PATIENCE_MS;
  for (let pause = 250; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await say();
    } catch (error) {
      if (!(error instanceof ApiError && error.isAway) || Date.now() > until) throw error;
      await new Promise((goOn) => setTimeout(goOn, pause));
    }
  }
}

export async function call<T>(path: string, request: Request = {}): Promise<T> {
  const response = await send(path, request);
  return response.json();
}

/** What is not JSON: a file to download. */
export async function callForText(path: string, request: Request = {}): Promise<string> {
  const response = await send(path, request);
  return response.text();
}

export async function tell(path: string, request: Request): Promise<void> {
  await send(path, request);
}

/** A file, as the browser keeps it. */
export async function download(path: string, request: Request = {}): Promise<Blob> {
  const response = await send(path, request);
  return response.blob();
}

export const at = (id: string): string => encodeURIComponent(id);

/** Also where the page is not served over TLS, and the browser therefore hides crypto.randomUUID. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
