import { z } from 'zod';
import { Failure } from '../../../domain/failures.ts';
import type { GitError } from '../../../files/git-process.ts';
import type { Checkout } from '../../checkout.ts';
import { outsideTool } from '../contract.ts';
import { changing } from './changing.ts';
import { commitAt, currentBranch, opened } from './work-tree.ts';

const PUSH_MS = 300_000;
const LOOK_MS = 60_000;

const isGitError = (error: unknown): error is GitError => error instanceof Error && error.name === 'GitError';

const unreachable = ({ remote }: Checkout, error: unknown): unknown =>
  isGitError(error) ? new Failure('git_unreachable', `${remote.url}: ${error.message}.`, {}, { cause: error }) : error;

/** Where the branch is in the remote; empty where there is no such branch. */
export async function remoteCommit(checkout: Checkout, branch: string, signal: AbortSignal): Promise<string> {
  const ref = `refs/heads/${branch}`;
  try {
    const args = ['ls-remote', '--', checkout.remote.url, ref];
    const out = (await checkout.remoteGit(args, { timeoutMs: LOOK_MS, signal })).toString();
    const line = out.split('\n').find((each) => each.endsWith(`\t${ref}`));
    return line?.split('\t')[0] ?? '';
  } catch (error) {
    throw unreachable(checkout, error);
  }
}

const isAncestor = async ({ git }: Checkout, older: string, newer: string): Promise<boolean> =>
  git(['merge-base', '--is-ancestor', older, newer]).then(
    () => true,
    () => false,
  );

/** What the remote says of the one ref that was pushed, or the complaint of git. */
const refusalIn = ({ stdout, stderr, message }: GitError): string => {
  const [, reason] = /^!\s+\S+\s+(.+)$/m.exec(stdout) ?? [];
  const [, told] = /^remote: (?:error: )?(.+)$/m.exec(stderr) ?? [];
  return [reason ?? message, told].filter(Boolean).join('; ').slice(0, 500);
};

/**
 * It looks first, and gives what it saw as what it expects: a push that has happened is not made again, and one that
 * comes late, after somebody else's, does nothing.
 */
export const pushTool = outsideTool({
  ...changing('push'),
  description: 'Pushes the current branch to the remote; never over the work of somebody else.',
  argument_aliases: {},
  input: z.strictObject({}),
  preview: async (_input, { notebook }) => {
    const { checkout } = await opened({ notebook });
    const branch = await currentBranch(checkout);
    return { path: null, preview: `Pushes ${branch} to ${checkout.remote.url}.`, base_hash: null };
  },
  async act(_input, { notebook, signal, output }) {
    const { context, checkout } = await opened({ notebook });
    context.guard('write', null);
    const { remote } = checkout;
    const branch = await currentBranch(checkout);
    if (branch === remote.default_branch) {
      throw new Failure('git_refused', `${branch} is what everybody works on: make a branch, and push that.`);
    }
    const commit = await commitAt(checkout, 'HEAD');
    if (commit === null) throw new Failure('git_refused', 'There is no commit to push.');
    const told = { branch, commit, remote: remote.url };
    const expected = await remoteCommit(checkout, branch, signal);
    if (expected === commit) return { ...told, pushed: true };
    if (expected !== '' && !(await isAncestor(checkout, expected, commit))) {
      throw new Failure('push_rejected', `The remote has commits on ${branch} that are not in this checkout.`, {
        branch,
        remote_commit: expected,
      });
    }
    const ref = `refs/heads/${branch}`;
    const lease = `--force-with-lease=${ref}:${expected}`;
    output(`Pushing ${branch} at ${commit.slice(0, 12)} to ${remote.url}\n`);
    try {
      const args = ['push', '--porcelain', '--no-verify', '--no-follow-tags', lease, '--', remote.url];
      await checkout.remoteGit([...args, `${commit}:${ref}`], { timeoutMs: PUSH_MS, signal });
    } catch (error) {
      if (!isGitError(error)) throw error;
      // It may have been taken all the same, with the answer lost on its way.
      const now = await remoteCommit(checkout, branch, signal);
      if (now === commit) return { ...told, pushed: true };
      const isRefused = /rejected|declined|denied|stale info/i.test(`${error.stdout}${error.stderr}`);
      if (!isRefused) throw unreachable(checkout, error);
      throw new Failure('push_rejected', `The remote did not take ${branch}: ${refusalIn(error)}.`, { branch });
    }
    return { ...told, pushed: true };
  },
});
