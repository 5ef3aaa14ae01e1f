import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import type { ActivityDeps } from '../activities/index.ts';
import { integrationTools } from '../activities/integrations/integration-tool.ts';
import { Interrupts, interruptCancelled } from '../activities/interrupts.ts';
import { KnownSecrets } from '../activities/known-secrets.ts';
import { McpConnections } from '../activities/mcp/connections.ts';
import { confinedPrograms } from '../activities/mcp/program.ts';
import { createEmbedder } from '../activities/models/embedder.ts';
import { createProviders } from '../activities/models/index.ts';
import { recoverApplies } from '../activities/recover-applies.ts';
import { Sandbox } from '../activities/sandbox/sandbox.ts';
import { mcpTools } from '../activities/tools/mcp-tool.ts';
import { boundPatterns } from '../bounded-patterns.ts';
import {
  embeddingModel,
  installationSecrets,
  modelSettings,
  readConfig,
  sandboxSettings,
  secretKeys,
  temporalConnection,
} from '../config.ts';
import { editLimitsFrom } from '../domain/edits/limits.ts';
import { cleanedLines } from '../domain/log-lines.ts';
import { connectStore, disconnectStore } from '../store/connection.ts';
import { startExecutor } from './executor.ts';
import { ownIdentity } from './identity.ts';
import { KnowledgeUpkeep } from './knowledge-upkeep.ts';
import { Reconciler } from './reconciler.ts';
import { ensureRetention } from './retention-schedule.ts';
import { takeOver } from './takeover.ts';
import { createWorker } from './worker.ts';

boundPatterns();
const config = readConfig();
const embeddingRef = embeddingModel(config);
const secrets = new KnownSecrets(installationSecrets(config));
const logger = pino(
  { level: config.LONGHAUL_LOG_LEVEL, base: { process: 'worker', pid: process.pid } },
  cleanedLines(pino.destination(1), (line) => secrets.clean(line)),
);
if (!config.MONGODB_URI) throw new Error('MONGODB_URI is not set; `npm start` sets it for its own processes.');

Runtime.install({
  // Ours to handle: segments must hear of it before the SDK stops polling.
  shutdownSignals: [],
  logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
    // An executor is meant to carry activities alone.
    if (!message.startsWith('No workflows registered')) logger.warn({ level, ...meta }, message);
  }),
  telemetryOptions: { logging: { forward: {}, filter: 'WARN' } },
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let draining = false;
const interrupts = new Interrupts();
const address = temporalConnection(config);
const connecting = NativeConnection.connect(address);
const sandboxOptions = sandboxSettings(config, process.env.PATH ?? '');
const opening = Sandbox.open(sandboxOptions);
const [connection] = await Promise.all([Connection.connect(address), connectStore(config.MONGODB_URI)]);
const client = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });

const unwatch = interruptCancelled(interrupts, (err) =>
  logger.warn({ err }, 'the watch on the log broke off and is taken up again'),
);

// While the worker is being made: what its predecessor held is free again by the time it asks for work.
takeOver(client, ownIdentity(), logger).then(
  (taken) => taken > 0 && logger.info({ taken }, 'took over from a worker that is gone'),
  (err: unknown) => logger.warn({ err }, 'could not look for a dead predecessor'),
);

// Files that a worker before this one was changing when it died.
recoverApplies(logger).catch((err: unknown) => logger.warn({ err }, 'could not look for changes that were cut off'));

const sandbox = await opening;
const confinement = sandbox.confinement();
if (confinement.how === 'bubblewrap') logger.info(confinement, 'commands are confined');
else logger.warn(confinement, `commands are ${confinement.how}: ${confinement.why}`);

// Named by admins of workspaces: no more of this machine than what notebooks are made of and commands see.
const { notebook_roots: roots, LONGHAUL_HOME: dataDir } = config;
const programFolders = {
  writable: { roots, dataDir },
  readable: { roots: [...roots, ...sandboxOptions.readable], dataDir },
};
const mcp = new McpConnections(secretKeys(config), secrets, confinedPrograms(sandbox, programFolders));
const embedder = embeddingRef && createEmbedder(embeddingRef, modelSettings(config), (text) => secrets.clean(text));
const deps: ActivityDeps = {
  embedder,
  providerFor: createProviders(modelSettings(config)),
  secrets,
  secretKeys: secretKeys(config),
  interrupts,
  draining: () => draining,
  segmentMs: config.LONGHAUL_SEGMENT_MS,
  heartbeatMs: config.LONGHAUL_HEARTBEAT_MS,
  modelIdleMs: config.LONGHAUL_MODEL_IDLE_MS,
  contextTokens: config.LONGHAUL_CONTEXT_TOKENS ?? null,
  rateWindowMs: HOUR_MS,
  mcp,
  toolMakers: { integration: integrationTools({ secrets, secretKeys: secretKeys(config) }), mcp: mcpTools(mcp) },
  sandbox,
  snapshotsDir: join(config.LONGHAUL_HOME, 'snapshots'),
  keepRunsMs: config.LONGHAUL_RETENTION_DAYS ? config.LONGHAUL_RETENTION_DAYS * DAY_MS : null,
  editLimits: editLimitsFrom(config.LONGHAUL_EDIT_LIMITS),
  logger,
};

const place = {
  connection: await connecting,
  namespace: config.TEMPORAL_NAMESPACE,
  graceMs: config.LONGHAUL_DRAIN_MS,
  deps,
};
const carries = config.LONGHAUL_WORKER !== 'executor';
const executes = config.LONGHAUL_WORKER !== 'runs';
const worker = carries
  ? await createWorker({
      ...place,
      taskQueue: config.LONGHAUL_TASK_QUEUE,
      workflowBundle: { codePath: fileURLToPath(new URL('../workflows.js', import.meta.url)) },
    })
  : null;
// In the same process unless told otherwise: a second one would hold as much memory again.
const executor = executes
  ? await startExecutor({
      ...place,
      executorsDir: join(config.LONGHAUL_HOME, 'executors'),
      mirrorsDir: join(config.LONGHAUL_HOME, 'mirrors'),
      host: hostname(),
    })
  : null;

const starter = {
  client,
  taskQueue: config.LONGHAUL_TASK_QUEUE,
  heartbeatMs: config.LONGHAUL_HEARTBEAT_MS,
  maxHistory: config.LONGHAUL_MAX_HISTORY,
};
const reconciler = new Reconciler(client, starter, logger);
const knowledge = embedder && new KnowledgeUpkeep(embedder, logger);

const drain = () => {
  if (draining) return;
  draining = true;
  logger.info('draining');
  executor?.drain();
  worker?.shutdown();
};
process.once('SIGTERM', drain);
process.once('SIGINT', drain);
// The supervisor is gone: nothing would restart this worker, and its successor must not find it at work.
process.once('disconnect', drain);

const running = Promise.all([worker?.run(), executor?.done]);
if (carries) {
  reconciler.start();
  knowledge?.start();
  ensureRetention(client, config.LONGHAUL_TASK_QUEUE).catch((err: unknown) =>
    logger.warn({ err }, 'the schedule of the clean-up is not set'),
  );
}
process.send?.({ type: 'ready' });
logger.info({ task_queue: config.LONGHAUL_TASK_QUEUE, carries, executes }, 'working');

await running;
await reconciler.stop();
await knowledge?.stop();
await unwatch();
await mcp.close();
await sandbox.close();
await Promise.all([connecting.then((native) => native.close()), connection.close(), disconnectStore()]);
process.exit(0);
