import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import { Interrupts } from '../../activities/interrupts.ts';
import { KnownSecrets } from '../../activities/known-secrets.ts';
import { McpConnections } from '../../activities/mcp/connections.ts';
import { createProviders } from '../../activities/models/index.ts';
import { Sandbox } from '../../activities/sandbox/sandbox.ts';
import type { Fact } from '../../domain/facts.ts';
import { CheckoutRepository } from '../../files/checkout-repository.ts';
import { connectStore } from '../../store/connection.ts';
import { RunLog } from '../../store/event-log.ts';
import { startExecutor } from '../../workers/executor.ts';

/**
 * Where in a call the process ends itself, by kill -9. `begun`: it is in the log, and nothing was done. `cut`: its
 * command has said something. `acted`: it is done, and nobody knows. `kept`: the files are kept, and its result is not.
 * `told`: its result is in the log.
 */
export type Boundary = 'begun' | 'cut' | 'acted' | 'kept' | 'told';

export interface Doom {
  run_id: string;
  turn: number;
  at: Boundary;
}

export interface DoomedPlace {
  mongodb: string;
  database: string;
  temporal: string;
  model: string;
  bwrap: string;
  secretKey: string;
  home: string;
  heartbeatMs: number;
}

/**
 * A process of its own that carries runs on git notebooks until its hour has come: when each of those that are doomed
 * has come to its boundary and got no further.
 */
const place: DoomedPlace = JSON.parse(process.argv[2] ?? '{}');
interface Doomed extends Doom {
  /** The call it is waiting for is in the log and under way. */
  underWay: boolean;
  finished: boolean;
}
const doomed = new Map<string, Doomed>();
const there = new Set<string>();
const forever = new Promise<never>(() => undefined);

/** As far as it goes: what comes after is done by nobody, and the last one takes the process with it. */
const stopAt = (doom: Doomed | undefined, at: Boundary): Promise<never> | null => {
  if (doom?.at !== at) return null;
  there.add(doom.run_id);
  if (there.size === doomed.size) process.kill(process.pid, 'SIGKILL');
  return forever;
};
const isCall = (doom: Doomed, fact: Fact, kind: Fact['kind']): boolean =>
  fact.kind === kind && 'turn' in fact && fact.turn === doom.turn;
/** Checkouts lie in a folder that is named after the root of their tree. */
const doomOf = (dir: string): Doomed | undefined => {
  const doom = doomed.get(basename(dirname(dir)).replace(/\.\d+$/, ''));
  return doom?.underWay ? doom : undefined;
};

const { stage, flush } = RunLog.prototype;
const { take } = CheckoutRepository.prototype;
const { run } = Sandbox.prototype;
RunLog.prototype.stage = function (facts) {
  const doom = doomed.get(this.owner.run_id);
  if (doom && facts.some((fact) => isCall(doom, fact, 'tool_started'))) doom.underWay = true;
  if (doom && facts.some((fact) => isCall(doom, fact, 'tool_finished'))) doom.finished = true;
  stage.call(this, facts);
};
RunLog.prototype.flush = async function () {
  const doom = doomed.get(this.owner.run_id);
  if (doom?.finished) await stopAt(doom, 'kept');
  await flush.call(this);
  if (doom?.finished) await stopAt(doom, 'told');
  if (doom?.underWay) await stopAt(doom, 'begun');
};
CheckoutRepository.prototype.take = async function (...args) {
  await stopAt(doomOf(this.dir), 'acted');
  return take.apply(this, args);
};
Sandbox.prototype.run = function (wanted) {
  const heard = (text: string): void => {
    wanted.heard?.(text);
    void stopAt(doomOf(wanted.root), 'cut');
  };
  return run.call(this, { ...wanted, heard });
};

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
});
await connectStore(place.mongodb, { dbName: place.database });
const mcp = new McpConnections([place.secretKey], new KnownSecrets([]), () => Promise.reject(new Error('none here')));
const executor = await startExecutor({
  connection: await NativeConnection.connect({ address: place.temporal }),
  namespace: 'default',
  host: hostname(),
  executorsDir: `${place.home}/executors`,
  mirrorsDir: `${place.home}/mirrors`,
  graceMs: 100,
  deps: {
    providerFor: createProviders({ openai_api_key: 'test', openai_base_url: place.model }),
    secrets: new KnownSecrets([]),
    secretKeys: [place.secretKey],
    interrupts: new Interrupts(),
    draining: () => false,
    segmentMs: 60_000,
    heartbeatMs: place.heartbeatMs,
    modelIdleMs: 10_000,
    contextTokens: null,
    mcp,
    rateWindowMs: 3_600_000,
    snapshotsDir: `${place.home}/snapshots`,
    sandbox: await Sandbox.open({ bwrap: place.bwrap || undefined, path: process.env.PATH ?? '' }),
    logger: pino({ level: 'silent' }),
  },
});
process.on('message', (told: Doom[]) => {
  for (const doom of told) doomed.set(doom.run_id, { ...doom, underWay: false, finished: false });
  process.send?.('doomed');
});
process.on('disconnect', () => process.exit(0));
process.send?.({ id: executor.id });
