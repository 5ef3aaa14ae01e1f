import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Nothing of whoever runs the worker: the same files always make the same snapshot. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Longhaul',
  GIT_AUTHOR_EMAIL: 'longhaul@localhost',
  GIT_COMMITTER_NAME: 'Longhaul',
  GIT_COMMITTER_EMAIL: 'longhaul@localhost',
  GIT_AUTHOR_DATE: '2000-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2000-01-01T00:00:00Z',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/**
 * Trees of a notebook's files as they were, kept with git in a store of their own beside the notebook, never in it.
 * What the notebook's own .gitignore leaves out is left out here too.
 */
export class Snapshots {
  constructor(private readonly dir: string) {}

  private async git(store: string, args: string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
    const env = { PATH: process.env.PATH, ...IDENTITY, GIT_DIR: store, ...more };
    const { stdout } = await run('git', args, { env, maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  }

  private async storeOf(notebookId: string): Promise<string> {
    const store = join(this.dir, `${notebookId}.git`);
    if (await exists(join(store, 'HEAD'))) return store;
    await mkdir(this.dir, { recursive: true });
    const made = await mkdtemp(join(this.dir, '.making-'));
    await this.git(made, ['init', '--quiet', '--bare', made]);
    await this.git(made, ['config', 'core.autocrlf', 'false']);
    // Of two who make it at once, one finds it made.
    await rename(made, store).catch(async (error: unknown) => {
      await rm(made, { recursive: true, force: true });
      if (!(await exists(join(store, 'HEAD')))) throw error;
    });
    return store;
  }

  /** The files as they are now. `by` keeps those who do this at the same time out of each other's way. */
  async take(notebookId: string, root: string, by: string): Promise<string> {
    const store = await this.storeOf(notebookId);
    const index = { GIT_INDEX_FILE: join(store, `index-${by}`), GIT_WORK_TREE: root };
    await this.git(store, ['add', '--all', '--', '.', ':(exclude,glob)**/.longhaul-staged-*'], index);
    const tree = await this.git(store, ['write-tree'], index);
    const commit = await this.git(store, ['commit-tree', '-m', 'snapshot', tree]);
    // Named, so that no clean-up takes it away.
    await this.git(store, ['update-ref', `refs/snapshots/${commit}`, commit]);
    return commit;
  }

  /** The files of a snapshot in a folder of their own; whole, or not there at all. */
  async restore(notebookId: string, snapshot: string, to: string): Promise<void> {
    if (await exists(to)) return;
    const store = await this.storeOf(notebookId);
    await mkdir(dirname(to), { recursive: true });
    const aside = await mkdtemp(join(dirname(to), '.restoring-'));
    try {
      const index = { GIT_INDEX_FILE: join(aside, '.index'), GIT_WORK_TREE: join(aside, 'files') };
      await mkdir(index.GIT_WORK_TREE);
      await this.git(store, ['read-tree', snapshot], index);
      await this.git(store, ['checkout-index', '--all', '--force'], index);
      await rename(index.GIT_WORK_TREE, to);
    } catch (error) {
      if (!(await exists(to))) throw error;
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
