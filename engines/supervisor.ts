import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { obtainBubblewrap } from './bubblewrap.ts';
import { type EnginesWanted, startEngines } from './embedded.ts';
import { type FileLock, tryLock } from './file-lock.ts';
import type { KeptProcess } from './kept-process.ts';
import { endOrphans } from './orphans.ts';
import { choosePort, isFree } from './ports.ts';
import { type Ready, rotateLogs, startProgram } from './program.ts';
import { secretKeysOf } from './secrets.ts';

export interface SupervisorPlan extends Omit<EnginesWanted, 'keep'> {
  host: string;
  /** 0 for any. Further API processes take the ports after it. */
  port: number;
  apis: number;
  workers: number;
  /** null where there shall be none. */
  demo: { script: string } | null;
  scripts: { api: string; worker: string };
  secret_key?: string | undefined;
  secret_key_previous?: string | undefined;
  /** Where bubblewrap is; found or gotten where it is not said. */
  bwrap?: string | undefined;
  /** How long the workers may take to finish what cannot be handed over. */
  grace_ms: number;
  /** At the first readiness of the first API process and every later one. */
  onApi?: (ready: Ready) => void;
}

export interface Supervisor {
  /** Resolves when everything is ready, with what the first API process said. */
  start(): Promise<Ready>;
  /** Workers and API first, then what they stand on. */
  stop(): Promise<void>;
  /** At once, and without waiting for anything. */
  kill(): void;
}

const STOP_GRACE_MS = 15_000;

export function createSupervisor(plan: SupervisorPlan): Supervisor {
  const { home, progress } = plan;
  const programs: KeptProcess[] = [];
  const supports: KeptProcess[] = [];
  let lock: FileLock | undefined;
  let ending = false;

  /** What comes up after the end was asked for is ended at once. */
  const keepIn = (list: KeptProcess[]) => (process: KeptProcess) => {
    list.push(process);
    if (ending) process.kill();
  };

  async function start(): Promise<Ready> {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    lock = lockHome(home);
    const orphans = await endOrphans(home);
    if (orphans.length > 0) progress.line(`Ended what an earlier start had left behind: ${orphans.join(', ')}`);
    await requireFreePorts(plan);
    rotateLogs(home);
    const secrets = secretKeysOf(join(home, 'secret.key'), plan.secret_key, plan.secret_key_previous);

    const [engines, demo_url, bwrap] = await Promise.all([
      startEngines({ ...plan, keep: keepIn(supports) }),
      startDemo(plan, keepIn(supports)),
      plan.bwrap ?? obtainBubblewrap(plan).then((found) => found?.path),
    ]);
    const shared = {
      MONGODB_URI: engines.mongodb_uri,
      TEMPORAL_ADDRESS: engines.temporal_address,
      TEMPORAL_NAMESPACE: plan.namespace,
      ...secrets,
      HOST: plan.host,
      LONGHAUL_HOME: home,
      LONGHAUL_CACHE: plan.cache,
      ...(bwrap === undefined ? {} : { LONGHAUL_BWRAP: bwrap }),
      ...(demo_url === null ? {} : { LONGHAUL_DEMO_URL: demo_url }),
    };
    if (ending) throw new Error('Stopped while starting.');
    const started = [
      ...numbered(plan.apis).map((index) => startApi(plan, shared, index)),
      ...numbered(plan.workers).map((index) =>
        startProgram({ name: `worker-${index + 1}`, script: plan.scripts.worker, env: () => shared, home, progress }),
      ),
    ];
    for (const { process } of started) keepIn(programs)(process);
    const [first] = await Promise.all(started.map(({ ready }) => ready));
    return first ?? { type: 'ready' };
  }

  async function stop(): Promise<void> {
    ending = true;
    await Promise.all(programs.map((process) => process.stop(plan.grace_ms)));
    await Promise.all(supports.map((process) => process.stop(STOP_GRACE_MS)));
    lock?.release();
  }

  function kill(): void {
    ending = true;
    for (const process of [...programs, ...supports]) process.kill();
    lock?.release();
  }

  return { start, stop, kill };
}

const numbered = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

export const homeLock = (home: string): string => join(home, 'supervisor.lock');

function lockHome(home: string): FileLock {
  const lock = tryLock(homeLock(home));
  if ('release' in lock) return lock;
  const { pid, host } = lock.held_by;
  throw new Error(
    `Longhaul is already running on ${home} (process ${pid} on ${host}). ` +
      'Stop that one first, or start this one on another directory with --home and --port.',
  );
}

async function requireFreePorts({ host, port, apis }: SupervisorPlan): Promise<void> {
  if (port === 0) return;
  for (const index of numbered(apis)) {
    if (await isFree(port + index, host)) continue;
    throw new Error(
      `Port ${port + index} on ${host} is taken by another program. Give another one with --port (0 takes any).`,
    );
  }
}

function startApi(plan: SupervisorPlan, shared: Record<string, string>, index: number) {
  const { home, progress } = plan;
  let port = plan.port === 0 ? 0 : plan.port + index;
  return startProgram({
    name: index === 0 ? 'api' : `api-${index + 1}`,
    script: plan.scripts.api,
    env: () => ({ ...shared, PORT: String(port) }),
    onReady(ready) {
      // Whatever port it was given, it comes back there: browsers and clients are waiting for it.
      if (ready.url !== undefined) port = Number(new URL(ready.url).port) || port;
      if (index === 0) plan.onApi?.(ready);
    },
    ...{ home, progress },
  });
}

async function startDemo(plan: SupervisorPlan, keep: (process: KeptProcess) => void): Promise<string | null> {
  if (plan.demo === null) return null;
  const { home, progress } = plan;
  const port = await choosePort();
  const demo = startProgram({
    name: 'demo-model',
    script: plan.demo.script,
    args: () => ['--port', String(port)],
    env: () => ({}),
    readPrinted: (line) => (line.startsWith('{') ? { type: 'ready', url: String(JSON.parse(line).url) } : null),
    ...{ home, progress },
  });
  keep(demo.process);
  return (await demo.ready).url ?? null;
}
