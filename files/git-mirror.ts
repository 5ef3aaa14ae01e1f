import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../domain/failures.ts';
import { type GitAccess, GitError, gitWithAuth, reasonIn, runGit } from './git-process.ts';

const CLONE_MS = 120_000;
const FETCH_MS = 30_000;
const LOOK_MS = 10_000;
/** Who browses a repository opens many folders in a minute; the remote is asked once for all of them. */
const FRESH_MS = 30_000;
const MOST_OUTPUT = 64 * 1024 * 1024;

export interface Remote {
  id: string;
  url: string;
  /** Null for the one the remote itself shows. */
  branch: string | null;
  /** What it is shown to let us in; nothing where it is open to all, or to the key of this server. */
  access?: GitAccess | null;
}

/** Bare copies of remotes, one a notebook, fetched when somebody looks. */
export class GitMirrors {
  private readonly underWay = new Map<string, Promise<void>>();
  /** When a remote was last asked, and began to answer. */
  private readonly askedAt = new Map<string, number>();

  constructor(private readonly dir: string) {}

  /** A question to a mirror that is there. */
  look(mirror: string, args: string[]): Promise<Buffer> {
    return runGit(args, { gitDir: mirror, timeoutMs: LOOK_MS, maxBytes: MOST_OUTPUT });
  }

  /** Where the mirror is, as new as the remote was `freshMs` ago. Those who ask at once wait for one fetch. */
  async open(remote: Remote, freshMs = FRESH_MS): Promise<string> {
    const { id } = remote;
    const mirror = join(this.dir, `${id}.git`);
    const since = Date.now() - freshMs;
    while ((this.askedAt.get(id) ?? 0) < since || !(await isThere(mirror))) {
      await (this.underWay.get(id) ?? this.refresh(remote, mirror));
    }
    return mirror;
  }

  private refresh(remote: Remote, mirror: string): Promise<void> {
    this.askedAt.set(remote.id, Date.now());
    const asking = this.ask(remote, mirror).finally(() => this.underWay.delete(remote.id));
    this.underWay.set(remote.id, asking);
    return asking;
  }

  private async ask(remote: Remote, mirror: string): Promise<void> {
    // A remote that is away takes nothing from what was seen of it before.
    if (await isThere(mirror)) await this.fetch(remote, mirror, []).catch(() => undefined);
    else await this.clone(remote, mirror);
  }

  private fetch({ url, access = null }: Remote, mirror: string, what: string[]): Promise<Buffer> {
    const args = ['fetch', '--quiet', ...(what.length > 0 ? [] : ['--prune']), '--no-auto-maintenance'];
    return gitWithAuth(url, access, [...args, 'origin', ...what], { gitDir: mirror, timeoutMs: FETCH_MS });
  }

  /** The commit a branch is at: that of the notebook, or the one the remote itself shows; and what it is called. */
  async tip(mirror: string, { branch, url }: Remote): Promise<{ branch: string; commit: string }> {
    const name = branch ?? (await this.look(mirror, ['symbolic-ref', '--short', 'HEAD'])).toString().trim();
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${name}^{commit}`];
    const found = await this.look(mirror, args).catch((cause: unknown) => {
      const what = branch === null ? 'no commit yet' : `no branch ${branch}`;
      throw new Failure('git_unreachable', `The repository ${url} has ${what}.`, {}, { cause });
    });
    return { branch: name, commit: found.toString().trim() };
  }

  /** A commit that something stands on must be there, also where the remote has moved on since this was made. */
  async demandCommit(mirror: string, remote: Remote, commit: string): Promise<void> {
    const has = () =>
      this.look(mirror, ['cat-file', '-e', `${commit}^{commit}`]).then(
        () => true,
        () => false,
      );
    if (await has()) return;
    await this.fetch(remote, mirror, []).catch(() => undefined);
    if (await has()) return;
    await this.fetch(remote, mirror, [commit]).catch((cause: unknown) => {
      const what = `The repository ${remote.url} no longer has the commit ${commit.slice(0, 12)}, which the files stand on.`;
      throw new Failure('git_unreachable', what, { commit }, { cause });
    });
  }

  /** Aside and then renamed, so that a mirror is whole or not there, whoever else is at it. */
  private async clone({ url, access = null }: Remote, mirror: string): Promise<void> {
    await mkdir(this.dir, { recursive: true });
    const aside = await mkdtemp(join(this.dir, '.cloning-'));
    try {
      const args = ['clone', '--quiet', '--mirror', '--', url, aside];
      await gitWithAuth(url, access, args, { cwd: this.dir, timeoutMs: CLONE_MS });
      await rename(aside, mirror).catch(async (error: unknown) => {
        if (!(await isThere(mirror))) throw error;
      });
    } catch (cause) {
      throw new Failure(
        'git_unreachable',
        `The repository ${url} could not be fetched.${said(cause)}`,
        { url },
        { cause },
      );
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }
}

function said(error: unknown): string {
  const reason = error instanceof GitError ? reasonIn(error.stderr) : null;
  return reason ? ` Git says: ${reason}.` : '';
}

const isThere = (mirror: string): Promise<boolean> =>
  stat(join(mirror, 'HEAD')).then(
    () => true,
    () => false,
  );
