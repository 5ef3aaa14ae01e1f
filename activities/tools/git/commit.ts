import { z } from 'zod';
import type { Agent } from '../../../domain/agent.ts';
import { Failure } from '../../../domain/failures.ts';
import { notebookPath } from '../../../domain/scope.ts';
import type { Checkout } from '../../checkout.ts';
import { type OutsideContext, outsideTool, type ToolContext } from '../contract.ts';
import { changing } from './changing.ts';
import { changesSince, commitAt, currentBranch, type FileChange, lineOf, opened, withStaged } from './work-tree.ts';

const EMAIL = 'longhaul@localhost';

/** The step of the run that made it: by this a commit is found again, in this repository and in the remote. */
export const trailerOf = ({ run_id, key }: Pick<OutsideContext, 'run_id' | 'key'>): string =>
  `Longhaul-Step: ${run_id}/${key.startsWith(`${run_id}-`) ? key.slice(run_id.length + 1) : key}`;

/** Names end at a bracket or a line to git. */
const nameOf = ({ name }: Agent): string => name.replace(/[<>\n\r\0]/g, ' ').trim() || 'Agent';

/** Nothing of the machine or the moment it is made in: made again it is the same commit, to the last byte. */
const identity = (agent: Agent, at: string): Record<string, string> => ({
  GIT_AUTHOR_NAME: nameOf(agent),
  GIT_AUTHOR_EMAIL: EMAIL,
  GIT_AUTHOR_DATE: at,
  GIT_COMMITTER_NAME: 'Longhaul',
  GIT_COMMITTER_EMAIL: EMAIL,
  GIT_COMMITTER_DATE: at,
});

/** A trailer of that name in what the model wrote would be taken for ours. */
const messageOf = (message: string, trailer: string): string =>
  `${message.replace(/^Longhaul-Step:.*$/gim, '').trimEnd()}\n\n${trailer}\n`;

/** Changes at places where the agent may change nothing came about otherwise, and are not passed on under its name. */
function demandRights(changes: FileChange[], { agent, may }: ToolContext): void {
  const foreign = changes
    .map(({ path }) => path)
    .filter((path) => !may('write', path) && !may('create', path) && !may('delete', path));
  if (foreign.length === 0) return;
  // Also what they are called is for those who may read them.
  const paths = foreign.filter((path) => may('read', path));
  const hidden = foreign.length - paths.length;
  const named = [...paths.slice(0, 5), ...(hidden > 0 ? [`${hidden} files outside of its scope`] : [])].join(', ');
  throw new Failure('scope_violation', `${agent.name} may not commit changes of ${named}; name the paths to commit.`, {
    scope_violation: true,
    paths: paths.slice(0, 50),
    ...(hidden > 0 ? { hidden } : {}),
  });
}

const toldOf = async (checkout: Checkout, branch: string, commit: string) => {
  const out = await checkout.git(['show', '--no-patch', '--no-show-signature', '--format=%T%n%P%n%s', commit]);
  const [tree = '', parent = '', subject = ''] = out.toString().split('\n');
  return { branch, commit, tree, parent, subject };
};

/** Done by an earlier attempt at this very call. */
async function madeBefore(checkout: Checkout, trailer: string): Promise<boolean> {
  const body = await checkout.git(['show', '--no-patch', '--no-show-signature', '--format=%B', 'HEAD']);
  return body.toString().split('\n').includes(trailer);
}

export const commitTool = outsideTool({
  ...changing('commit'),
  description: 'Commits all changes of the checkout (or those below the paths given) to the current branch.',
  argument_aliases: { files: 'paths' },
  input: z.strictObject({
    message: z.string().trim().min(1).max(20_000),
    paths: z.array(z.string().min(1)).min(1).max(1000).optional().describe('Only these files or folders'),
  }),
  preview: async ({ message }) => ({ path: null, preview: `Commits: ${message}`, base_hash: null }),
  async act({ message, paths }, { notebook, agent, run_id, key, at }) {
    const { context, checkout } = await opened({ notebook });
    context.guard('write', null);
    const { git } = checkout;
    const branch = await currentBranch(checkout);
    const parent = await commitAt(checkout, 'HEAD');
    if (parent === null) throw new Failure('git_refused', 'The branch has no commit to go on from.');
    const trailer = trailerOf({ run_id, key });
    if (await madeBefore(checkout, trailer)) return toldOf(checkout, branch, parent);
    const only = paths?.map((path) => notebookPath(path).slice(1));
    const wanted = { name: `commit-${key}`, ...(only ? { paths: only } : {}) };
    return withStaged(checkout, wanted, async ({ index, nested }, keep) => {
      const changes = await changesSince(checkout, index, parent);
      if (changes.length === 0) throw new Failure('nothing_to_commit', 'There is nothing to commit.');
      demandRights(changes, context);
      const tree = lineOf(await git(['write-tree'], { env: { GIT_INDEX_FILE: index } }));
      const commit = lineOf(
        await git(['commit-tree', tree, '-p', parent], {
          env: identity(agent, at),
          input: messageOf(message, trailer),
        }),
      );
      await git(['update-ref', '-m', 'commit', `refs/heads/${branch}`, commit, parent]);
      await keep();
      const left_out = nested.filter(
        (name) => context.seesEvery('folder') || context.may('read', `/${name.slice(0, -1)}`),
      );
      return {
        ...(await toldOf(checkout, branch, commit)),
        changes: changes.slice(0, 500),
        ...(left_out.length > 0 ? { left_out } : {}),
      };
    });
  },
});
