import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { Sandbox } from '../../activities/sandbox/sandbox.ts';
import { checkoutId } from '../../domain/checkout.ts';
import { startRunBody } from '../../domain/run-requests.ts';
import { entryEvents, entrySteps } from '../../domain/trace.ts';
import type { Notebook } from '../../domain/workspace.ts';
import { leaseCollection, loadLease } from '../../store/checkout-leases.ts';
import { newId } from '../../store/ids.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { ownIdentity } from '../../workers/identity.ts';
import { takeOver } from '../../workers/takeover.ts';
import type { Forge } from '../doubles/forge.ts';
import type { GitRemote } from '../doubles/git-remote.ts';
import { coder, OPERATIONS, pathOf, RIGHT, repositoryFor } from '../git-path.ts';
import { quiet, SECRET_KEY, type System, startSystem } from '../running-system.ts';
import { openTestSandbox } from '../sandbox-here.ts';
import type { Boundary, Doom, DoomedPlace } from './doomed-executor.ts';

/** Long: who is dead is told by `takeOver`, and who is merely slow on a busy machine must not be taken for it. */
const HEARTBEAT_MS = 60_000;
const PROGRAM = fileURLToPath(new URL('../../dist/test/doomed-executor.js', import.meta.url));

let system: System;
let sandbox: Sandbox;
let remote: GitRemote;
let forge: Forge;
let notebook: Notebook;
let agent_id: string;
beforeAll(async () => {
  sandbox = await openTestSandbox();
  system = await startSystem({ sandbox, executors: 1, heartbeatMs: HEARTBEAT_MS });
  ({ remote, forge, notebook } = await repositoryFor(system));
  agent_id = await coder(system, 'gpt-test');
  await build({
    entryPoints: [fileURLToPath(new URL('doomed-executor.ts', import.meta.url))],
    outfile: PROGRAM,
    ...{ bundle: true, packages: 'external', format: 'esm', platform: 'node', target: 'node20', logLevel: 'silent' },
  });
});
afterAll(async () => {
  await system.stop();
  await Promise.all([sandbox.close(), remote.close(), forge.close()]);
});

