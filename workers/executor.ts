import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { NativeConnection } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import type { SnapshotLimits } from '../activities/checkout-standing.ts';
import { Checkouts } from '../activities/checkouts.ts';
import { clearLeftovers, keepDisk } from '../activities/disk-upkeep.ts';
import { type ActivityDeps, createActivities } from '../activities/index.ts';
import { RecordsAhead } from '../activities/records-ahead.ts';
import { setupsBeside } from '../activities/sandbox/setups.ts';
import { queueOf } from '../domain/checkout.ts';
import { BEAT_MS, beatExecutor, executorsOn, removeExecutor } from '../store/executors.ts';
import { identityText, isDeadNeighbour, ownIdentity, readIdentity } from './identity.ts';

export interface ExecutorOptions {
  connection: NativeConnection;
  namespace: string;
  /** Where executors have their directories, one each. */
  executorsDir: string;
  /** Copies of remotes, shared with whoever else has them on this machine. */
  mirrorsDir: string;
  /** What this machine is called. */
  host: string;
  /** How long a call under way may go on after it was asked to go. */
  graceMs: number;
  /** Of what is kept of checkouts; the usual ones where it is not said. */
  limits?: SnapshotLimits | undefined;
  deps: ActivityDeps;
}

export interface RunningExecutor {
  id: string;
  /** Takes nothing new from now on. */
  drain(): void;
  /** Resolves when it has stopped, with nothing left behind. */
  done: Promise<void>;
}

const SWEEP_MS = 15_000;
const DISK_MS = 600_000;

/** As a directory, and as part of the name of a queue. */
const plain = (host: string): string => host.replace(/[^\w.-]/g, '_');
const folderOf = (id: string): string => id.replaceAll(':', '@');

/** What dead neighbours have left, and their word that they live: nobody is to wait for it to grow old. */
async function clearNeighbours(host: string, executorsDir: string, own: string): Promise<void> {
  const self = ownIdentity();
  const alive = new Set([folderOf(own)]);
  for (const { _id, identity } of await executorsOn(host)) {
    const other = readIdentity(identity);
    if (_id !== own && other && isDeadNeighbour(other, self)) await removeExecutor(_id);
    else alive.add(folderOf(_id));
  }
  await clearLeftovers(executorsDir, (name) => name.startsWith(`${host}@`) && !alive.has(name));
}

/** Carries runs on git notebooks, whose files are in its directory; asked through a queue that nobody else reads. */
export async function startExecutor(options: ExecutorOptions): Promise<RunningExecutor> {
  const { connection, namespace, executorsDir, mirrorsDir, graceMs, deps } = options;
  const host = plain(options.host);
  const id = `${host}:${randomBytes(4).toString('hex')}`;
  const identity = identityText(ownIdentity());
  const checkouts = new Checkouts({
    executorId: id,
    dir: join(executorsDir, folderOf(id)),
    mirrorsDir,
    secretKeys: deps.secretKeys,
    limits: options.limits,
  });
  let draining = false;
  const record = { _id: id, queue: queueOf(id), host, identity, started_at: new Date() };
  const beat = () => beatExecutor({ ...record, draining });
  // Before anything is made: who clears up beside us must know that we are there.
  await beat();
  await clearNeighbours(host, executorsDir, id);
  await checkouts.begin();
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: record.queue,
    activities: { advance: createActivities({ ...deps, checkouts }, new RecordsAhead()).advance },
    identity,
    shutdownGraceTime: graceMs,
    maxConcurrentActivityTaskExecutions: 50,
    maxConcurrentActivityTaskPolls: 1,
  });
  const running = worker.run();

  const attempt = (what: string, act: () => Promise<void>): void =>
    void act().catch((err: unknown) => deps.logger.warn({ err }, `${what} failed`));
  const often = (ms: number, what: string, act: () => Promise<void>): NodeJS.Timeout =>
    setInterval(() => attempt(what, act), ms);
  const tidy = () => keepDisk({ mirrorsDir, setupsDir: setupsBeside(deps.snapshotsDir) });
  attempt('keeping the disk small', tidy);
  const timers = [
    often(BEAT_MS, 'telling that this executor lives', beat),
    often(SWEEP_MS, 'removing checkouts that nobody needs', () => checkouts.sweep()),
    often(DISK_MS, 'keeping the disk small', tidy),
  ];
  deps.logger.info({ executor: id }, 'executing');

  const leave = async (): Promise<void> => {
    for (const timer of timers) clearInterval(timer);
    await removeExecutor(id);
    await checkouts.end();
  };
  return {
    id,
    drain() {
      if (draining) return;
      draining = true;
      beat().catch(() => undefined);
      worker.shutdown();
    },
    done: running.finally(leave),
  };
}
