import { isDeepStrictEqual } from 'node:util';
import type { Express, Request, Response } from 'express';
import { Failure } from '../domain/failures.ts';
import type { SecretKeys } from '../store/secrets.ts';
import { AuditTrail } from './audit-trail.ts';
import { once } from './idempotency.ts';
import type { Identity } from './identity.ts';
import { readBody } from './request-body.ts';
import { nameRoute, nameUser, requestLog } from './request-log.ts';
import { type Reply, type Route, takenOver } from './route.ts';

interface Mounting {
  identity: Identity;
  secretKey: string;
  previousKeys?: readonly string[] | undefined;
  /** In tests: a reply that is not what the document says is a failure. */
  checkReplies?: boolean | undefined;
}

export const API_BASE = '/api/v1';

/** Most paths are below the version of the API; one that names its own place is served there. */
const placeOf = (path: string): string => (path.startsWith('/api/') ? path : API_BASE + path);

/** Authorise → parse → act → reply, for every route alike. */
export function mountRoutes(app: Express, routes: Route[], mounting: Mounting): void {
  for (const route of routes) {
    app[route.method](placeOf(route.path), (req, res) => serve(route, mounting, req, res));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    const allow = here.map(({ method }) => method.toUpperCase()).join(', ');
    app.all(placeOf(path), (req, res) => {
      nameRoute(res, path);
      res.set('Allow', allow);
      throw new Failure('method_not_allowed', `${req.method} is not possible here.`, { allow });
    });
  }
}

async function serve(route: Route, mounting: Mounting, req: Request, res: Response): Promise<void> {
  nameRoute(res, route.path);
  const caller = route.auth === 'none' ? null : await mounting.identity.identify(bearerOf(req));
  if (caller) nameUser(res, caller.user_id);
  const body = route.method === 'get' ? undefined : await readBody(req, res, route.bodyLimit);
  const execute = route.prepare({ params: req.params, query: req.query, body });
  const keys: SecretKeys = [mounting.secretKey, ...(mounting.previousKeys ?? [])];
  const trail = new AuditTrail(route, req, caller);
  const reply = await trail.follow(() =>
    once(req, caller, keys, (newId) => execute(caller, { req, res, newId, actAs: trail.actAs, log: requestLog(res) })),
  );
  if (reply === takenOver) return;
  if (mounting.checkReplies) demandDocumented(route, reply);
  res.status(reply.status).set(reply.headers ?? {});
  if (reply.body === undefined) res.end();
  else if (route.mediaType !== undefined) res.type(route.mediaType).send(reply.body);
  else res.json(reply.body);
}

function bearerOf(req: Request): string {
  const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(req.get('authorization') ?? '') ?? [];
  if (!token) throw new Failure('unauthenticated', 'This needs a token.');
  return token;
}

function demandDocumented(route: Route, reply: Reply): void {
  const schema = route.replies[reply.status];
  const sent: unknown = reply.body === undefined ? undefined : JSON.parse(JSON.stringify(reply.body));
  const parsed = schema?.safeParse(sent);
  // What zod drops is a field that the document does not name.
  if (schema === null ? sent === undefined : parsed?.success && isDeepStrictEqual(parsed.data, sent)) return;
  const what = `${route.method.toUpperCase()} ${route.path} → ${reply.status}`;
  throw new Error(`${what} is not as documented: ${parsed?.error?.message ?? JSON.stringify(sent)}`);
}
