import { domainTools } from '../domain-tools.ts';
import { branchTool } from './branch.ts';
import { commitTool } from './commit.ts';
import { diffTool, logTool, statusTool } from './looking.ts';
import { openPrTool } from './open-pr.ts';
import { pushTool } from './push.ts';

/** The repository of a run's own checkout, and the way of its changes to the remote. */
export const gitTools = domainTools('git', {
  description: "Works with the checkout's repository: look, branch, commit, push, open a pull request.",
  notebooks: ['git'],
  operations: {
    status: statusTool,
    diff: diffTool,
    branch: branchTool,
    commit: commitTool,
    push: pushTool,
    log: logTool,
    open_pr: openPrTool,
  },
});
