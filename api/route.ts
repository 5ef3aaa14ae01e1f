import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';

/**
 * A route is declared once: what it takes, what it gives and what it does. Requests are validated by the same zod
 * schemas that the OpenAPI document and the reference page are made from.
 */
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Auth = 'bearer' | 'none';
/** Status → schema of the body; null for a reply without one. */
export type Replies = Readonly<Record<number, z.ZodType | null>>;

/** What a handler returns when it has answered on `res` itself (an event stream). */
export const takenOver = Symbol('the handler answers itself');

export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

type ReplyOf<R extends Replies> = {
  [S in keyof R & number]: R[S] extends z.ZodType
    ? { status: S; body: z.input<R[S]>; headers?: Record<string, string> }
    : { status: S; headers?: Record<string, string> };
}[keyof R & number];

/** Names of the fields that a route takes in its body or query. */
type FieldOf<B, Q> = Extract<keyof Parsed<B> | keyof Parsed<Q>, string>;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

interface Surroundings {
  req: Request;
  res: Response;
  log: Logger;
  /** Under an Idempotency-Key the same request makes the same ids again: a repeated insert meets its own row. */
  newId: (prefix: string) => string;
  /** Where somebody signs in: from here on the audit log knows who it is. */
  actAs: (userId: string) => Promise<void>;
}

interface RouteContext<A, P, Q, B> extends Surroundings {
  caller: A extends 'none' ? null : Caller;
  params: Parsed<P>;
  query: Parsed<Q>;
  body: Parsed<B>;
}

interface Definition<A, P, Q, B, R extends Replies> {
  method: Method;
  /** Below /api/v1, with express parameters: `/agents/:id`; or whole: `/api/agent/jobs/:id`. */
  path: string;
  tag: string;
  summary: string;
  auth?: A;
  params?: P;
  query?: Q;
  body?: B;
  /** Takes If-Match with the version the caller has read (`expectedVersion`). */
  conditional?: true;
  /** Above what a body may be elsewhere, where files come in: `15mb`. */
  bodyLimit?: string;
  replies: R;
  /** Of a reply that is text and not JSON. */
  mediaType?: string;
  /** Said in the documents of a route that also answers as text/event-stream. */
  stream?: string;
  /** Fields whose values the audit log may show; of all others it tells the names alone. */
  shows?: readonly FieldOf<B, Q>[];
  /** `refusals` for what changes nothing, or what the log of a run tells anyway. */
  audit?: 'always' | 'refusals';
  handler: (context: RouteContext<A, P, Q, B>) => Promise<ReplyOf<NoInfer<R>> | typeof takenOver>;
}

interface Unparsed {
  params: unknown;
  query: unknown;
  body: unknown;
}

export interface Route {
  method: Method;
  path: string;
  tag: string;
  summary: string;
  auth: Auth;
  params: z.ZodType | undefined;
  query: z.ZodType | undefined;
  body: z.ZodType | undefined;
  bodyLimit: string | undefined;
  conditional: boolean;
  replies: Replies;
  mediaType: string | undefined;
  stream: string | undefined;
  shows: readonly string[];
  audit: 'always' | 'refusals';
  /** Validates, and gives back what is left to do: nothing runs or is written on bad input. */
  prepare: (input: Unparsed) => (caller: Caller | null, around: Surroundings) => Promise<Reply | typeof takenOver>;
}

export function route<
  const R extends Replies,
  A extends Auth = 'bearer',
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(definition: Definition<A, P, Q, B, R>): Route {
  const { method, path, tag, summary, auth, params, query, body, bodyLimit } = definition;
  const { conditional, replies, mediaType, stream, handler } = definition;
  const { shows = [], audit = 'always' } = definition;
  return {
    method,
    path,
    tag,
    summary,
    auth: auth ?? 'bearer',
    params,
    query,
    body,
    bodyLimit,
    conditional: conditional ?? false,
    replies,
    mediaType,
    stream,
    shows,
    audit,
    prepare: (input) => {
      const parsed = {
        params: parse('path', params, input.params),
        query: parse('query', query, input.query),
        body: parse('body', body, input.body),
      };
      return (caller, around) =>
        handler({ ...around, ...parsed, caller: caller as RouteContext<A, P, Q, B>['caller'] });
    },
  };
}

function parse<S extends z.ZodType | undefined>(place: string, schema: S | undefined, value: unknown): Parsed<S> {
  if (schema === undefined) {
    const extra = Object.keys(value ?? {});
    if (extra.length > 0) throw invalid(place, Object.fromEntries(extra.map((name) => [name, 'unknown field'])));
    return undefined as Parsed<S>;
  }
  const result = schema.safeParse(value ?? {});
  if (!result.success) throw invalid(place, fieldsOf(place, result.error.issues));
  return result.data as Parsed<S>;
}

function fieldsOf(place: string, issues: z.core.$ZodIssue[]): Record<string, string> {
  const said = issues.flatMap((issue): [string, string][] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [[...issue.path, key].join('.'), 'unknown field'])
      : [[issue.path.join('.') || place, issue.message]],
  );
  // Through a map, since a field may be called __proto__; the first thing said of a field is the one to read.
  return Object.fromEntries(new Map(said.reverse()));
}

/** For what only a handler can find out about a field. */
export function invalid(place: string, fields: Record<string, string>): Failure {
  const said = Object.entries(fields).map(([name, message]) => `${name}: ${message}`);
  return new Failure('invalid_request', `The ${place} of the request is not valid (${said.slice(0, 5).join('; ')}).`, {
    in: place,
    fields,
  });
}
