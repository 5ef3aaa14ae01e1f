import { domainTools } from '../domain-tools.ts';
import { runTool } from './run.ts';
import { testTool } from './test.ts';

export const commandTools = domainTools('command', {
  description:
    'Runs programs on the files, confined: no network unless it was granted, no secrets, limited time and memory. On a git notebook git shows history and changes in there; commits, branches and pushes are made with the tool git.',
  notebooks: ['folder', 'git'],
  operations: { run: runTool, test: testTool },
});
