import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readConfig } from '../../config.ts';
import { silent } from '../../engines/progress.ts';
import { createSupervisor } from '../../engines/supervisor.ts';
import { createClient } from '../../sdk/client.ts';

const built = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const HEARTBEAT_MS = 2_000;
const WORKERS = 2;
/** The person at the other end waits for a server that is away, instead of giving up. */
const PATIENCE_MS = 120_000;

const processesSchema = z.array(z.object({ name: z.string(), pid: z.number() }));

/** The product as `npm start` runs it, with two workers, in a directory that goes away again. */
export async function startProduct(modelUrl: string) {
  const home = mkdtempSync(join(tmpdir(), 'longhaul-chaos-'));
  const config = readConfig();
  const key = `lh_chaos_${'k'.repeat(40)}`;
  Object.assign(process.env, {
    LONGHAUL_BOOTSTRAP_KEY: key,
    OPENAI_API_KEY: 'stub',
    OPENAI_BASE_URL: modelUrl,
    LONGHAUL_HEARTBEAT_MS: String(HEARTBEAT_MS),
    LONGHAUL_LOG_LEVEL: 'info',
  });
  const supervisor = createSupervisor({
    home,
    cache: config.LONGHAUL_CACHE,
    path: process.env.PATH ?? '',
    namespace: 'default',
    progress: silent,
    host: '127.0.0.1',
    port: 0,
    apis: 1,
    workers: WORKERS,
    demo: null,
    scripts: { api: built('api/server.js'), worker: built('workers/agent-worker.js') },
    bwrap: config.LONGHAUL_BWRAP,
    grace_ms: 5_000,
  });
  process.once('exit', () => supervisor.kill());
  const { url } = await supervisor.start();
  if (url === undefined) throw new Error('the API did not say where it is');
  const root = join(home, 'notebooks', 'chaos');
  mkdirSync(join(root, 'made'), { recursive: true });
  writeFileSync(join(root, 'small.txt'), 'A small file to read.\n');

  /** As the supervisor last wrote them down; what has just died is still among them. */
  const processes = () => processesSchema.parse(JSON.parse(readFileSync(join(home, 'processes.json'), 'utf8')));

  return {
    home,
    root,
    client: createClient({ url, apiKey: key, patienceMs: PATIENCE_MS }),
    processes,
    /** True where it was there to be told. */
    signal(name: string, signal: NodeJS.Signals): boolean {
      const found = processes().find((running) => running.name === name);
      try {
        return found !== undefined && process.kill(found.pid, signal);
      } catch {
        return false;
      }
    },
    /** Keeps the directory, with its logs, where something is to be looked into. */
    stop(keep: boolean): void {
      supervisor.kill();
      if (!keep) rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export type Product = Awaited<ReturnType<typeof startProduct>>;
