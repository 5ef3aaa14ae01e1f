import type { GitOptions } from '../files/git-process.ts';

/**
 * The files of one run (and of those below it) on a git notebook, on this executor. Tools reach it as
 * `context.checkout` of a ToolContext, or `(await context.notebook()).checkout` of an OutsideContext; null on folder
 * notebooks.
 *
 * - `dir` is the root of the files and the same as `files.root`. What agents and commands write is here alone.
 * - The repository is at `git_dir`, outside of `dir`: nothing written into `dir/.git` is ever run or read by us. So use
 *   `git` below, which knows both places, runs no hook and no helper, and takes nothing from the host.
 * - `branch` is checked out. It is the same however often the run is moved: `longhaul/<run id>`, and that of the run
 *   before where a run goes on from another (resume, the next message of a session).
 * - After every call of a tool with an effect, whether it went well or not, the segment keeps a snapshot before it
 *   appends the result: all files but ignored ones, every branch, and which one is checked out. What is staged in the
 *   index is not kept, so commit in one call.
 * - `epoch` counts the executors that have had it. A call that was begun in an earlier epoch finds the files as they
 *   were before it began.
 */
export interface Checkout {
  dir: string;
  git_dir: string;
  branch: string;
  /** Of the notebook's branch when the run began. */
  base_commit: string;
  remote: { url: string; default_branch: string };
  notebook_id: string;
  run_id: string;
  epoch: number;
  /** git in this checkout, without the network. Throws a GitError with its exit code and what it said. */
  git(args: readonly string[], options?: Omit<GitOptions, 'gitDir' | 'workTree'>): Promise<Buffer>;
  /** The same where it talks to the remote, with the notebook's credentials: push, fetch, ls-remote. */
  remoteGit(args: readonly string[], options?: Omit<GitOptions, 'gitDir' | 'workTree'>): Promise<Buffer>;
}
