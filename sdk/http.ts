import { ApiError, errorFrom, isApiError } from './api-error.ts';
import { pause } from './pause.ts';

export interface HttpOptions {
  /** Where the server is, without /api/v1. */
  url: string;
  /** An API key, or the token of a sign-in. */
  credential: string;
  /** How long a request is tried again while the server is away or starting. */
  patienceMs: number;
}

type Query = Record<string, string | number | undefined>;

export interface RequestOptions {
  query?: Query | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Beyond the ordinary, for a request that is held on purpose. */
  heldMs?: number | undefined;
  headers?: Record<string, string> | undefined;
}

const ANSWER_MS = 30_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** What may be different in a moment, without anybody having to change the request. */
export const isPassing = (error: ApiError): boolean =>
  error.status === 0 || [429, 502, 503, 504].includes(error.status) || error.code === 'idempotency_in_progress';

export class Http {
  constructor(private readonly options: HttpOptions) {}

  get<T>(path: string, options: RequestOptions = {}): Promise<T> {
    return this.send<T>('GET', path, options);
  }

  post<T>(path: string, options: RequestOptions = {}): Promise<T> {
    return this.send<T>('POST', path, options);
  }

  put<T>(path: string, options: RequestOptions = {}): Promise<T> {
    return this.send<T>('PUT', path, options);
  }

  /** For what is not JSON. */
  text(path: string, options: RequestOptions = {}): Promise<string> {
    return this.send('GET', path, options, (text) => text);
  }

  delete(path: string, options: RequestOptions = {}): Promise<void> {
    return this.send<void>('DELETE', path, options);
  }

  /** One try, answered or thrown. */
  async fetch(path: string, init: RequestInit, query: Query = {}): Promise<Response> {
    // Most paths are below the version of the API; one that names its own place is asked there.
    const place = path.startsWith('/api/') ? path : `/api/v1${path}`;
    const url = new URL(`${this.options.url.replace(/\/+$/, '')}${place}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const headers = { ...init.headers, Authorization: `Bearer ${this.options.credential}` };
    let response: Response;
    try {
      response = await fetch(url, { ...init, headers });
    } catch (cause) {
      throw this.unreachable(cause);
    }
    if (!response.ok) throw await errorFrom(response);
    return response;
  }

  private unreachable(cause: unknown): ApiError {
    const message = `No answer from ${this.options.url}`;
    return new ApiError({ code: 'unreachable', status: 0, message: `${message} (${reason(cause)}).`, cause });
  }

  private async send<T>(
    method: string,
    path: string,
    { query, body, signal, heldMs = 0, headers: more = {} }: RequestOptions,
    parse: (text: string) => T = (text) => JSON.parse(text) as T,
  ): Promise<T> {
    const since = Date.now();
    const headers: Record<string, string> = { Accept: 'application/json', ...more };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    // The same key at every try: an answer that was lost on its way back is given again, nothing is done twice.
    if (method !== 'GET') headers['Idempotency-Key'] = crypto.randomUUID();
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      try {
        const limit = AbortSignal.timeout(ANSWER_MS + heldMs);
        const response = await this.fetch(
          path,
          {
            method,
            headers,
            signal: signal ? AbortSignal.any([signal, limit]) : limit,
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          },
          query,
        );
        return await this.read(response, parse);
      } catch (error) {
        signal?.throwIfAborted();
        const patient = Date.now() - since + wait <= this.options.patienceMs;
        if (!isApiError(error) || !isPassing(error) || !patient) throw error;
        await pause(wait, signal);
      }
    }
  }

  private async read<T>(response: Response, parse: (text: string) => T): Promise<T> {
    let text: string;
    try {
      text = await response.text();
    } catch (cause) {
      throw this.unreachable(cause);
    }
    if (response.status === 204) return undefined as T;
    try {
      return parse(text);
    } catch (cause) {
      throw new ApiError({
        code: 'not_an_api',
        status: response.status,
        message: `${this.options.url} answers, but not as Longhaul does. Check the address.`,
        request_id: response.headers.get('x-request-id'),
        cause,
      });
    }
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return error.message;
}
