import { mkdir, realpath } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { boundPatterns } from '../bounded-patterns.ts';
import {
  type Config,
  embeddingModel,
  installationSecrets,
  modelSettings,
  readConfig,
  secretKeys,
  temporalConnection,
} from '../config.ts';
import { editLimitsFrom } from '../domain/edits/limits.ts';
import { embeddingName } from '../domain/embedding.ts';
import { cleanedLines } from '../domain/log-lines.ts';
import { configuredProviders } from '../domain/model-settings.ts';
import { Scrubber } from '../domain/scrubber.ts';
import { connectStore, disconnectStore, ensureIndexes, storeIsReachable } from '../store/connection.ts';
import { renewCredentials } from '../store/credential-upkeep.ts';
import { ensureCliKey, OWNER } from '../store/installation.ts';
import { createSignInLink } from '../store/sign-in-links.ts';
import { createApp } from './app.ts';
import { AuditProjector } from './audit-projector.ts';
import { DiskUpkeep } from './disk-upkeep.ts';
import { prepareInstallation } from './first-start.ts';
import { createIdentity } from './identity.ts';
import { attachLive } from './live.ts';
import { LiveHub } from './live-hub.ts';
import type { OidcSettings } from './oidc.ts';
import { RunCommands } from './run-commands.ts';
import { signInUrl } from './sign-in-url.ts';
import { TaskUpkeep } from './task-upkeep.ts';
import { TriggerUpkeep } from './trigger-upkeep.ts';
import { workersPolling } from './worker-presence.ts';

const OWNER_LINK_MS = 15 * 60_000;
const PROBE_MS = 2_000;
const DEMO_MODEL = 'demo/longhaul-demo';

boundPatterns();
const config = readConfig();
const embedding = embeddingModel(config);
const scrubber = new Scrubber(installationSecrets(config));
const logger = pino(
  { level: config.LONGHAUL_LOG_LEVEL, base: { process: 'api', pid: process.pid } },
  cleanedLines(pino.destination(1), (line) => scrubber.text(line)),
);
const { MONGODB_URI } = config;
if (!MONGODB_URI) throw new Error('MONGODB_URI is not set; `npm start` sets it for its own processes.');
const [secretKey, ...previousKeys] = secretKeys(config);
const beside = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// A person who asks is better told soon that the store is away than kept waiting.
await connectStore(MONGODB_URI, { patienceMs: 5_000 });
await ensureIndexes();
const notebooks = config.notebooks_dir;
await mkdir(notebooks, { recursive: true });
const editor = config.LONGHAUL_EDITOR_MODEL ?? (config.LONGHAUL_DEMO_URL ? DEMO_MODEL : undefined);
const builtinModels = { editor, dispatcher: config.LONGHAUL_DISPATCHER_MODEL ?? editor };
await prepareInstallation({
  builtinModels,
  ownerEmail: config.LONGHAUL_OWNER_EMAIL,
  bootstrapKey: config.LONGHAUL_BOOTSTRAP_KEY,
  sample: config.LONGHAUL_DEMO_URL ? { from: beside('../../demo/notebook'), folder: await realpath(notebooks) } : null,
});

// Lazy: without Temporal, everything can still be read, and what is started is recorded and started later.
const connection = Connection.lazy(temporalConnection(config));
/** A probe that hangs is an answer too. */
const within = (check: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    check.then(
      (answer) => answer !== false,
      () => false,
    ),
    setTimeout(PROBE_MS, false, { ref: false }),
  ]);
const temporal = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });
const runs = new RunCommands(
  {
    client: temporal,
    taskQueue: config.LONGHAUL_TASK_QUEUE,
    heartbeatMs: config.LONGHAUL_HEARTBEAT_MS,
    maxHistory: config.LONGHAUL_MAX_HISTORY,
  },
  logger,
  join(config.LONGHAUL_HOME, 'forks'),
  editLimitsFrom(config.LONGHAUL_EDIT_LIMITS),
);
const hub = new LiveHub(logger);
const audit = new AuditProjector(logger);
audit.start();
const tasks = new TaskUpkeep(runs, logger);
tasks.start();
const triggers = new TriggerUpkeep(runs.starter, logger);
triggers.start();
const mirrorsDir = join(config.LONGHAUL_HOME, 'mirrors');
const disk = new DiskUpkeep({ mirrorsDir, setupsDir: null }, logger);
disk.start();
const identity = createIdentity({ secretKey, previousKeys, oidc: oidcOf(config) });
const draining = new AbortController();