/** An executor in a process of its own, which nobody but those who are sent there goes to: it looks crowded. */
async function doomedExecutor(): Promise<{ child: ChildProcess; id: string }> {
  const place: DoomedPlace = {
    mongodb: inject('MONGODB_URI'),
    database: mongoose.connection.name,
    temporal: inject('TEMPORAL_ADDRESS'),
    model: system.model.url,
    bwrap: inject('BWRAP'),
    secretKey: SECRET_KEY,
    home: system.home,
    heartbeatMs: HEARTBEAT_MS,
  };
  const child = fork(PROGRAM, [JSON.stringify(place)], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const early = once(child, 'exit').then(() => Promise.reject(new Error('it died before its time')));
  const [{ id }] = (await Promise.race([once(child, 'message'), early])) as [{ id: string }];
  early.catch(() => undefined);
  return { child, id };
}

const lease = (root_run_id: string, executor_id: string) => ({
  _id: checkoutId(root_run_id, notebook.id),
  ...{ root_run_id, notebook_id: notebook.id, executor_id, epoch: 1, seq: 0 },
  ...{ claimed_at: new Date(), released_at: null },
});

type Row = [at: Boundary, turn: number, operation: string];
interface Killed {
  id: string;
  branch: string;
}

const nameOf = ([at, turn, operation]: Row): string => `${at}-${operation}-${turn}`;

/** One process that has all of them, killed when each is at its point of the path; all it had on disk is taken away. */
async function killedAt(rows: Row[]): Promise<Map<Row, Killed>> {
  const { child, id: executor } = await doomedExecutor();
  const killed = new Map(rows.map((row) => [row, { id: newId('run'), branch: `fix/${nameOf(row)}` }]));
  const crowd = Array.from({ length: 40 }, () => lease(newId('run'), executor));
  await leaseCollection().insertMany([...[...killed.values()].map(({ id }) => lease(id, executor)), ...crowd]);
  const dead = once(child, 'exit');
  const doom = [...killed].map(([[at, turn], { id }]): Doom => ({ run_id: id, turn, at }));
  child.send(doom);
  await once(child, 'message');
  for (const [row, { id, branch }] of killed) {
    const name = nameOf(row);
    system.model.script(name, pathOf(branch, 'sh check.sh'));
    const body = startRunBody.parse({ agent_id, input: `[script:${name}] Do it.`, notebook_id: notebook.id });
    await system.commands.start(system.caller, body, (prefix) => (prefix === 'run' ? id : newId(prefix)));
  }
  const [, signal] = await dead;
  expect(signal).toBe('SIGKILL');
  await rm(join(system.home, 'executors', executor.replaceAll(':', '@')), { recursive: true, force: true });
  // As the worker does that is started in its place; who has just died may not be known as dead yet.
  const movedOn = async () => {
    await takeOver(system.client, ownIdentity(), quiet);
    const leases = await Promise.all([...killed.values()].map(({ id }) => loadLease(checkoutId(id, notebook.id))));
    return leases.every((each) => (each?.epoch ?? 0) > 1);
  };
  await vi.waitUntil(movedOn, { timeout: 120_000, interval: 250 });
  return killed;
}

const expectOnce = ({ branch }: Killed): void => {
  const commit = remote.commitAt(branch);
  expect(remote.git('rev-list', '--count', `main..${branch}`)).toBe('1');
  expect(remote.git('diff', '--name-only', 'main', branch)).toBe('src/sum.js');
  expect(remote.git('show', `${branch}:src/sum.js`)).toBe(RIGHT.trim());
  expect(remote.pushes.filter(({ ref }) => ref === `refs/heads/${branch}`)).toEqual([
    { ref: `refs/heads/${branch}`, commit },
  ]);
  expect(forge.pulls.filter(({ head }) => head.ref === branch)).toHaveLength(1);
};

const rowsAt = (at: Boundary, of = OPERATIONS): Row[] =>
  OPERATIONS.flatMap((operation, index): Row[] => (of.includes(operation) ? [[at, index + 1, operation]] : []));

/** Together those that die together. What is cut off in the middle of a command has a process of its own. */
const GROUPS: Row[][] = [
  rowsAt('begun'),
  [...rowsAt('acted', ['branch', 'write', 'apply_patch', 'commit', 'push', 'open_pr'])],
  [...rowsAt('kept', ['write', 'commit', 'push', 'open_pr']), ['told', 6, 'commit']],
  [['cut', 3, 'test']],
];

/** One process after the other: so many that begin at once are too much for two cores. */
let last: Promise<unknown> = Promise.resolve();
const groups = new Map<Row[], Promise<Map<Row, Killed>>>();
function groupOf(rows: Row[]): Promise<Map<Row, Killed>> {
  const known = groups.get(rows) ?? last.then(() => killedAt(rows));
  last = groups.has(rows) ? last : known;
  groups.set(rows, known);
  return known;
}

describe('[15.3] kill -9 of the executor, and all its files gone: one commit, one push, one pull request', () => {
  it.concurrent.each(GROUPS.flatMap((rows) => rows.map((row) => [...row, rows, row] as const)))(
    '%s %d: %s',
    async (_, turn, operation, rows, row) => {
      const killed = (await groupOf(rows)).get(row) ?? { id: '', branch: '' };
      expect(await system.ended(killed.id)).toMatchObject({ status: 'completed', output: 'The pull request is open.' });
      expectOnce(killed);
      const entries = await entriesAfter(killed.id, 0);
      const results = entries.flatMap(entrySteps).filter(({ type }) => type === 'tool_result');
      const isCut = operation === 'test';
      expect(results.map(({ content }) => [content.operation, content.ok])).toEqual(
        OPERATIONS.map((each, index) => [each, !(isCut && index + 1 === turn)]),
      );
      if (isCut) {
        expect(results[turn - 1]?.content.error).toMatchObject({ code: 'interrupted', details: { interrupted: true } });
      }
      const cursors = entries.flatMap(entryEvents).map(({ cursor }) => cursor);
      expect(cursors).toEqual(cursors.map((_, index) => index + 1));
      const moves = entries.flatMap(entryEvents).filter(({ type }) => type === 'checkout.ready');
      expect(moves.map(({ data }) => data.epoch)).toEqual([1, 2]);
    },
    180_000,
  );
});
