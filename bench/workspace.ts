import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { queueOf } from '../domain/checkout.ts';
import { CheckoutRepository, type Origin, type Standing } from '../files/checkout-repository.ts';
import { GitMirrors } from '../files/git-mirror.ts';
import { claimExecutor, nextSeq } from '../store/checkout-leases.ts';
import { type CheckoutSnapshot, keepSnapshot } from '../store/checkout-snapshots.ts';
import { connectStore, disconnectStore } from '../store/connection.ts';
import { beatExecutor } from '../store/executors.ts';
import { measureConfinement } from './confinement.ts';
import { median, quantile, within } from './measure.ts';
import { killChild, type Stack, startStack } from './stack.ts';
import { FILLER, type StubModel, startStubModel } from './stub-model.ts';

const run = promisify(execFile);
const git = (...args: string[]) => run('git', ['-c', 'user.name=B', '-c', 'user.email=b@example.org', ...args]);

const FILES = 10_000;
const LINES = 'export const answer = 42;\n'.repeat(40);
const CHECKOUTS = 15;
const SNAPSHOTS = 40;
/** As much as a worker at work holds more than the bench does: whoever starts a program may be held up by it. */
const HELD_BYTES = 200 * 1024 * 1024;
const FAILOVERS = 3;
/** The turn at which the executor is killed. */
const KILLED_AT = 3;
const TURNS = 6;

/** A remote with so many files, as a monorepo has them: a hundred a folder. */
async function makeRemote(below: string, files: number): Promise<string> {
  const source = join(below, 'source');
  for (let n = 0; n < files; n++) {
    const folder = join(source, 'packages', `p${Math.floor(n / 1000)}`, `f${Math.floor(n / 100)}`);
    if (n % 100 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${n}.ts`), `// ${n}\n${LINES}`);
  }
  await git('init', '--quiet', '--initial-branch=main', source);
  await git('-C', source, 'add', '--all');
  await git('-C', source, 'commit', '--quiet', '-m', 'all');
  return `file://${source}`;
}

/** Ours and git's own, one after the other, so that whatever else the machine does befalls both. */
async function checkouts(below: string, url: string, rounds: number, say: (line: string) => void) {
  const mirrors = new GitMirrors(join(below, 'mirrors'));
  const remote = { id: 'bench', url, branch: null };
  const mirror = await mirrors.open(remote);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const place = join(below, `checkout-${n}`);
    const timed = async (times: number[], work: () => Promise<unknown>) => {
      const begun = performance.now();
      await work();
      times.push(performance.now() - begun);
      await rm(place, { recursive: true, force: true });
    };
    const own = () =>
      timed(ours, async () => {
        const { commit, branch } = await mirrors.tip(await mirrors.open(remote), remote);
        await CheckoutRepository.make(place, originOf(mirror, url, commit, branch));
      });
    const worktree = () =>
      timed(theirs, () =>
        run('git', ['--git-dir', mirror, 'worktree', 'add', '--quiet', '-b', `b${n}`, place, 'HEAD']),
      );
    for (const one of n % 2 === 0 ? [own, worktree] : [worktree, own]) await one();
    await run('git', ['--git-dir', mirror, 'worktree', 'prune']);
  }
  const ratio = median(ours.map((ms, n) => ms / (theirs[n] ?? Number.NaN)));
  say(`a checkout takes ${median(ours).toFixed(0)} ms, git worktree add ${median(theirs).toFixed(0)} ms`);
  return { checkout_ratio: ratio, checkout_ms: median(ours), worktree_ms: median(theirs) };
}

const originOf = (mirror: string, url: string, base: string, default_branch: string): Origin => ({
  ...{ mirror, base, branch: 'longhaul/bench' },
  remote: { url, default_branch },
});

async function holding<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  const held = Buffer.alloc(bytes, 1);
  const done = await work();
  // Not let go before.
  held.fill(0);
  return done;
}