const server = createServer();
const localUrl = await listen(server, config);
const publicUrl = config.LONGHAUL_PUBLIC_URL?.replace(/\/+$/, '') ?? localUrl;
const app = createApp({
  identity,
  runs,
  hub,
  logger,
  publicUrl,
  secretKey,
  previousKeys,
  notebookRoots: config.notebook_roots,
  dataDir: config.LONGHAUL_HOME,
  mirrorsDir,
  providers: configuredProviders(modelSettings(config)),
  builtinModels,
  embeddingModel: embedding ? embeddingName(embedding) : undefined,
  readiness: async () => {
    const [store, engine, worker] = await Promise.all([
      within(storeIsReachable()),
      within(connection.withDeadline(Date.now() + PROBE_MS, () => connection.healthService.check({}))),
      within(workersPolling(temporal, config.LONGHAUL_TASK_QUEUE)),
    ]);
    return { mongodb: store, temporal: engine, worker };
  },
  draining: draining.signal,
  webDir: beside('../web'),
  proxyHops: config.LONGHAUL_PROXY_HOPS,
});
server.on('request', app);
const live = attachLive(server, { identity, hub, logger });

const sign_in_link = signInUrl(publicUrl, await createSignInLink(OWNER, OWNER_LINK_MS));
if (process.send) {
  const cli_key = await ensureCliKey(secretKey, `${hostname()}:${config.LONGHAUL_HOME}`);
  process.send({ type: 'ready', url: localUrl, sign_in_link, cli_key });
} else {
  // To whoever started it by hand, and not to the log, which is kept and collected.
  process.stderr.write(`Longhaul is at ${publicUrl}. Sign in once within 15 minutes: ${sign_in_link}\n`);
}
logger.info({ url: publicUrl }, 'listening');

// Beside the work: what is sealed under a previous key can be read until it is its turn.
renewCredentials([secretKey, ...previousKeys]).then(
  ({ renewed, unreadable }) => {
    if (renewed > 0) logger.info({ renewed }, 'credentials are sealed under the current SECRET_KEY now');
    if (unreadable > 0) logger.warn({ unreadable }, 'credentials are sealed under a SECRET_KEY that is not given');
  },
  (err: unknown) => logger.warn({ err }, 'credentials were not sealed anew; the next start goes on with it'),
);

/** Takes no more, lets go of who waits for news, finishes what it has begun. */
async function drain(): Promise<void> {
  if (draining.signal.aborted) return;
  draining.abort();
  logger.info('draining');
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  const impatience = new AbortController();
  setTimeout(config.LONGHAUL_DRAIN_MS, null, { signal: impatience.signal }).then(
    () => server.closeAllConnections(),
    () => undefined,
  );
  await live.close();
  await closed;
  impatience.abort();
  disk.stop();
  await Promise.all([hub.stop(), audit.stop(), tasks.stop(), triggers.stop()]);
  await Promise.all([connection.close(), disconnectStore()]);
  process.exit(0);
}
process.once('SIGTERM', drain);
process.once('SIGINT', drain);
// The supervisor is gone: its successor must find the port free.
process.once('disconnect', drain);

function listen(on: Server, { PORT, HOST }: Config): Promise<string> {
  return new Promise((done, fail) => {
    on.once('error', fail);
    on.listen(PORT, HOST, () => {
      const address = on.address();
      const port = typeof address === 'object' && address ? address.port : PORT;
      const host = HOST === '0.0.0.0' || HOST === '::' ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST;
      done(`http://${host}:${port}`);
    });
  });
}

function oidcOf({ OIDC_ISSUER, OIDC_AUDIENCE }: Config): OidcSettings | undefined {
  if (!OIDC_ISSUER) return undefined;
  if (!OIDC_AUDIENCE)
    throw new Error('OIDC_ISSUER is set without OIDC_AUDIENCE: tokens made for others would be taken.');
  return { issuer: OIDC_ISSUER, audience: OIDC_AUDIENCE };
}
