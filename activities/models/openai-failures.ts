import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { Failure, type FailureCode, isFailure } from '../../domain/failures.ts';

const MESSAGE_CHARS = 1_000;

/** Seconds or an HTTP date; `retry-after-ms` goes first because it is the exact one. */
function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const exact = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(exact)) return Math.max(0, Math.round(exact));
  const value = headers?.get('retry-after')?.trim();
  if (!value) return undefined;
  const wait = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : undefined;
}

interface Verdict {
  code: FailureCode;
  retryable: boolean;
}
const final = (code: FailureCode): Verdict => ({ code, retryable: false });
const passing = (code: FailureCode): Verdict => ({ code, retryable: true });

function byStatus(status: number, reason: string): Verdict {
  if (status === 429) return /insufficient_quota/.test(reason) ? final('rate_limited') : passing('rate_limited');
  if (status === 401 || status === 402 || status === 403) return final('bad_model_key');
  if (status === 404 || /model_not_found/.test(reason)) return final('model_not_found');
  if (status === 408) return passing('model_timeout');
  // 409 is a lock at the provider, 424 a failed upstream of a gateway: both pass.
  if (status === 409 || status === 424 || status >= 500) return passing('provider_unavailable');
  return final('bad_model_request');
}

/** An error inside a stream has no status, only words. */
function byWords(reason: string): Verdict {
  if (/insufficient_quota/.test(reason)) return final('rate_limited');
  if (/rate_limit/.test(reason)) return passing('rate_limited');
  if (/invalid_api_key|authentication/.test(reason)) return final('bad_model_key');
  if (/model_not_found/.test(reason)) return final('model_not_found');
  if (/invalid_request|context_length|content_filter|content_policy/.test(reason)) return final('bad_model_request');
  return passing('provider_unavailable');
}

const causeOf = (error: Error): string => {
  const cause = error.cause instanceof Error ? error.cause : error;
  return 'code' in cause && typeof cause.code === 'string' ? `${cause.message} (${cause.code})` : cause.message;
};

const isTransport = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';

/** The failure behind whatever the SDK threw; null for what is no fault of the provider. */
export function providerFailure(error: unknown, provider: string, now: number): Failure | null {
  if (isFailure(error)) return error;
  const failure = (verdict: Verdict, message: string, more: Record<string, unknown> = {}) =>
    new Failure(
      verdict.code,
      message.slice(0, MESSAGE_CHARS),
      { retryable: verdict.retryable, provider, ...more },
      // Without its cause: the SDK's errors carry the response headers, and those may set cookies.
    );
  if (error instanceof APIConnectionTimeoutError) {
    return failure(passing('model_timeout'), `${provider} did not answer in time.`);
  }
  if (error instanceof APIConnectionError) {
    return failure(passing('provider_unavailable'), `${provider} could not be reached: ${causeOf(error)}.`);
  }
  if (error instanceof APIError) {
    const reason = `${error.code ?? ''} ${error.type ?? ''}`;
    const status: number | undefined = error.status;
    const wait = retryAfterMs(error.headers, now);
    const verdict = status === undefined ? byWords(reason) : byStatus(status, reason);
    const more = {
      ...(status === undefined ? {} : { status }),
      ...(wait === undefined ? {} : { retry_after_ms: wait }),
    };
    return failure(verdict, `${provider} answered ${error.message}`, more);
  }
  if (error instanceof SyntaxError) {
    return failure(passing('malformed_answer'), `${provider} sent something that is not JSON: ${error.message}.`);
  }
  if (isTransport(error))
    return failure(passing('stream_cut'), `The answer of ${provider} broke off: ${causeOf(error)}.`);
  return null;
}
