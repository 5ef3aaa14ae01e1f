import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import { inject } from 'vitest';
import type { SnapshotLimits } from '../activities/checkout-standing.ts';
import { integrationTools } from '../activities/integrations/integration-tool.ts';
import { Interrupts, interruptCancelled } from '../activities/interrupts.ts';
import { KnownSecrets } from '../activities/known-secrets.ts';
import { McpConnections } from '../activities/mcp/connections.ts';
import { confinedPrograms } from '../activities/mcp/program.ts';
import type { Embedder } from '../activities/models/embedder.ts';
import { createProviders } from '../activities/models/index.ts';
import type { Resolve } from '../activities/public-lookup.ts';
import type { Sandbox } from '../activities/sandbox/sandbox.ts';
import { mcpTools } from '../activities/tools/mcp-tool.ts';
import { LiveHub } from '../api/live-hub.ts';
import { RunCommands } from '../api/run-commands.ts';
import { createAgentBody } from '../domain/agent.ts';
import { EDIT_LIMITS } from '../domain/edits/limits.ts';
import { cleanedLines } from '../domain/log-lines.ts';
import type { ModelSettings } from '../domain/model-settings.ts';
import { hasEnded, type Run } from '../domain/run.ts';
import { workflowIdOf } from '../domain/run-id.ts';
import { startRunBody } from '../domain/run-requests.ts';
import { createAgent } from '../store/agents.ts';
import { disconnectStore } from '../store/connection.ts';
import { newId } from '../store/ids.ts';
import { createNotebook } from '../store/notebooks.ts';
import { toRun } from '../store/run-record.ts';
import { findRun } from '../store/runs.ts';
import { createWorkspace } from '../store/workspaces.ts';
import { startExecutor } from '../workers/executor.ts';
import { createWorker } from '../workers/worker.ts';
import { AGENT_RUN } from '../workflows/messages.ts';
import type { RunStarter } from '../workflows/start.ts';
import { ScriptedModel } from './doubles/scripted-model.ts';
import { ownStore, unusedStore } from './own-store.ts';
import { newOwner } from './people.ts';

export const quiet = pino({ level: process.env.LONGHAUL_TEST_LOG ?? 'silent' });

/** As the API and the worker of a test have it. */
export const SECRET_KEY = 'a secret key for tests only';

export const AGENT = {
  name: 'Worker',
  model: 'gpt-test',
  scope: { notebooks: ['*'] },
  can_write: true,
  can_create: true,
};

type SystemOptions = {
  segmentMs?: number;
  heartbeatMs?: number;
  maxHistory?: number;
  contextTokens?: number;
  rateWindowMs?: number;
  /** Where the model is, if it is not the scripted one. */
  modelUrl?: string;
  /** Where the demo model is. */
  demoUrl?: string;
  /** The installation's own key for it. */
  modelKey?: string;
  /** How other providers are reached. */
  providers?: Partial<ModelSettings>;
  /** Processes that have the files of runs on git notebooks; here they are all in this one. */
  executors?: number;
  /** Of what they keep. */
  snapshotLimits?: SnapshotLimits;
  /** Runs commands; without it they are refused. */
  sandbox?: Sandbox;
  /** Under which folders those lie that programs of MCP servers may be given. */
  programRoots?: string[];
  /** Where everything that is logged goes, as it would be seen by an operator. */
  lines?: { write(line: string): void };
  /** Tells the meaning of text. */
  embedder?: Embedder;
  /** Looks up names for integrations. */
  resolve?: Resolve;
  /** A store that nobody has used before. */
  newStore?: boolean;
};

let installed = false;
function quietRuntime(): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
  });
}

let reached: Promise<TestWorkflowEnvironment> | null = null;
/**
 * One connection for all systems of a process: each that is made keeps a store for its calls, which every promise after
 * it is told of, also when it was closed long ago.
 */
function reachTemporal(): Promise<TestWorkflowEnvironment> {
  reached ??= TestWorkflowEnvironment.createFromExistingServer({ address: inject('TEMPORAL_ADDRESS') });
  return reached;
}

