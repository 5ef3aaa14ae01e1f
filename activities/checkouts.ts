import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../domain/failures.ts';
import { CheckoutRepository, type Origin, type Standing } from '../files/checkout-repository.ts';
import { GitMirrors, type Remote } from '../files/git-mirror.ts';
import { gitWithAuth } from '../files/git-process.ts';
import { removeTree } from '../files/remove-tree.ts';
import { inTurn } from '../files/turns.ts';
import {
  type CheckoutLease,
  leaseIdOf,
  leasesInUse,
  nextSeq,
  releaseLease,
  renewLease,
  rootOf,
} from '../store/checkout-leases.ts';
import { type CheckoutSnapshot, keepSnapshot, loadSnapshot, newestKept, packsOf } from '../store/checkout-snapshots.ts';
import { type RunLog, StaleAttempt } from '../store/event-log.ts';
import { loadNotebookAccess, type NotebookAccess } from '../store/notebook-credentials.ts';
import { loadGitNotebook } from '../store/notebook-upkeep.ts';
import type { RunRecord } from '../store/run-record.ts';
import { loadRun } from '../store/run-upkeep.ts';
import type { SecretKeys } from '../store/secrets.ts';
import type { Checkout } from './checkout.ts';
import { isTooLarge, onBranch, type SnapshotLimits, standingOf } from './checkout-standing.ts';

/** A checkout as the segment that works on it has it. */
export interface OpenCheckout extends Checkout {
  /** What the remote is shown, and nobody else is to see. */
  secrets: readonly string[];
  /**
   * The snapshot of how it stands now: a new one, or the last where nothing has changed. Where that is too large its
   * files are gone, and who opens it again has the last ones.
   */
  keep(): Promise<string>;
  /** Fails where its files have been taken away: what came of a step without them is no result. */
  demandThere(): Promise<void>;
}

interface Held {
  lease_id: string;
  epoch: number;
  repository: CheckoutRepository;
  origin: Origin;
  secrets: readonly string[];
  last: CheckoutSnapshot;
  restored: boolean;
  duration_ms: number;
}

export interface CheckoutsOptions {
  executorId: string;
  /** Its alone. */
  dir: string;
  /** Copies of remotes, shared with whoever else has them on this machine. */
  mirrorsDir: string;
  secretKeys: SecretKeys;
  limits?: SnapshotLimits | undefined;
}

const elsewhere = (): StaleAttempt => new StaleAttempt('the files of this run are elsewhere');

/** The checkouts of one executor: made when a run first comes, kept between its segments, removed when its tree ends. */
export class Checkouts {
  private readonly held = new Map<string, Held>();
  private readonly mirrors: GitMirrors;

  constructor(private readonly options: CheckoutsOptions) {
    this.mirrors = new GitMirrors(options.mirrorsDir);
  }

  get executorId(): string {
    return this.options.executorId;
  }

  /** The files of a run whose lease this executor has; announced in the run's log once a change of hands. */
  async open(run: RunRecord, log: RunLog, lease: CheckoutLease): Promise<OpenCheckout> {
    const before = log.state.files;
    // One at a time: of several runs of a tree that come at once, the first one makes it for all.
    const held = await inTurn(`open ${lease._id}`, () => this.at(run, lease));
    if (log.state.checkout?.epoch !== held.epoch) await this.announce(log, held, before);
    return this.opened(run, held);
  }

  private async at(run: RunRecord, lease: CheckoutLease): Promise<Held> {
    const known = this.held.get(lease._id);
    if (known && known.epoch >= lease.epoch) {
      if (await known.repository.isThere()) return known;
      // Taken away under our feet: begun anew, so that nobody takes what was under way for done.
      const renewed = await renewLease({ ...lease, epoch: known.epoch });
      if (!renewed) throw elsewhere();
      return this.anew(run, renewed);
    }
    return this.anew(run, lease);
  }

  private async anew(run: RunRecord, lease: CheckoutLease): Promise<Held> {
    await this.drop(lease._id);
    const held = await this.prepare(run, lease);
    this.held.set(lease._id, held);
    return held;
  }