/** After a change of one file: everything that is done and stored before the step's append. */
async function snapshots(below: string, url: string, rounds: number) {
  const mirrors = new GitMirrors(join(below, 'mirrors'));
  const remote = { id: 'bench', url, branch: null };
  const mirror = await mirrors.open(remote);
  const { commit, branch } = await mirrors.tip(mirror, remote);
  const origin = originOf(mirror, url, commit, branch);
  const repository = await CheckoutRepository.make(join(below, 'snapshots'), origin);
  const executor = 'bench:1';
  const lease_id = 'run_bench:nb_bench';
  await beatExecutor({
    ...{ _id: executor, queue: queueOf(executor), host: 'bench', identity: '', draining: false },
    started_at: new Date(),
  });
  const claimed = await claimExecutor({ _id: 'run_bench', line: ['run_bench'], notebook_id: 'nb_bench' }, null);
  if (claimed?.executor_id !== executor) throw new Error('the bench is not the only executor');
  const times: number[] = [];
  let last: Standing = await repository.base();
  let parent: string | null = null;
  for (let n = 0; n < rounds; n++) {
    await appendFile(join(repository.dir, 'packages', 'p0', 'f0', `file-${n % 100}.ts`), `// changed ${n}\n`);
    const begun = performance.now();
    const packed = await repository.take(last);
    if (!packed) throw new Error('nothing had changed');
    const { pack, refs, ...standing } = packed;
    const seq = await nextSeq(lease_id, 1, executor);
    const about = { lease_id, run_id: 'run_bench', seq: seq ?? 0, epoch: 1, depth: n, branch: origin.branch };
    const based = { base_commit: commit, default_branch: branch, refs: Object.entries(refs) };
    const kept: CheckoutSnapshot = await keepSnapshot({ ...about, ...standing, ...based, parent }, pack);
    parent = kept._id;
    times.push(performance.now() - begun);
    last = packed;
  }
  await repository.remove();
  return { snapshot_ms: median(times), snapshot_ms_p90: quantile(times, 0.9) };
}

/** The executor that has a run is killed in the middle of a model call: until the next call of that run elsewhere. */
async function failover(stack: Stack, stub: StubModel, url: string, rounds: number, say: (line: string) => void) {
  const workspace = await stack.call<{ id: string }>('POST', '/workspaces', { name: 'Bench' });
  const make = { workspace_id: workspace.id, name: 'Bench', kind: 'git', url };
  const { id: notebook_id } = await stack.call<{ id: string }>('POST', '/notebooks', make);
  const { id: agent_id } = await stack.call<{ id: string }>('POST', '/agents', {
    ...{ workspace_id: workspace.id, name: 'Bench', model: 'openai-compatible/stub', scope: { notebooks: ['*'] } },
    ...{ can_write: true, can_create: true, max_requests_per_hour: null },
  });
  const times: number[] = [];
  let working = [stack.worker];
  for (let n = 0; n < rounds; n++) {
    const input = `failover ${n}`;
    const hung = stub.hang(input, KILLED_AT);
    // The only one there is when the run begins; the other comes before it goes.
    const { id } = await stack.call<{ id: string }>('POST', '/runs', { agent_id, notebook_id, input });
    await within(60_000, 'the call that hangs', hung);
    const next = await stack.startWorker();
    const begun = performance.now();
    for (const worker of working) await killChild(worker);
    await within(60_000, 'the next call elsewhere', stub.called(input, KILLED_AT));
    times.push(performance.now() - begun);
    working = [next];
    const run = await within(
      60_000,
      'the end of the run',
      (async () => {
        for (;;) {
          const seen = await stack.call<{ status: string; checkout: { epoch: number } }>('GET', `/runs/${id}`);
          if (seen.status === 'completed') return seen;
          if (!['queued', 'running'].includes(seen.status)) throw new Error(`the run is ${seen.status}`);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      })(),
    );
    say(`failover ${n + 1}: ${(times.at(-1) ?? 0).toFixed(0)} ms to the next step, ${run.checkout.epoch} executors`);
  }
  return { failover_ms: Math.max(...times) };
}

export async function workspace(say: (line: string) => void, scale: number): Promise<Record<string, number>> {
  const some = (count: number) => Math.max(1, Math.ceil(count * scale));
  const stub = await startStubModel((_run, turn) =>
    turn < TURNS
      ? { content: FILLER, tool: { name: 'write_file', arguments: { path: '/notes.md', content: `turn ${turn}\n` } } }
      : { content: FILLER },
  );
  const stack = await startStack(stub.url);
  try {
    const below = join(stack.home, 'notebooks', 'workspace');
    mkdirSync(below, { recursive: true });
    const url = await makeRemote(below, some(FILES));
    say(`a repository of ${some(FILES)} files is made`);
    const checked = await checkouts(below, url, some(CHECKOUTS), say);
    await connectStore(stack.engines.mongodb_uri, { dbName: 'bench_snapshots' });
    const kept = await holding(HELD_BYTES, () => snapshots(below, url, some(SNAPSHOTS)));
    await disconnectStore();
    say(`a snapshot after a change of one file takes ${kept.snapshot_ms.toFixed(0)} ms`);
    const failed = await failover(stack, stub, url, some(FAILOVERS), say);
    const confined = await measureConfinement();
    say(`confinement adds ${confined.confine_ms.toFixed(0)} ms to a command`);
    return { ...checked, ...kept, ...failed, ...confined };
  } finally {
    await stack.stop();
    stub.close();
    rmSync(join(stack.home), { recursive: true, force: true });
  }
}
