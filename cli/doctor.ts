import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { Sandbox } from '../activities/sandbox/sandbox.ts';
import {
  type Config,
  embeddingModel,
  modelSettings,
  printable,
  readConfig,
  sandboxSettings,
  temporalConnection,
} from '../config.ts';
import { embeddingName } from '../domain/embedding.ts';
import { configuredProviders } from '../domain/model-settings.ts';
import { type EngineKind, findOnPath } from '../engines/binary.ts';
import { BUBBLEWRAP } from '../engines/bubblewrap.ts';
import { readState } from '../engines/engine-state.ts';
import { lockHolder } from '../engines/file-lock.ts';
import { readJson } from '../engines/json-file.ts';
import { MONGOD } from '../engines/mongod-binary.ts';
import { locate } from '../engines/obtain.ts';
import { isFree } from '../engines/ports.ts';
import { requireNamespace, requireReplicaSet } from '../engines/reach.ts';
import { homeLock } from '../engines/supervisor.ts';
import { TEMPORAL } from '../engines/temporal-binary.ts';

interface Finding {
  name: string;
  /** `missing` fails the doctor; `absent` is what one can do without. */
  state: 'ok' | 'absent' | 'missing';
  found: string;
  advice?: string;
}

const OLDEST_NODE = [20, 19] as const;
const LEAST_SPACE = 2e9;
const path = process.env.PATH ?? '';

/** What was found, what is missing and how to get it. Exit code 1 where something essential cannot be had. */
export async function doctorCommand({ json = false }: { json?: boolean }): Promise<void> {
  const config = readConfig();
  const findings = await Promise.all([
    node(),
    mongod(config),
    temporal(config),
    cache(config),
    home(config),
    port(config),
    disk(config),
    program('git', ['git'], 'notebooks that are git repositories need it'),
    executors(config),
    bubblewrap(config),
    search(),
    chromium(),
    models(config),
    embeddings(config),
  ]);
  if (findings.some(({ state }) => state === 'missing')) process.exitCode = 1;
  const everything = { findings, configuration: printable(config) };
  process.stdout.write(json ? `${JSON.stringify(everything, null, 2)}\n` : readable(findings));
}

function readable(findings: Finding[]): string {
  const mark = { ok: 'ok     ', absent: '-      ', missing: 'MISSING' };
  const lines = findings.flatMap(({ name, state, found, advice }) => [
    `${mark[state]}  ${name.padEnd(11)} ${found}`,
    ...(advice ? advice.split('\n').map((line) => `${' '.repeat(21)}${line}`) : []),
  ]);
  const last = findings.some(({ state }) => state === 'missing')
    ? 'Something essential is missing, see above.'
    : 'Everything essential is there or can be gotten.';
  return `${[...lines, last].join('\n')}\n`;
}

async function node(): Promise<Finding> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const found = `${process.versions.node}, ${process.platform}-${process.arch}`;
  if (isNew) return { name: 'node', state: 'ok', found };
  return { name: 'node', state: 'missing', found, advice: `Install Node ${OLDEST_NODE.join('.')} or newer.` };
}

const mongod = (config: Config): Promise<Finding> =>
  config.MONGODB_URI
    ? given('mongod', 'MONGODB_URI is set and answers', () => requireReplicaSet(config.MONGODB_URI ?? ''))
    : engine(MONGOD, config);

const temporal = (config: Config): Promise<Finding> =>
  config.TEMPORAL_ADDRESS
    ? given('temporal', `${config.TEMPORAL_ADDRESS} answers`, () =>
        requireNamespace(temporalConnection(config), config.TEMPORAL_NAMESPACE),
      )
    : engine(TEMPORAL, config);

async function given(name: string, found: string, reach: () => Promise<void>): Promise<Finding> {
  try {
    await reach();
    return { name, state: 'ok', found };
  } catch (error) {
    return { name, state: 'missing', found: error instanceof Error ? error.message : String(error) };
  }
}

