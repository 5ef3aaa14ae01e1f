import { z } from 'zod';
import { Failure } from '../../../domain/failures.ts';
import { isBranchName } from '../../../domain/git-address.ts';
import { outsideTool } from '../contract.ts';
import { changing } from './changing.ts';
import { asRefusal, commitAt, currentBranch, opened } from './work-tree.ts';

/** Done again it finds the branch that it made. */
export const branchTool = outsideTool({
  ...changing('branch'),
  description: 'Makes a branch where the checkout is and switches to it, or switches to one that there is.',
  argument_aliases: { branch: 'name', branch_name: 'name' },
  input: z.strictObject({
    name: z.string().max(200).optional().describe("Without it the run's own branch, longhaul/<run id>"),
  }),
  preview: async ({ name }) => ({
    path: null,
    preview: `Switches to the branch ${name ?? 'of the run'}.`,
    base_hash: null,
  }),
  async act({ name }, { notebook }) {
    const { context, checkout } = await opened({ notebook });
    context.guard('write', null);
    const branch = name ?? checkout.branch;
    if (!isBranchName(branch) || branch.startsWith('refs/') || branch === 'HEAD') {
      throw new Failure('git_refused', `${branch} is no name for a branch: letters, digits, - _ . and / are.`);
    }
    const { git } = checkout;
    const ref = `refs/heads/${branch}`;
    const head = await commitAt(checkout, 'HEAD');
    const told = async (created: boolean) => ({ branch, commit: await commitAt(checkout, 'HEAD'), created });
    if ((await currentBranch(checkout).catch(() => null)) === branch) return told(false);
    if ((await commitAt(checkout, ref)) !== null) {
      await git(['switch', '--quiet', '--no-guess', '--no-recurse-submodules', branch]).catch(asRefusal);
      return told(false);
    }
    if (head === null) throw new Failure('git_refused', 'The checkout has no commit to make a branch from.');
    await git(['update-ref', ref, head, '']).catch(asRefusal);
    await git(['symbolic-ref', 'HEAD', ref]).catch(asRefusal);
    return told(true);
  },
});
