import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Config, embeddingModel, readConfig, temporalConnection } from '../config.ts';
import { readJson, writeJson } from '../engines/json-file.ts';
import type { Ready } from '../engines/program.ts';
import { type Progress, progressOn, seconds } from '../engines/progress.ts';
import { requireNamespace, requireReplicaSet } from '../engines/reach.ts';
import { createSupervisor } from '../engines/supervisor.ts';

export interface StartOptions {
  port?: string;
  host?: string;
  home?: string;
  workers?: string;
  api?: string;
  demo?: boolean;
}

/** npm passes on a signal that the terminal has sent already: what comes so soon is the same Ctrl-C. */
const SAME_SIGNAL_MS = 500;
/** Beyond what a worker takes by itself to drain. */
const EXTRA_GRACE_MS = 20_000;

/** Runs until it is told to stop, and ends the process. */
export async function startCommand(options: StartOptions): Promise<void> {
  const since = Date.now();
  const progress = progressOn(process.stdout);
  const config = readConfig({ ...process.env, ...environmentOf(options) });
  // Before anything is started: none of its processes would come up.
  embeddingModel(config);
  const home = resolve(config.LONGHAUL_HOME);
  const supervisor = createSupervisor({
    ...{ home, progress },
    cache: resolve(config.LONGHAUL_CACHE),
    path: process.env.PATH ?? '',
    host: config.HOST,
    port: config.PORT,
    namespace: config.TEMPORAL_NAMESPACE,
    mongodb_uri: config.MONGODB_URI,
    temporal_address: config.TEMPORAL_ADDRESS,
    secret_key: config.SECRET_KEY,
    secret_key_previous: config.SECRET_KEY_PREVIOUS,
    bwrap: config.LONGHAUL_BWRAP,
    apis: countOf('api', options.api),
    workers: countOf('workers', options.workers),
    demo: options.demo === false || config.LONGHAUL_DEMO_URL ? null : { script: scriptAt('demo/model-server.js') },
    scripts: { api: scriptAt('api/server.js'), worker: scriptAt('workers/agent-worker.js') },
    grace_ms: config.LONGHAUL_DRAIN_MS + EXTRA_GRACE_MS,
    onApi: (ready) => rememberForCli(home, ready),
  });
  // However this process comes to its end, short of kill -9, nothing it started is left behind.
  process.once('exit', () => supervisor.kill());

  const told = untilSignal(progress);
  const broken = (async () => {
    await requireGivenEngines(config);
    const { url, sign_in_link } = await supervisor.start();
    progress.line(`Ready after ${seconds(since)}. Data is in ${home}, logs in ${join(home, 'logs')}; Ctrl-C stops it.`);
    progress.line(sign_in_link ? `Longhaul is ready. Sign in once at ${sign_in_link}` : `Longhaul is ready: ${url}`);
    return new Promise<never>(() => {});
  })().catch((error: unknown) => {
    progress.line(`Longhaul could not start. ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  });
  const code = await Promise.race([told.then(() => 0), broken]);
  await supervisor.stop();
  if (code === 0) progress.line('Stopped. Every run goes on from where it is at the next start.');
  process.exit(code);
}

/** Resolves at the first signal; a second one does not wait for anybody. */
function untilSignal(progress: Progress): Promise<void> {
  return new Promise((resolve) => {
    let first = 0;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (first === 0) {
          first = Date.now();
          progress.line('Stopping: workers finish what they cannot hand over. Once more to stop at once.');
          resolve();
        } else if (Date.now() - first > SAME_SIGNAL_MS) {
          process.exit(130);
        }
      });
    }
  });
}

async function requireGivenEngines(config: Config): Promise<void> {
  await Promise.all([
    config.MONGODB_URI ? requireReplicaSet(config.MONGODB_URI) : null,
    config.TEMPORAL_ADDRESS ? requireNamespace(temporalConnection(config), config.TEMPORAL_NAMESPACE) : null,
  ]);
}

const cliSchema = z.object({ url: z.string(), api_key: z.string().optional() });

/** So that `longhaul run` on this machine knows where to go, and as whom. */
function rememberForCli(home: string, { url, cli_key }: Ready): void {
  const path = join(home, 'cli.json');
  const known = readJson(path, cliSchema);
  if (url === undefined || (!cli_key && known === null)) return;
  writeJson(path, { ...known, url, ...(cli_key ? { api_key: cli_key } : {}) });
}

function environmentOf({ port, host, home }: StartOptions): Record<string, string> {
  const given = { PORT: port, HOST: host, LONGHAUL_HOME: home };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function countOf(flag: string, text: string | undefined): number {
  const value = Number(text ?? 1);
  if (Number.isInteger(value) && value >= 1 && value <= 64) return value;
  throw new Error(`--${flag} must be a whole number from 1 to 64, not "${text}".`);
}

/** Beside this file, where the build puts them all. */
function scriptAt(path: string): string {
  const script = fileURLToPath(new URL(`../${path}`, import.meta.url));
  if (!existsSync(script)) throw new Error(`${script} is missing; \`npm run build\` makes it.`);
  return script;
}