async function engine(kind: EngineKind & { engine: 'mongod' | 'temporal' }, config: Config): Promise<Finding> {
  const name = kind.engine;
  const made_by = readState(resolve(config.LONGHAUL_HOME))[name]?.binary;
  const wanted = { cache: resolve(config.LONGHAUL_CACHE), path, ...(made_by && { made_by }) };
  const { binary, on_path, tried } = await locate(kind, wanted);
  const here = binary ?? on_path;
  if (here) {
    const caution = kind.caution?.(here.version);
    const found = `${here.version}, ${here.path} (${here.source})`;
    return { name, state: 'ok', found, ...(caution && { advice: caution }) };
  }
  for (const source of kind.sources) {
    if (await source.isOpen(path)) {
      return { name, state: 'ok', found: 'not here yet', advice: `The first start gets it: ${source.title}` };
    }
  }
  return { name, state: 'missing', found: tried.join('; '), advice: kind.advice };
}

/** Whether commands of agents can be confined here, by what, and which limits hold. Without it they are refused. */
async function bubblewrap(config: Config): Promise<Finding> {
  const name = 'bubblewrap';
  const wanted = { cache: resolve(config.LONGHAUL_CACHE), path };
  const located = config.LONGHAUL_BWRAP ? null : await locate(BUBBLEWRAP, wanted);
  const bwrap = config.LONGHAUL_BWRAP ?? located?.binary?.path ?? located?.on_path?.path;
  const sandbox = await Sandbox.open({ ...sandboxSettings(config, path), bwrap });
  const { how, why, limits } = sandbox.confinement();
  await sandbox.close();
  if (how === 'bubblewrap')
    return { name, state: 'ok', found: `commands are confined by ${why}`, advice: limits.join('\n') };
  if (how === 'unconfined')
    return { name, state: 'absent', found: `commands run UNCONFINED, as LONGHAUL_UNCONFINED_COMMANDS says: ${why}` };
  const [source] = BUBBLEWRAP.sources;
  const canBeGotten = bwrap === undefined && process.platform === 'linux' && (await source?.isOpen(path)) === true;
  const found = canBeGotten ? 'not here yet' : `commands of agents are refused: ${why}`;
  return {
    name,
    state: 'absent',
    found,
    advice: canBeGotten ? `The first start gets it: ${source?.title}` : BUBBLEWRAP.advice,
  };
}

async function cache(config: Config): Promise<Finding> {
  const folder = resolve(config.LONGHAUL_CACHE);
  const engines = existsSync(folder) ? readdirSync(folder).filter((name) => /-\d/.test(name)) : [];
  return writable('cache', folder, engines.length > 0 ? `${folder} with ${engines.join(', ')}` : `${folder}, empty`);
}

async function home(config: Config): Promise<Finding> {
  const folder = resolve(config.LONGHAUL_HOME);
  const holder = lockHolder(homeLock(folder));
  const state = existsSync(join(folder, 'engines.json')) ? 'with data' : 'no data yet';
  return writable('home', folder, `${folder}, ${holder ? `in use by process ${holder.pid}` : state}`);
}

function writable(name: string, folder: string, found: string): Finding {
  let nearest = folder;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK);
    return { name, state: 'ok', found };
  } catch {
    const advice = `${nearest} cannot be written; set LONGHAUL_${name.toUpperCase()} to another directory.`;
    return { name, state: 'missing', found, advice };
  }
}

async function port(config: Config): Promise<Finding> {
  const found = `${config.HOST}:${config.PORT}`;
  if (config.PORT === 0 || (await isFree(config.PORT, config.HOST))) return { name: 'port', state: 'ok', found };
  if (lockHolder(homeLock(resolve(config.LONGHAUL_HOME)))) {
    return { name: 'port', state: 'ok', found: `${found}, taken; Longhaul is running` };
  }
  const advice = 'Another program has it: start with --port, or set PORT.';
  return { name: 'port', state: 'missing', found: `${found} is taken`, advice };
}

