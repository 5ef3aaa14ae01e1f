import { Failure, type FailureCode, isFailure } from '../../domain/failures.ts';

const MESSAGE_CHARS = 1_000;

/** What an SDK's error says once it is read by the adapter that knows it. */
export type Told =
  | { is: 'timed_out' }
  /** Nothing left: there was nothing to sign it with. */
  | { is: 'unsigned'; message: string }
  | { is: 'unreachable'; error: Error }
  | { is: 'broken_off'; error: Error }
  | { is: 'garbled'; error: Error }
  /** An answer that is no answer; without a status where it came in the middle of a stream. */
  | {
      is: 'refused';
      status?: number | undefined;
      reason: string;
      message: string;
      retry_after_ms?: number | undefined;
    };

/** Seconds or an HTTP date; `retry-after-ms` goes first because it is the exact one. */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
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

const OVERFLOW = [
  /context_length_exceeded|exceed_context_size|ContextWindowExceeded|request_too_large/,
  /maximum context length|context (window|size|limit)|(prompt|input) is too long|input token count .*exceeds/i,
];
const LACKING =
  /not support\w* .*(tool|function|response_format|structured|schema)|(tool|function|response_format|output_config|output_format|structured|schema)[^.]* (not |un)supported/i;
const SPENT = /insufficient_quota|credit balance is too low|billing_error/i;
const BAD_KEY =
  /invalid_api_key|API_KEY_INVALID|authentication_error|UnrecognizedClient|ExpiredToken|accessDenied|PERMISSION_DENIED/i;
const NO_MODEL = /model_not_found|model identifier is invalid|not_found_error/i;

/** What the words alone make certain, whatever the status beside them. */
function byWords(words: string): Verdict | null {
  if (OVERFLOW.some((pattern) => pattern.test(words))) return final('context_overflow');
  if (SPENT.test(words)) return final('rate_limited');
  if (BAD_KEY.test(words)) return final('bad_model_key');
  if (NO_MODEL.test(words)) return final('model_not_found');
  if (LACKING.test(words)) return final('unsupported_capability');
  return null;
}

function byStatus(status: number, words: string): Verdict {
  if (status === 429) return SPENT.test(words) ? final('rate_limited') : passing('rate_limited');
  if (status === 401 || status === 402 || status === 403) return final('bad_model_key');
  if (status === 404) return final('model_not_found');
  if (status === 408) return passing('model_timeout');
  // 409 is a lock at the provider, 424 a failed upstream of a gateway: both pass.
  if (status === 409 || status === 424 || status >= 500) return passing('provider_unavailable');
  return byWords(words) ?? final('bad_model_request');
}

/** An error inside a stream has no status, only words. */
function inStream(words: string): Verdict {
  if (!SPENT.test(words) && /rate_limit|throttling|RESOURCE_EXHAUSTED/i.test(words)) return passing('rate_limited');
  if (/modelTimeout/i.test(words)) return passing('model_timeout');
  const certain = byWords(words);
  if (certain) return certain;
  if (/invalid_request|validationException|INVALID_ARGUMENT|content_filter|content_policy/i.test(words)) {
    return final('bad_model_request');
  }
  return passing('provider_unavailable');
}

const causeOf = (error: Error): string => {
  const cause = error.cause instanceof Error ? error.cause : error;
  return 'code' in cause && typeof cause.code === 'string' ? `${cause.message} (${cause.code})` : cause.message;
};

const isTransport = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';

/** The failure behind whatever the SDK threw; null for what is no fault of the provider. */
export function providerFailure(
  error: unknown,
  provider: string,
  tell: (error: unknown) => Told | null,
  clean: (text: string) => string,
): Failure | null {
  if (isFailure(error)) return error;
  // Cleaned before it is cut: half a secret is known to nobody. Never with its cause: the SDKs' errors carry the response headers, and those may set cookies.
  const failure = ({ code, retryable }: Verdict, message: string, more: Record<string, unknown> = {}) =>
    new Failure(code, clean(message).slice(0, MESSAGE_CHARS), { retryable, provider, ...more });
  const garbled = ({ message }: Error) =>
    failure(passing('malformed_answer'), `${provider} sent something that is not JSON: ${message}.`);
  const brokenOff = (cut: Error) =>
    failure(passing('stream_cut'), `The answer of ${provider} broke off: ${causeOf(cut)}.`);
  const told = tell(error);
  switch (told?.is) {
    case 'timed_out':
      return failure(passing('model_timeout'), `${provider} did not answer in time.`);
    case 'unsigned':
      return failure(final('bad_model_key'), `${provider} was not called: ${told.message}`);
    case 'unreachable':
      return failure(passing('provider_unavailable'), `${provider} could not be reached: ${causeOf(told.error)}.`);
    case 'broken_off':
      return brokenOff(told.error);
    case 'garbled':
      return garbled(told.error);
    case 'refused': {
      const { status, reason, message, retry_after_ms } = told;
      const words = `${reason} ${message}`;
      return failure(
        status === undefined ? inStream(words) : byStatus(status, words),
        `${provider} answered ${message}`,
        {
          ...(status === undefined ? {} : { status }),
          ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
        },
      );
    }
  }
  if (error instanceof SyntaxError) return garbled(error);
  return isTransport(error) ? brokenOff(error) : null;
}
