import { createAgentBody } from '../domain/agent.ts';
import type { Notebook } from '../domain/workspace.ts';
import { createAgent } from '../store/agents.ts';
import { setGithubIntegration } from '../store/github-integration.ts';
import { newId } from '../store/ids.ts';
import { setNotebookCredential } from '../store/notebook-credentials.ts';
import { Forge } from './doubles/forge.ts';
import { GitRemote } from './doubles/git-remote.ts';
import type { Script } from './doubles/scripted-model.ts';
import { gitNotebook } from './git-notebook.ts';
import { AGENT, SECRET_KEY, type System } from './running-system.ts';

/** A small project whose one function is wrong, with the test that says so. */
const PROJECT = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/sum.js': 'export const sum = (a, b) => 0;\n',
  'test/sum.test.js': [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    "import { sum } from '../src/sum.js';",
    "test('adds', () => assert.equal(sum(1, 2), 3));",
    '',
  ].join('\n'),
  'check.sh': 'grep -q "a + b" src/sum.js && echo ok 1 - adds || { echo not ok 1 - adds; exit 1; }\n',
};
const WRONG = 'export const sum = (a, b) => a - b;\n';
export const RIGHT = 'export const sum = (a, b) => a + b;\n';
const FIX = `--- a/src/sum.js\n+++ b/src/sum.js\n@@ -1 +1 @@\n-${WRONG}+${RIGHT}`;

const call = (name: string, operation: string, args: object = {}) => ({
  tool_calls: [{ name, arguments: { operation, args: { ...args } } }],
});

/** Branch, edit, test, fix, test, commit, push, pull request; `branch` names what is made of it. */
export const pathOf = (branch: string, test: string | null = null): Script => [
  call('git', 'branch', { name: branch }),
  call('workspace', 'write', { path: '/src/sum.js', content: WRONG }),
  call('command', 'test', test ? { command: test } : {}),
  call('workspace', 'apply_patch', { patch: FIX }),
  call('deterministic_command', 'test', test ? { command: test } : {}),
  call('git', 'commit', { message: 'Add, do not subtract' }),
  call('git', 'push'),
  call('git', 'open_pr', { title: `Fix ${branch}`, body: 'It subtracted.' }),
  { text: 'The pull request is open.' },
];

export const OPERATIONS = ['branch', 'write', 'test', 'apply_patch', 'test', 'commit', 'push', 'open_pr'];

/** The remote, the forge, and the notebook with what opens both. */
export async function repositoryFor(system: System): Promise<{ remote: GitRemote; forge: Forge; notebook: Notebook }> {
  const remote = await GitRemote.start(PROJECT);
  const forge = await Forge.start({ branches: remote.branches });
  const notebook = await gitNotebook(system, remote.url);
  for (const [key, value] of [
    ['username', remote.user],
    ['token', remote.token],
  ] as const) {
    await setNotebookCredential(system.caller, [SECRET_KEY], { notebook_id: notebook.id, key, value });
  }
  await setGithubIntegration(system.caller, [SECRET_KEY], {
    workspace_id: system.workspace.id,
    enabled: true,
    api_url: forge.url,
    token: forge.token,
  });
  return { remote, forge, notebook };
}

/** One that may do all of it. */
export async function coder({ caller, workspace }: System, model: string): Promise<string> {
  const body = {
    ...AGENT,
    ...{ workspace_id: workspace.id, name: `Coder ${model}`, model },
    ...{ can_delete: true, can_execute_code: true, max_requests_per_hour: null },
  };
  return (await createAgent(caller, { ...createAgentBody.parse(body), id: newId('agt') })).id;
}
