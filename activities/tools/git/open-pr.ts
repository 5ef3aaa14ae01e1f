import { z } from 'zod';
import { Failure } from '../../../domain/failures.ts';
import { demandSameServer, repositoryOf } from '../../../domain/github.ts';
import { openPullRequest } from '../../pull-requests.ts';
import { outsideTool } from '../contract.ts';
import { changing } from './changing.ts';
import { trailerOf } from './commit.ts';
import { remoteCommit } from './push.ts';
import { commitAt, currentBranch, opened } from './work-tree.ts';

export const openPrTool = outsideTool({
  ...changing('open_pr'),
  description: 'Opens a pull request on GitHub for the current branch, which must have been pushed.',
  argument_aliases: { description: 'body', base_branch: 'base' },
  input: z.strictObject({
    title: z.string().trim().min(1).max(250),
    body: z.string().max(60_000).default(''),
    base: z.string().max(200).optional().describe("Without it the notebook's branch"),
    draft: z.boolean().default(false),
  }),
  async preview({ title, body, base }, { notebook }) {
    const { checkout } = await opened({ notebook });
    const branch = await currentBranch(checkout);
    const into = base ?? checkout.remote.default_branch;
    return { path: null, preview: `Pull request of ${branch} into ${into}: ${title}\n\n${body}`, base_hash: null };
  },
  async act({ title, body, base, draft }, { notebook, github, signal, run_id, key }) {
    const { context, checkout } = await opened({ notebook });
    context.guard('write', null);
    const access = await github();
    if (!access) {
      throw new Failure('integration_not_enabled', 'The GitHub integration of the workspace is not enabled.', {
        integration: 'github',
      });
    }
    const { remote } = checkout;
    const repository = repositoryOf(remote.url);
    if (!repository) throw new Failure('git_refused', `${remote.url} is not a repository on GitHub.`);
    demandSameServer(repository, access.api_url);
    const head = await currentBranch(checkout);
    const into = base ?? remote.default_branch;
    if (head === into) throw new Failure('git_refused', `${head} cannot be merged into itself: make a branch first.`);
    const [commit, pushed] = await Promise.all([commitAt(checkout, 'HEAD'), remoteCommit(checkout, head, signal)]);
    if (pushed === '' || pushed !== commit) {
      throw new Failure('git_refused', `The remote does not have ${head} as it is here: push it first.`);
    }
    const mark = `<!-- ${trailerOf({ run_id, key })} -->`;
    const wanted = { title, body, head, base: into, draft, mark };
    const request = await openPullRequest(access, repository, wanted, signal);
    return { ...request, title, head, base: into, repository: `${repository.owner}/${repository.repo}` };
  },
});
