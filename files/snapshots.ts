import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeSnapshotCommit } from './commit-object.ts';
import { type GitOptions, runGit } from './git-process.ts';
import { indexFiles } from './work-tree-index.ts';

/** As long as writing all files of a large notebook takes. */
const RESTORE_MS = 300_000;

/**
 * Trees of a notebook's files as they were, kept with git in a store of their own beside the notebook, never in it.
 * What the notebook's own .gitignore leaves out is left out here too, and so are repositories among its files.
 */
export class Snapshots {
  constructor(private readonly dir: string) {}

  private async git(store: string, args: string[], options: Omit<GitOptions, 'gitDir'> = {}): Promise<string> {
    return (await runGit(args, { ...options, gitDir: store })).toString().trim();
  }

  private async storeOf(notebookId: string): Promise<string> {
    const store = this.pathOf(notebookId);
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
    const index = join(store, `index-${by}`);
    await indexFiles(
      { dir: root, git: (args, options) => runGit(args, { ...options, gitDir: store, workTree: root }) },
      index,
    );
    const tree = await this.git(store, ['write-tree'], { env: { GIT_INDEX_FILE: index } });
    const commit = await writeSnapshotCommit(store, tree);
    // Named, so that no clean-up takes it away; for each who took it, since the same files make the same snapshot.
    await this.git(store, ['update-ref', `${refsOf(by)}${commit}`, commit]);
    return commit;
  }

  /** What `by` has taken is no longer needed. Safe to repeat. */
  async forget(notebookId: string, by: string): Promise<void> {
    const store = this.pathOf(notebookId);
    if (!(await exists(join(store, 'HEAD')))) return;
    const refs = await this.git(store, ['for-each-ref', '--format=%(refname)', refsOf(by)]);
    for (const ref of refs.split('\n').filter((name) => name !== '')) await this.git(store, ['update-ref', '-d', ref]);
    await rm(join(store, `index-${by}`), { force: true });
    // Only now and then, and never what somebody may be about to name.
    await this.git(store, ['-c', 'gc.auto=6700', 'gc', '--auto', '--quiet', '--prune=1.hour.ago']);
  }

  /** Of a notebook that is no more. */
  async forgetAll(notebookId: string): Promise<void> {
    await rm(this.pathOf(notebookId), { recursive: true, force: true });
  }

  private pathOf(notebookId: string): string {
    return join(this.dir, `${notebookId}.git`);
  }

  /** The files of a snapshot in a folder of their own; whole, or not there at all. */
  async restore(notebookId: string, snapshot: string, to: string): Promise<void> {
    if (await exists(to)) return;
    const store = await this.storeOf(notebookId);
    await mkdir(dirname(to), { recursive: true });
    const aside = await mkdtemp(join(dirname(to), '.restoring-'));
    try {
      const files = join(aside, 'files');
      const options = { workTree: files, env: { GIT_INDEX_FILE: join(aside, '.index') }, timeoutMs: RESTORE_MS };
      await mkdir(files);
      await this.git(store, ['read-tree', snapshot], options);
      await this.git(store, ['checkout-index', '--all', '--force'], options);
      await rename(files, to);
    } catch (error) {
      if (!(await exists(to))) throw error;
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }
}

const refsOf = (by: string): string => `refs/taken/${by}/`;

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
