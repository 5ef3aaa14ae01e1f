import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf, type EnginePlace, type EngineProcess, startEngineProcess } from './engine-process.ts';
import { rememberEngine } from './engine-state.ts';
import { choosePort, isListening } from './ports.ts';
import { until } from './until.ts';

/** As it comes, the dev server polls its transfer queue 20 times a second, and an activity costs 99 ms; so, 11. */
const TUNING = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.transferProcessorMaxPollHostRPS=10000',
  'system.enableActivityEagerExecution=true',
];
/** Double the throughput on a file; survives kill -9, while a power cut may set Temporal back behind the log. */
const PRAGMAS = ['journal_mode=wal', 'synchronous=1'];

/** The dev server forgets ended workflows after a day; people look at last week's runs. */
const RETENTION = `${30 * 24 * 3600}s`;

export interface RunningTemporal {
  address: string;
  process: EngineProcess;
}

export async function startTemporal(
  place: EnginePlace & { http_port: number | undefined; namespace: string },
): Promise<RunningTemporal> {
  const { home, binary, namespace } = place;
  const data = join(home, 'temporal', 'temporal.db');
  mkdirSync(join(home, 'temporal'), { recursive: true, mode: 0o700 });
  const port = await choosePort(place.port);
  const http_port = await choosePort(place.http_port);
  rememberEngine(home, { temporal: { binary, port, http_port } });

  const process = startEngineProcess('temporal', place, data, [
    ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1'],
    ...['--port', String(port), '--http-port', String(http_port), '--db-filename', data],
    ...TUNING.flatMap((value) => ['--dynamic-config-value', value]),
    ...PRAGMAS.flatMap((value) => ['--sqlite-pragma', value]),
    ...(namespace === 'default' ? [] : ['--namespace', namespace]),
  ]);
  try {
    const wait = { what: 'Temporal does not come up', hopeless: process.hopeless };
    const url = `http://${addressOf(http_port)}/api/v1/namespaces/${encodeURIComponent(namespace)}`;
    const { config } = await until(() => describeNamespace(url), wait);
    await until(async () => (await isListening(port)) || null, wait);
    if (config.workflowExecutionRetentionTtl !== RETENTION) await setRetention(url);
  } catch (error) {
    process.kill();
    throw error;
  }
  return { address: addressOf(port), process };
}

interface Namespace {
  config: { workflowExecutionRetentionTtl: string };
}

async function describeNamespace(url: string): Promise<Namespace | null> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  return response.ok ? ((await response.json()) as Namespace) : null;
}

async function setRetention(url: string): Promise<void> {
  const response = await fetch(`${url}/update`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ config: { workflowExecutionRetentionTtl: RETENTION } }),
  });
  if (!response.ok) throw new Error(`Temporal refused the retention: ${response.status} ${await response.text()}`);
}
