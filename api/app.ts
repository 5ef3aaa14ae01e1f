import express, { type Express } from 'express';
import type { Logger } from 'pino';
import { Failure } from '../domain/failures.ts';
import type { ModelCapabilities, ProviderName } from '../domain/model.ts';
import type { BuiltinModels } from '../store/builtin-agents.ts';
import { errorResponse } from './error-response.ts';
import { serveHealth } from './health.ts';
import { HOOK, serveHooks } from './hooks.ts';
import type { Identity } from './identity.ts';
import type { LiveHub } from './live-hub.ts';
import { createMetrics } from './metrics.ts';
import { API_BASE, mountRoutes } from './mount.ts';
import { openApiDocument } from './openapi.ts';
import { referencePage } from './reference-page.ts';
import { nameRoute, watchRequests } from './request-log.ts';
import type { Route } from './route.ts';
import { allRoutes } from './routes/index.ts';
import type { RunCommands } from './run-commands.ts';
import { securityHeaders } from './security-headers.ts';
import { serveWebApp } from './web-app.ts';

export interface AppDeps {
  identity: Identity;
  runs: RunCommands;
  hub: LiveHub;
  secretKey: string;
  /** Keys before it, which still open what they sealed and signed. */
  previousKeys?: readonly string[];
  /** Where people reach this installation, without a slash at the end. */
  publicUrl: string;
  logger: Logger;
  /** Real folders under which folder notebooks may lie. */
  notebookRoots: readonly string[];
  /** No folder in which this lies, or that lies in it, becomes a notebook; but for those meant for that. */
  dataDir?: string | undefined;
  /** Where copies of git notebooks are kept. */
  mirrorsDir: string;
  /** Those that can be called here, with what they can do. */
  providers: Readonly<Partial<Record<ProviderName, ModelCapabilities>>>;
  /**
   * Of the editor and the dispatcher of each workspace; without one a session of edits must name its agent, and relevance
   * alone decides.
   */
  builtinModels: BuiltinModels;
  /** How long the dispatcher's model may take; a request as a whole stays below two seconds. */
  dispatchMs?: number;
  /** What workers tell the meaning of documents with; without one they are found by words alone. */
  embeddingModel?: string | undefined;
  readiness: () => Promise<Record<string, boolean>>;
  /** Aborted when the process goes down: what holds a request open must let go. */
  draining: AbortSignal;
  webDir?: string | undefined;
  /** How many proxies in front of us may be believed about the address of a client. */
  proxyHops?: number;
  /** In tests: routes beside our own, and a check that replies are what the document says. */
  extraRoutes?: Route[];
  checkReplies?: boolean;
}

function madeOnce<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The whole HTTP face, ready to be given to a server; it never listens itself. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set('trust proxy', deps.proxyHops ?? 0);

  const metrics = createMetrics();
  app.use(watchRequests(deps.logger, metrics), securityHeaders(deps.publicUrl));
  serveHealth(app, { ...deps, metrics });

  const routes = [...allRoutes(deps), ...(deps.extraRoutes ?? [])];
  app.use('/api', (_req, res, next) => {
    res.set('Cache-Control', 'no-store');
    next();
  });
  mountRoutes(app, routes, deps);
  serveHooks(app, deps);
  // Made when somebody asks for them: it takes a tenth of a second, which a start need not wait for.
  const document = madeOnce(() => openApiDocument([...routes, HOOK], API_BASE));
  const page = madeOnce(() => referencePage(document()));
  app.get(`${API_BASE}/openapi.json`, (_req, res) => {
    nameRoute(res, '/openapi.json');
    res.json(document());
  });
  app.get('/docs', (_req, res) => {
    nameRoute(res, '/docs');
    res.type('html').send(page());
  });

  if (deps.webDir !== undefined) serveWebApp(app, deps.webDir);
  app.use((req) => {
    throw new Failure('not_found', `There is nothing at ${req.method} ${req.path}.`, { path: req.path });
  });
  app.use(errorResponse);
  return app;
}
