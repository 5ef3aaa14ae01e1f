import { isRecord } from '../domain/json-value.ts';
export interface ErrorParts {
  code: string;
  status: number;
  message: string;
  details?: Record<string, unknown>;
  request_id?: string | null;
  cause?: unknown;
}

/** Whatever a request can end with but its answer. `status` 0: there was none, the server was not reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly details: Record<string, unknown>;
  readonly request_id: string | null;

  constructor({ code, status, message, details = {}, request_id = null, cause }: ErrorParts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.details = details;
    this.request_id = request_id;
  }
}

/** Compared by name: two copies of this module may meet in one program. */
export const isApiError = (error: unknown): error is ApiError => error instanceof Error && error.name === 'ApiError';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** From an answer that is not the one asked for; what stands in between (a proxy, say) answers in its own words. */
export async function errorFrom(response: Response): Promise<ApiError> {
  const { status, statusText } = response;
  const body = parse(await response.text().catch(() => ''));
  const said = isRecord(body) ? body : {};
  return new ApiError({
    status,
    code: typeof said.error === 'string' ? said.error : `http_${status}`,
    message: typeof said.message === 'string' ? said.message : `The server answered ${status} ${statusText}`.trim(),
    details: isRecord(said.details) ? said.details : {},
    request_id: typeof said.request_id === 'string' ? said.request_id : response.headers.get('x-request-id'),
  });
}
