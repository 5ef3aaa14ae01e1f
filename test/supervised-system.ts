import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { readConfig } from '../config.ts';
import type { Agent } from '../domain/agent.ts';
import type { Run } from '../domain/run.ts';
import { hasEnded } from '../domain/run.ts';
import type { EventPage, RunEvent } from '../domain/run-events.ts';
import type { Notebook, Workspace } from '../domain/workspace.ts';
import { silent } from '../engines/progress.ts';
import { createSupervisor } from '../engines/supervisor.ts';
import { ScriptedModel } from './doubles/scripted-model.ts';

const built = (path: string): string => fileURLToPath(new URL(`../dist/${path}`, import.meta.url));

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Polls a condition of another process, which cannot tell us itself. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>, ms = 60_000): Promise<T> {
  const deadline = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
    // Not oftener: who is asked all the time has no time for what is waited for.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** What processes are started with from now on, until the returned function is called. */
function withEnvironment(more: Record<string, string>): () => void {
  const before = Object.fromEntries(Object.keys(more).map((name) => [name, process.env[name]]));
  Object.assign(process.env, more);
  return () => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

/** The whole product as `npm start` runs it, engines of its own included, with a scripted model beside or instead of the demo one. */
export async function startSupervised({
  workers = 1,
  heartbeatMs = 5_000,
  demo = false,
  modelUrl,
}: {
  workers?: number;
  heartbeatMs?: number;
  demo?: boolean;
  /** Where the model is, if it is not the scripted one. */
  modelUrl?: string;
} = {}) {
  const model = await ScriptedModel.start();
  const home = await mkdtemp(join(inject('HOMES'), 'longhaul-supervised-'));
  const key = `lh_test_${'k'.repeat(40)}`;
  const restore = withEnvironment({
    LONGHAUL_BOOTSTRAP_KEY: key,
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: modelUrl ?? model.url,
    LONGHAUL_HEARTBEAT_MS: String(heartbeatMs),
    LONGHAUL_LOG_LEVEL: 'info',
  });
  const supervisor = createSupervisor({
    home,
    cache: readConfig().LONGHAUL_CACHE,
    path: process.env.PATH ?? '',
    namespace: 'default',
    progress: silent,
    host: '127.0.0.1',
    port: 0,
    apis: 1,
    workers,
    demo: demo ? { script: built('demo/model-server.js') } : null,
    scripts: { api: built('api/server.js'), worker: built('workers/agent-worker.js') },
    grace_ms: 5_000,
    onApi: (ready) => {
      url = ready.url ?? url;
    },
  });
  let url = '';
  const ready = await supervisor.start();
  url = ready.url ?? url;

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const reply = await fetch(`${url}${path.startsWith('/api/') ? '' : '/api/v1'}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as T;
  }

  /** A workspace of its own, with one notebook and one agent that plays scripts on it. */
  async function workspace(name: string) {
    const root = join(home, 'notebooks', name);
    await mkdir(root, { recursive: true });
    await writeFile(join(root, 'notes.md'), '# Notes\n');
    const { id: workspace_id } = await call<Workspace>('POST', '/workspaces', { name });
    const place = { workspace_id, name, kind: 'folder', path: root };
    const notebook = await call<Notebook>('POST', '/notebooks', place);
    const agent = await call<Agent>('POST', '/agents', {
      workspace_id,
      name: `${name} agent`,
      model: 'gpt-test',
      scope: { notebooks: ['*'] },
      can_write: true,
      can_create: true,
      visibility: 'workspace',
      max_iterations: 500,
      max_token_budget: 10_000_000,
    });
    return {
      id: workspace_id,
      root,
      async start(script: string): Promise<string> {
        const body = { agent_id: agent.id, notebook_id: notebook.id, input: `[script:${script}] Do it.` };
        return (await call<{ id: string }>('POST', '/runs', body)).id;
      },
    };
  }
  const { root, start } = await workspace('Crash');

  /** Engines and processes may be coming back: who asks meanwhile asks again. */
  const ask = <T>(path: string): Promise<T> =>
    eventually(`GET ${path}`, () => call<T>('GET', path).catch(() => undefined));

  async function pidOf(name: string): Promise<number> {
    return eventually(`a process ${name}`, async () => {
      const started = JSON.parse(await readFile(join(home, 'processes.json'), 'utf8')) as {
        name: string;
        pid: number;
      }[];
      const found = started.find((process) => process.name === name);
      return found && isRunning(found.pid) ? found.pid : undefined;
    });
  }

  return {
    model,
    root,
    call,
    ask,
    pidOf,
    url: () => url,
    key,
    home,
    start,
    workspace,
    sign_in_link: ready.sign_in_link ?? '',
    until: (id: string, condition: (run: Run) => boolean): Promise<Run> =>
      eventually(`the run ${id}`, async () => {
        const run = await ask<Run>(`/runs/${id}`);
        return condition(run) ? run : undefined;
      }),
    ended: (id: string): Promise<Run> =>
      eventually(
        `the end of ${id}`,
        async () => {
          const run = await ask<Run>(`/runs/${id}`);
          return hasEnded(run.status) ? run : undefined;
        },
        60_000,
      ),
    async events(id: string): Promise<RunEvent[]> {
      const all: RunEvent[] = [];
      for (;;) {
        const page = await ask<EventPage>(`/runs/${id}/events?cursor=${all.length + 1}`);
        if (page.events.length === 0) return all;
        all.push(...page.events);
      }
    },
    /** kill -9, and back only when the supervisor has brought up another in its place. */
    async kill(name: string): Promise<void> {
      const pid = await pidOf(name);
      process.kill(pid, 'SIGKILL');
      await eventually(`another ${name}`, async () => ((await pidOf(name)) === pid ? undefined : true));
    },
    async stop() {
      supervisor.kill();
      restore();
      await model.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export type Supervised = Awaited<ReturnType<typeof startSupervised>>;
