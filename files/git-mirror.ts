import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../domain/failures.ts';

const run = promisify(execFile);

const CLONE_MS = 120_000;
const FETCH_MS = 30_000;
const LOOK_MS = 10_000;
/** Who browses a repository opens many folders in a minute; the remote is asked once for all of them. */
const FRESH_MS = 30_000;
const MOST_OUTPUT = 64 * 1024 * 1024;

/** Nothing of whoever runs the server but the key of its SSH; nothing asks, and no address can name a program to run. */
const SURROUNDINGS = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=10',
  GIT_ALLOW_PROTOCOL: 'https:ssh:file',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
};

export interface Remote {
  id: string;
  url: string;
  /** Null for the one the remote itself shows. */
  branch: string | null;
}

/** Bare copies of remotes, one a notebook, fetched when somebody looks. */
export class GitMirrors {
  private readonly underWay = new Map<string, Promise<string>>();
  private readonly fetchedAt = new Map<string, number>();

  constructor(private readonly dir: string) {}

  private async git(args: string[], timeout: number): Promise<Buffer> {
    const env = { PATH: process.env.PATH, ...SURROUNDINGS };
    const { stdout } = await run('git', args, {
      env,
      timeout,
      killSignal: 'SIGKILL',
      maxBuffer: MOST_OUTPUT,
      encoding: 'buffer',
    });
    return stdout;
  }

  /** A question to a mirror that is there. */
  look(mirror: string, args: string[]): Promise<Buffer> {
    return this.git([`--git-dir=${mirror}`, ...args], LOOK_MS);
  }

  /** Where the mirror is, as new as the remote was half a minute ago at most. Those who ask at once wait for one fetch. */
  open(remote: Remote): Promise<string> {
    const known = this.underWay.get(remote.id);
    if (known) return known;
    const opening = this.refreshed(remote).finally(() => this.underWay.delete(remote.id));
    this.underWay.set(remote.id, opening);
    return opening;
  }

  private async refreshed({ id, url }: Remote): Promise<string> {
    const mirror = join(this.dir, `${id}.git`);
    if (!(await isThere(mirror))) await this.clone(url, mirror);
    else if (Date.now() - (this.fetchedAt.get(id) ?? 0) > FRESH_MS) {
      // A remote that is away takes nothing from what was seen of it before.
      const fetch = [`--git-dir=${mirror}`, 'fetch', '--quiet', '--prune', '--no-auto-maintenance', 'origin'];
      await this.git(fetch, FETCH_MS).catch(() => undefined);
    }
    this.fetchedAt.set(id, Date.now());
    return mirror;
  }

  /** Aside and then renamed, so that a mirror is whole or not there, whoever else is at it. */
  private async clone(url: string, mirror: string): Promise<void> {
    await mkdir(this.dir, { recursive: true });
    const aside = await mkdtemp(join(this.dir, '.cloning-'));
    try {
      await this.git(['clone', '--quiet', '--mirror', '--', url, aside], CLONE_MS);
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

/** The first complaint is the reason; what follows is advice for somebody at a terminal. */
function said(error: unknown): string {
  const words = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  const [, reason] = /^(?:fatal|error|ssh): (.+?)\.?$/m.exec(words) ?? [];
  return reason ? ` Git says: ${reason.slice(0, 200)}.` : '';
}

const isThere = (mirror: string): Promise<boolean> =>
  stat(join(mirror, 'HEAD')).then(
    () => true,
    () => false,
  );