/** API commands, one worker and a scripted model in this process, on real engines. */
export async function startSystem({
  segmentMs = 10_000,
  heartbeatMs = 5_000,
  maxHistory = 2_000,
  contextTokens,
  rateWindowMs = 3_600_000,
  modelUrl,
  demoUrl,
  modelKey = 'test',
  providers = {},
  executors = 0,
  snapshotLimits,
  sandbox,
  programRoots = [],
  lines,
  embedder,
  resolve,
  newStore = false,
}: SystemOptions = {}) {
  quietRuntime();
  await (newStore ? unusedStore() : ownStore());
  const taskQueue = `test-${randomBytes(6).toString('hex')}`;
  const [model, environment] = await Promise.all([ScriptedModel.start(), reachTemporal()]);
  const { client } = environment;
  const home = await mkdtemp(join(tmpdir(), 'longhaul-home-'));
  const interrupts = new Interrupts();
  const unwatch = interruptCancelled(interrupts, () => undefined);
  const secrets = new KnownSecrets([SECRET_KEY, modelKey]);
  const logger = lines
    ? pino(
        { level: 'trace' },
        cleanedLines(lines, (line) => secrets.clean(line)),
      )
    : quiet;
  const mcp = new McpConnections(
    [SECRET_KEY],
    secrets,
    sandbox
      ? confinedPrograms(sandbox, { readable: { roots: programRoots }, writable: { roots: programRoots } })
      : () => Promise.reject(new Error('no programs are started here')),
  );
  const place = {
    connection: environment.nativeConnection,
    namespace: 'default',
    graceMs: 1_000,
    deps: {
      providerFor: createProviders({
        openai_api_key: modelKey || undefined,
        openai_base_url: modelUrl ?? model.url,
        demo_url: demoUrl,
        ...providers,
      }),
      ...(embedder ? { embedder } : {}),
      secrets,
      secretKeys: [SECRET_KEY] as const,
      interrupts,
      draining: () => false,
      segmentMs,
      heartbeatMs,
      modelIdleMs: 10_000,
      contextTokens: contextTokens ?? null,
      rateWindowMs,
      toolMakers: {
        mcp: mcpTools(mcp),
        integration: integrationTools({ secrets, secretKeys: [SECRET_KEY], ...(resolve ? { resolve } : {}) }),
      },
      snapshotsDir: join(home, 'snapshots'),
      ...(sandbox ? { sandbox } : {}),
      mcp,
      logger,
    },
  };
  const worker = await createWorker({
    ...place,
    taskQueue,
    workflowBundle: { codePath: fileURLToPath(new URL('../dist/workflows.js', import.meta.url)) },
  });
  /** Each with a flag of its own to drain it by. */
  const startAnotherExecutor = async () => {
    const flag = { draining: false };
    const executor = await startExecutor({
      ...place,
      deps: { ...place.deps, draining: () => flag.draining },
      executorsDir: join(home, 'executors'),
      mirrorsDir: join(home, 'mirrors'),
      host: 'here',
      limits: snapshotLimits,
    });
    const drain = async () => {
      flag.draining = true;
      executor.drain();
      await executor.done;
    };
    return { ...executor, drain };
  };
  const executing = await Promise.all(Array.from({ length: executors }, startAnotherExecutor));
  const running = worker.run();
  const starter = { client, taskQueue, heartbeatMs, maxHistory };
  const commands = new RunCommands(starter, logger, join(home, 'forks'), { ...EDIT_LIMITS });
  const hub = new LiveHub(quiet);

  const caller = await newOwner();
  const root = await mkdtemp(join(tmpdir(), 'longhaul-notebook-'));
  await writeFile(join(root, 'notes.md'), '# Notes\n\nThe first line.\nThe second line.\n');
  const workspace = await createWorkspace(caller, { id: newId('ws'), name: 'Test' });
  const notebook = await createNotebook(caller, {
    id: newId('nb'),
    workspace_id: workspace.id,
    name: 'Notebook',
    kind: 'folder',
    path: root,
  });
  const agent = await createAgent(caller, {
    ...createAgentBody.parse({ ...AGENT, workspace_id: workspace.id }),
    id: newId('agt'),
  });

  const get = async (id: string): Promise<Run> => toRun(await findRun(caller, id));

  /** Waits on the log, not on time. */
  async function until(id: string, condition: (run: Run) => boolean): Promise<Run> {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        const stop = hub.follow(id, { entry: done, delta: () => undefined, gap: done });
        // The record follows the log by a moment: look again soon even if nothing is appended.
        const soon = setTimeout(done, 50);
        function done() {
          clearTimeout(soon);
          stop();
          resolve();
        }
      });
      const run = await get(id);
      if (condition(run)) return run;
      await changed;
    }
  }

  return {
    model,
    logger,
    client,
    commands,
    hub,
    starter,
    caller,
    workspace,
    notebook,
    agent,
    root,
    home,
    worker,
    executors: executing,
    async startExecutor() {
      const executor = await startAnotherExecutor();
      executing.push(executor);
      return executor;
    },
    get,
    until,
    ended: (id: string) => until(id, (run) => hasEnded(run.status)),
    async start(
      script: string,
      more: Record<string, unknown> = {},
      otherwise: Partial<RunStarter> = {},
    ): Promise<string> {
      const body = startRunBody.parse({
        agent_id: agent.id,
        input: `[script:${script}] Do it.`,
        notebook_id: notebook.id,
        ...more,
      });
      return (
        await new RunCommands({ ...starter, ...otherwise }, quiet, join(home, 'forks')).start(caller, body, newId)
      )._id;
    },
    async stop() {
      worker.shutdown();
      await Promise.all([running, ...executing.map((executor) => executor.drain())]);
      await Promise.all([unwatch(), hub.stop(), mcp.close()]);
      await model.close();
      await disconnectStore();
      await Promise.all([root, home].map((dir) => rm(dir, { recursive: true, force: true })));
    },
  };
}

/** A workflow without a record, near the end of its patience: a timer of the server may take a second each time. */
export const startGivingUp = ({ client, starter, workspace }: System, run_id: string) =>
  client.workflow.start(AGENT_RUN, {
    taskQueue: starter.taskQueue,
    workflowId: workflowIdOf(run_id),
    args: [
      {
        v: 1,
        run_id,
        workspace_id: workspace.id,
        segment: 37,
        arrived: [],
        heartbeat_ms: starter.heartbeatMs,
        max_history: starter.maxHistory,
      },
    ],
  });

export type System = Awaited<ReturnType<typeof startSystem>>;
