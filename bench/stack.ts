import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../config.ts';
import { startEngines } from '../engines/embedded.ts';
import { NODE_FLAGS, nodeSurroundings } from '../engines/program.ts';
import { silent } from '../engines/progress.ts';

const built = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

export interface Child {
  process: ChildProcess;
  pid: number;
  ready: Record<string, unknown>;
}

/** A process of the product, or of the peer, that says when it is ready. */
async function startChild(
  path: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  logFile: string,
  execArgv: string[],
): Promise<Child> {
  const log = openSync(logFile, 'a');
  const child = fork(built(path), args, {
    execArgv,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const died = once(child, 'exit').then(() => {
    throw new Error(`${path} ended before it was ready; see ${logFile}`);
  });
  const [ready] = (await Promise.race([once(child, 'message'), died])) as [Record<string, unknown>];
  died.catch(() => undefined);
  if (child.pid === undefined) throw new Error(`${path} has no process id`);
  return { process: child, pid: child.pid, ready };
}

export async function killChild({ process: child }: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Engines of its own in a directory that goes away again; API and workers as in production, one process each. */
export async function startStack(modelUrl: string) {
  const config = readConfig();
  const home = mkdtempSync(join(tmpdir(), 'longhaul-bench-'));
  const engines = await startEngines({
    home,
    cache: config.LONGHAUL_CACHE,
    path: process.env.PATH ?? '',
    namespace: 'default',
    progress: silent,
  });
  const children: Child[] = [];
  const stop = async (): Promise<void> => {
    process.off('SIGINT', leave).off('SIGTERM', leave);
    for (const child of children) await killChild(child);
    await engines.stop();
    rmSync(home, { recursive: true, force: true });
  };
  const leave = () => void stop().finally(() => process.exit(1));
  process.once('SIGINT', leave).once('SIGTERM', leave);

  const notebook = join(home, 'notebooks', 'bench');
  mkdirSync(notebook, { recursive: true });
  writeFileSync(join(notebook, 'small.txt'), `${'a'.repeat(499)}\n`);
  const key = `lh_bench_${'k'.repeat(40)}`;
  const env = {
    ...nodeSurroundings(),
    PORT: '0',
    LONGHAUL_HOME: home,
    SECRET_KEY: 'bench-secret-bench-secret',
    MONGODB_URI: engines.mongodb_uri,
    TEMPORAL_ADDRESS: engines.temporal_address,
    LONGHAUL_BOOTSTRAP_KEY: key,
    LONGHAUL_LOG_LEVEL: 'warn',
    OPENAI_API_KEY: 'stub',
    OPENAI_BASE_URL: modelUrl,
  };
  /** Ended with the stack. */
  const start = async (
    path: string,
    args: string[],
    log: string,
    env: NodeJS.ProcessEnv = {},
    flags: string[] = [],
  ): Promise<Child> => {
    const child = await startChild(path, args, env, join(home, `${log}.log`), flags);
    children.push(child);
    return child;
  };
  const startApi = (more: NodeJS.ProcessEnv = {}) => start('api/server.js', [], 'api', { ...env, ...more }, NODE_FLAGS);
  const startWorker = () => start('workers/agent-worker.js', [], 'worker', env, NODE_FLAGS);
  const begin = async () => {
    const api = await startApi();
    return { api, worker: await startWorker() };
  };
  const { api, worker } = await begin().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const base = `${String(api.ready.url)}/api/v1`;
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as T;
  };
  return { home, engines, notebook, key, api, worker, call, start, startApi, startWorker, stop };
}

export type Stack = Awaited<ReturnType<typeof startStack>>;

/** A workspace, the notebook and an agent to run on it, made through the API as anybody would. */
export async function makeAgent(
  { call, notebook }: Stack,
  model = 'openai-compatible/stub',
): Promise<{ agent_id: string; notebook_id: string }> {
  const workspace = await call<{ id: string }>('POST', '/workspaces', { name: 'Bench' });
  const { id: notebook_id } = await call<{ id: string }>('POST', '/notebooks', {
    workspace_id: workspace.id,
    name: 'Bench',
    kind: 'folder',
    path: notebook,
  });
  const { id: agent_id } = await call<{ id: string }>('POST', '/agents', {
    workspace_id: workspace.id,
    name: 'Bench',
    model,
    scope: { notebooks: ['*'] },
    max_iterations: 10_000,
    max_token_budget: 100_000_000,
    max_requests_per_hour: null,
  });
  return { agent_id, notebook_id };
}
