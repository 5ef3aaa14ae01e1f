import type { RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { newId } from '../store/ids.ts';
import type { Metrics } from './metrics.ts';

interface Locals {
  request_id: string;
  log: Logger;
  /** The declared path, so that metrics do not grow with every id. */
  route?: string;
  user_id?: string;
}

const localsOf = (res: Response): Locals => res.locals as Locals;

export const requestId = (res: Response): string => localsOf(res).request_id;
export const requestLog = (res: Response): Logger => localsOf(res).log;
export const nameRoute = (res: Response, route: string): void => {
  localsOf(res).route = route;
};
export const nameUser = (res: Response, userId: string): void => {
  localsOf(res).user_id = userId;
};

const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/** One line and one measurement a request. Bodies, queries and headers stay out of it: they may hold secrets. */
export function watchRequests(logger: Logger, metrics: Metrics): RequestHandler {
  return (req, res, next) => {
    const given = req.get('x-request-id');
    const request_id = given && /^[\w.:-]{1,100}$/.test(given) ? given : newId('req');
    res.locals.request_id = request_id;
    const log = logger.child({ request_id });
    res.locals.log = log;
    res.set('X-Request-Id', request_id);
    const started = process.hrtime.bigint();
    res.on('close', () => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      const { route = 'other', user_id } = localsOf(res);
      metrics.observe(req.method, route, res.statusCode, seconds);
      log[QUIET.has(route) ? 'debug' : 'info'](
        {
          method: req.method,
          path: req.path,
          status: res.statusCode,
          ms: Math.round(seconds * 1e4) / 10,
          user_id,
          ...(res.writableFinished ? {} : { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}
