import { mkdirSync } from 'node:fs';
import type { Binary, EngineKind } from './binary.ts';
import type { EngineProcess } from './engine-process.ts';
import { readState } from './engine-state.ts';
import type { KeptProcess } from './kept-process.ts';
import { startMongod } from './mongod.ts';
import { MONGOD } from './mongod-binary.ts';
import { obtain } from './obtain.ts';
import type { Progress } from './progress.ts';
import { startTemporal } from './temporal.ts';
import { TEMPORAL } from './temporal-binary.ts';

export interface EnginesWanted {
  /** Where data, logs and secrets lie. */
  home: string;
  cache: string;
  /** The PATH to look along for programs. */
  path: string;
  namespace: string;
  progress: Progress;
  /** Set where a deployment gives the engine; then none is gotten or started. */
  mongodb_uri?: string | undefined;
  temporal_address?: string | undefined;
  /** Told of each process before it is ready. */
  keep?: (process: KeptProcess) => void;
}

export interface Engines {
  mongodb_uri: string;
  temporal_address: string;
  processes: EngineProcess[];
  stop(): Promise<void>;
}

const STOP_GRACE_MS = 15_000;

/** Both at once; and where both are missing, both are named. */
export async function obtainEngines(
  wanted: EnginesWanted,
): Promise<{ mongod: Binary | null; temporal: Binary | null }> {
  const { home, cache, path, progress } = wanted;
  const known = readState(home);
  const get = (kind: EngineKind, given: string | undefined, made_by?: Binary) =>
    given === undefined ? obtain(kind, { cache, path, progress, ...(made_by && { made_by }) }) : null;
  const [mongod, temporal] = await Promise.allSettled([
    get(MONGOD, wanted.mongodb_uri, known.mongod?.binary),
    get(TEMPORAL, wanted.temporal_address, known.temporal?.binary),
  ]);
  if (mongod.status === 'fulfilled' && temporal.status === 'fulfilled') {
    return { mongod: mongod.value, temporal: temporal.value };
  }
  throw new Error(failures([mongod, temporal]).join('\n\n'));
}

export async function startEngines(wanted: EnginesWanted): Promise<Engines> {
  const { home, namespace, progress, keep = () => {} } = wanted;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const binaries = await obtainEngines(wanted);
  const known = readState(home);
  const [mongod, temporal] = await Promise.allSettled([
    binaries.mongod && startMongod({ home, progress, keep, binary: binaries.mongod, port: known.mongod?.port }),
    binaries.temporal &&
      startTemporal({
        ...{ home, progress, keep, namespace, binary: binaries.temporal },
        ...{ port: known.temporal?.port, http_port: known.temporal?.http_port },
      }),
  ]);
  const processes = [mongod, temporal].flatMap((outcome) =>
    outcome.status === 'fulfilled' && outcome.value ? [outcome.value.process] : [],
  );
  if (mongod.status === 'rejected' || temporal.status === 'rejected') {
    for (const process of processes) process.kill();
    throw new Error(failures([mongod, temporal]).join('\n\n'));
  }
  return {
    mongodb_uri: mongod.value?.uri ?? wanted.mongodb_uri ?? '',
    temporal_address: temporal.value?.address ?? wanted.temporal_address ?? '',
    processes,
    async stop() {
      await Promise.all(processes.map((process) => process.stop(STOP_GRACE_MS)));
    },
  };
}

const failures = (outcomes: PromiseSettledResult<unknown>[]): string[] =>
  outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [];
    return [outcome.reason instanceof Error ? outcome.reason.message : String(outcome.reason)];
  });