  private async prepare(run: RunRecord, lease: CheckoutLease): Promise<Held> {
    const since = Date.now();
    const root = rootOf(run) === run._id ? run : ((await loadRun(rootOf(run))) ?? run);
    const own = await newestKept(lease.root_run_id, lease.notebook_id, lease._id);
    const from = own ?? (root.files_from?.snapshot ? await loadSnapshot(root.files_from.snapshot) : null);
    const { remote, access } = await this.remoteOf(run);
    const secrets = [access?.token, access?.ssh_key].flatMap((secret) => secret ?? []);
    const place = join(this.options.dir, `${lease.root_run_id}.${lease.epoch}`);
    const branch = root.branch ?? run.branch ?? '';
    try {
      const made = from
        ? await this.restored(place, remote, from, branch)
        : await this.fresh(place, remote, branch, run.created_at);
      const held = { ...made, secrets, lease_id: lease._id, epoch: lease.epoch, restored: own !== null };
      // What another run had is kept once more, on the base alone: nothing of this one depends on the other.
      const last = own ?? (from ? await this.take(held, run, null) : await this.keepBase(held, run));
      return { ...held, last, duration_ms: Date.now() - since };
    } catch (error) {
      await removeTree(place);
      throw error;
    }
  }

  /** The remote as it is to be asked now: its address and who we are may have been changed. */
  private async remoteOf(run: RunRecord): Promise<{ remote: Remote; access: NotebookAccess | null }> {
    const id = run.notebook_id ?? '';
    const [notebook, access] = await Promise.all([
      loadGitNotebook(run.org_id, id),
      loadNotebookAccess(this.options.secretKeys, run.org_id, id),
    ]);
    if (!notebook) throw new Failure('no_notebook', `The notebook ${id} is gone.`, { retryable: false });
    return { remote: { id, url: notebook.url, branch: notebook.default_branch ?? null, access }, access };
  }

  private async fresh(place: string, remote: Remote, branch: string, since: Date) {
    const { mirrors } = this;
    // What was pushed before the run was started is in it; several that start at once ask the remote once.
    const mirror = await mirrors.open(remote, Math.max(0, Date.now() - since.getTime()));
    const { commit, branch: default_branch } = await mirrors.tip(mirror, remote);
    const origin = { mirror, base: commit, branch, remote: { url: remote.url, default_branch } };
    return { origin, repository: await CheckoutRepository.make(place, origin) };
  }

  private async restored(place: string, remote: Remote, from: CheckoutSnapshot, branch: string) {
    const { mirrors } = this;
    const mirror = await mirrors.open(remote);
    await mirrors.demandCommit(mirror, remote, from.base_commit);
    const packs = await packsOf(from);
    if (!packs) throw new Failure('no_notebook', 'What was kept of the files is gone.', { retryable: false });
    const { base_commit: base, default_branch } = from;
    const origin = { mirror, base, branch, remote: { url: remote.url, default_branch } };
    const standing = onBranch(standingOf(from), from.branch, branch);
    return { origin, repository: await CheckoutRepository.restore(place, origin, packs, standing) };
  }

  private async take(held: Omit<Held, 'last' | 'duration_ms'>, run: RunRecord, last: CheckoutSnapshot | null) {
    const { repository } = held;
    const { depth, packed: most } = this.options.limits ?? { depth: 20 };
    let isWhole = last === null || (last.depth > 0 && last.depth % depth === 0);
    const taken = () => repository.take(last && standingOf(last), isWhole, most);
    const packing = taken().catch((error: unknown) => {
      if (!isWhole || last === null || !isTooLarge(error)) throw error;
      // All that was ever changed is too much at once: it goes on standing on the one before.
      isWhole = false;
      return taken();
    });
    const packed = await packing.catch(async (error: unknown) => {
      if (await repository.isThere()) throw error;
      throw elsewhere();
    });
    if (!packed) {
      if (last) return last;
      throw elsewhere();
    }
    const { pack, ...standing } = packed;
    return this.store(held, run, standing, isWhole ? null : last, pack);
  }