async function disk(config: Config): Promise<Finding> {
  let nearest = resolve(config.LONGHAUL_HOME);
  while (!existsSync(nearest)) nearest = dirname(nearest);
  const { bavail, bsize } = statfsSync(nearest);
  const found = `${(Math.round((bavail * bsize) / 1e8) / 10).toFixed(1)} GB free at ${nearest}`;
  if (bavail * bsize >= LEAST_SPACE) return { name: 'disk', state: 'ok', found };
  return { name: 'disk', state: 'missing', found, advice: 'At least 2 GB are needed; set LONGHAUL_HOME elsewhere.' };
}

async function program(name: string, programs: string[], advice: string): Promise<Finding> {
  const found = programs.map((one) => findOnPath(one, path)).find((one) => one !== null);
  if (found === undefined) return { name, state: 'absent', found: 'not on PATH', advice };
  return { name, state: 'ok', found: (await versionOf(found)) || found };
}

/** The first line it says; null where it cannot be run. */
const versionOf = (program: string | null): Promise<string | null> =>
  new Promise((told) => {
    if (program === null) return told(null);
    execFile(program, ['--version'], { timeout: 10_000 }, (error, stdout) =>
      told(error ? null : (stdout.trim().split('\n')[0] ?? '')),
    );
  });

/** Comes with the installation where there is one for the system; Longhaul searches by itself elsewhere. */
async function search(): Promise<Finding> {
  const { rgPath } = await import('@vscode/ripgrep').catch(() => ({ rgPath: null }));
  const version = await versionOf(rgPath);
  if (version !== null) return { name: 'search', state: 'ok', found: version };
  const advice = 'Longhaul searches files one by one, which takes long in large notebooks; `npm install` gets ripgrep';
  return { name: 'search', state: 'absent', found: 'no ripgrep for this system', advice };
}

/** Only a system that runs has any; it is asked where this machine's own one says it is. */
async function executors(config: Config): Promise<Finding> {
  const name = 'executors';
  const known = readJson(join(resolve(config.LONGHAUL_HOME), 'cli.json'), z.object({ url: z.string() }));
  const url = config.LONGHAUL_URL ?? known?.url;
  const readySchema = z.object({ executors: z.number() });
  const told = url
    ? await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(2_000) })
        .then(async (reply) => readySchema.parse(await reply.json()).executors)
        .catch(() => null)
    : null;
  if (told === null) return { name, state: 'absent', found: 'Longhaul is not running; its workers are executors too' };
  if (told > 0) return { name, state: 'ok', found: `${told} take runs on git notebooks` };
  const advice = 'Runs on git notebooks wait: start a worker with LONGHAUL_WORKER=all or executor.';
  return { name, state: 'absent', found: 'none', advice };
}

async function models(config: Config): Promise<Finding> {
  const providers = Object.keys(configuredProviders(modelSettings(config)));
  const found = providers.join(', ') || 'none has a key or an address in the environment';
  const advice = 'others need a key: see docs/models.md, or set the credential api_key of an agent';
  return { name: 'models', state: providers.length > 0 ? 'ok' : 'absent', found, advice };
}

async function embeddings(config: Config): Promise<Finding> {
  const name = 'embeddings';
  try {
    const ref = embeddingModel(config);
    if (ref) return { name, state: 'ok', found: `${embeddingName(ref)} tells the meaning of documents` };
  } catch (error) {
    const advice = 'Set it to a model of OpenAI, Azure, Gemini, Ollama or a compatible server, or not at all.';
    return { name, state: 'missing', found: error instanceof Error ? error.message : String(error), advice };
  }
  const advice = 'set LONGHAUL_EMBEDDING_MODEL to have documents found by their meaning: see docs/knowledge.md';
  return { name, state: 'absent', found: 'none: documents are found by words alone', advice };
}

const chromium = (): Promise<Finding> =>
  program(
    'chromium',
    ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
    'only the browser tests need it; `npm test` gets it',
  );
