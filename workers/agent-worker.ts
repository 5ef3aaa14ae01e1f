import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import { Interrupts, interruptCancelled } from '../activities/interrupts.ts';
import { KnownSecrets } from '../activities/known-secrets.ts';
import { createProviders } from '../activities/models/index.ts';
import { installationSecrets, modelSettings, readConfig, secretKeys, temporalConnection } from '../config.ts';
import { cleanedLines } from '../domain/log-lines.ts';
import { connectStore, disconnectStore } from '../store/connection.ts';
import { ownIdentity } from './identity.ts';
import { Reconciler } from './reconciler.ts';
import { ensureRetention } from './retention-schedule.ts';
import { takeOver } from './takeover.ts';
import { createWorker } from './worker.ts';

const config = readConfig();
const secrets = new KnownSecrets(installationSecrets(config));
const logger = pino(
  { level: config.LONGHAUL_LOG_LEVEL, base: { process: 'worker', pid: process.pid } },
  cleanedLines(pino.destination(1), (line) => secrets.clean(line)),
);
if (!config.MONGODB_URI) throw new Error('MONGODB_URI is not set; `npm start` sets it for its own processes.');

Runtime.install({
  // Ours to handle: segments must hear of it before the SDK stops polling.
  shutdownSignals: [],
  logger: new DefaultLogger('WARN', ({ level, message, meta }) => logger.warn({ level, ...meta }, message)),
  telemetryOptions: { logging: { forward: {}, filter: 'WARN' } },
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let draining = false;
const interrupts = new Interrupts();
const address = temporalConnection(config);
const connecting = NativeConnection.connect(address);
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

const worker = await createWorker({
  connection: await connecting,
  namespace: config.TEMPORAL_NAMESPACE,
  taskQueue: config.LONGHAUL_TASK_QUEUE,
  workflowBundle: { codePath: fileURLToPath(new URL('../workflows.js', import.meta.url)) },
  graceMs: config.LONGHAUL_DRAIN_MS,
  deps: {
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
    snapshotsDir: join(config.LONGHAUL_HOME, 'snapshots'),
    keepRunsMs: config.LONGHAUL_RETENTION_DAYS ? config.LONGHAUL_RETENTION_DAYS * DAY_MS : null,
    logger,
  },
});

const starter = {
  client,
  taskQueue: config.LONGHAUL_TASK_QUEUE,
  heartbeatMs: config.LONGHAUL_HEARTBEAT_MS,
  maxHistory: config.LONGHAUL_MAX_HISTORY,
};
const reconciler = new Reconciler(client, starter, logger);

const drain = () => {
  if (draining) return;
  draining = true;
  logger.info('draining');
  worker.shutdown();
};
process.once('SIGTERM', drain);
process.once('SIGINT', drain);
// The supervisor is gone: nothing would restart this worker, and its successor must not find it at work.
process.once('disconnect', drain);

const running = worker.run();
reconciler.start();
ensureRetention(client, config.LONGHAUL_TASK_QUEUE).catch((err: unknown) =>
  logger.warn({ err }, 'the schedule of the clean-up is not set'),
);
process.send?.({ type: 'ready' });
logger.info({ task_queue: config.LONGHAUL_TASK_QUEUE }, 'working');

await running;
await reconciler.stop();
await unwatch();
await Promise.all([connecting.then((native) => native.close()), connection.close(), disconnectStore()]);
process.exit(0);
