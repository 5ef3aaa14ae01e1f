import type { ErrorRequestHandler, Response } from 'express';
import { z } from 'zod';
import { Failure, type FailureCode, failureHint, failureStatus, isFailure } from '../domain/failures.ts';
import { isUnreachable } from '../store/connection.ts';
import { requestId, requestLog } from './request-log.ts';

export const errorSchema = z.object({
  error: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
  request_id: z.string(),
});

/** What express and its body parser throw, by their `type`; everything else with a 4xx status is a bad request. */
const PARSER_FAILURES: Record<string, FailureCode> = {
  'entity.parse.failed': 'invalid_json',
  'entity.too.large': 'too_large',
  'encoding.unsupported': 'unsupported_media_type',
  'charset.unsupported': 'unsupported_media_type',
};

const SAID: Partial<Record<FailureCode, string>> = {
  invalid_json: 'The body is not JSON.',
  too_large: 'The body is too large.',
  unsupported_media_type: 'The body is in a form that is not understood.',
};

/** Whatever was thrown, as something that may be shown: nothing of the inside goes out. */
export function toFailure(error: unknown): Failure {
  if (isFailure(error)) return error;
  if (isUnreachable(error)) return new Failure('unavailable', 'The store cannot be reached.', {}, { cause: error });
  if (typeof error === 'object' && error !== null && 'status' in error && Number(error.status) < 500) {
    const code = ('type' in error && PARSER_FAILURES[String(error.type)]) || 'invalid_request';
    return new Failure(code, SAID[code] ?? 'The request cannot be read.', {}, { cause: error });
  }
  return new Failure('internal', 'Something went wrong on our side.', {}, { cause: error });
}

const errorBody = (failure: Failure, request_id: string): z.infer<typeof errorSchema> => ({
  error: failure.code,
  message: `${failure.message} ${failureHint(failure.code)}`,
  details: failure.details,
  request_id,
});

function sendFailure(res: Response, failure: Failure): void {
  const { retry_after_s } = failure.details;
  if (typeof retry_after_s === 'number') res.set('Retry-After', String(retry_after_s));
  if (failureStatus(failure.code) === 401) res.set('WWW-Authenticate', 'Bearer');
  res.status(failureStatus(failure.code)).json(errorBody(failure, requestId(res)));
}

export const errorResponse: ErrorRequestHandler = (error, _req, res, _next) => {
  const failure = toFailure(error);
  if (failureStatus(failure.code) >= 500) requestLog(res).error({ err: failure.cause ?? failure }, 'request failed');
  // A stream that has begun cannot turn into an error: cut it, and the client comes back with its cursor.
  if (res.headersSent) res.destroy();
  else sendFailure(res, failure);
};