  /** Nothing has been changed yet: there is nothing to pack. */
  private async keepBase(held: Omit<Held, 'last' | 'duration_ms'>, run: RunRecord): Promise<CheckoutSnapshot> {
    return this.store(held, run, await held.repository.base(), null, Buffer.alloc(0));
  }

  private async store(
    { origin, lease_id, epoch }: Omit<Held, 'last' | 'duration_ms'>,
    run: RunRecord,
    { refs, ...standing }: Standing,
    parent: CheckoutSnapshot | null,
    pack: Buffer,
  ): Promise<CheckoutSnapshot> {
    const seq = await nextSeq(lease_id, epoch, this.executorId);
    if (seq === null) throw elsewhere();
    const chain = parent ? { parent: parent._id, depth: parent.depth + 1 } : { parent: null, depth: 0 };
    const snapshot = {
      ...{ lease_id, run_id: run._id, seq, epoch, ...chain, ...standing },
      base_commit: origin.base,
      default_branch: origin.remote.default_branch,
      branch: origin.branch,
      refs: Object.entries(refs),
    };
    return keepSnapshot(snapshot, pack);
  }

  /** Appended under this attempt's token: from then on no earlier one can add a step that these files do not have. */
  private async announce(log: RunLog, held: Held, before: string | null): Promise<void> {
    const { origin, epoch, restored, duration_ms } = held;
    const { branch, base: base_commit } = origin;
    const told = await log.append((state) => {
      if (state.files !== before) return null;
      const ready = { executor: this.executorId, branch, base_commit, epoch, restored, duration_ms };
      const isKnown = state.files === held.last._id;
      return [
        { kind: 'checkout_ready', ...ready },
        ...(isKnown ? [] : ([{ kind: 'files_kept', snapshot: held.last._id, epoch }] as const)),
      ];
    });
    if (told) return;
    this.held.delete(held.lease_id);
    throw elsewhere();
  }

  private opened(run: RunRecord, held: Held): OpenCheckout {
    const { repository, origin, secrets, epoch, lease_id } = held;
    return {
      secrets,
      dir: repository.dir,
      git_dir: repository.git_dir,
      branch: origin.branch,
      base_commit: origin.base,
      remote: origin.remote,
      notebook_id: run.notebook_id ?? '',
      run_id: run._id,
      epoch,
      git: repository.git,
      remoteGit: async (args, options = {}) => {
        const { remote, access } = await this.remoteOf(run);
        const places = { gitDir: repository.git_dir, workTree: repository.dir };
        return gitWithAuth(remote.url, access, args, { ...options, ...places });
      },
      // One at a time: several runs of a tree may change the files at once.
      keep: () =>
        inTurn(`checkout ${lease_id}`, async () => {
          held.last = await this.take(held, run, held.last).catch(async (error: unknown) => {
            // Nobody could bring it back: it is taken away here too, and everybody goes on from the last that was kept.
            if (isTooLarge(error)) await repository.remove();
            throw error;
          });
          return held.last._id;
        }),
      demandThere: async () => {
        if (!(await repository.isThere())) throw elsewhere();
      },
    };
  }

  /** The tree has ended. Safe to repeat. */
  async release(run: RunRecord): Promise<void> {
    const id = leaseIdOf(run);
    await releaseLease(id);
    await this.drop(id);
  }

  private async drop(leaseId: string): Promise<void> {
    const held = this.held.get(leaseId);
    this.held.delete(leaseId);
    await held?.repository.remove();
  }

  /** Removes what no run needs any more, or another executor has by now. */
  async sweep(): Promise<void> {
    // Those that were there before the leases were looked at: what is made meanwhile has a lease that was not seen.
    const before = [...this.held];
    const epochs = new Map((await leasesInUse(this.executorId)).map(({ _id, epoch }) => [_id, epoch]));
    for (const [id, held] of before) {
      if (epochs.get(id) !== held.epoch && this.held.get(id) === held) await this.drop(id);
    }
  }

  /** A directory with nothing in it. */
  async begin(): Promise<void> {
    await removeTree(this.options.dir);
    await mkdir(this.options.dir, { recursive: true, mode: 0o700 });
  }

  end = (): Promise<void> => removeTree(this.options.dir);
}
