import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../activities/sandbox/sandbox.ts';
import { entrySteps } from '../../domain/trace.ts';
import type { Notebook } from '../../domain/workspace.ts';
import { listEvidence, readEvidence } from '../../store/evidence.ts';
import { setGithubIntegration } from '../../store/github-integration.ts';
import { newId } from '../../store/ids.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { anthropicWire } from '../doubles/anthropic-wire.ts';
import type { Forge } from '../doubles/forge.ts';
import { geminiWire } from '../doubles/gemini-wire.ts';
import type { GitRemote } from '../doubles/git-remote.ts';
import { ScriptedModel } from '../doubles/scripted-model.ts';
import { coder, OPERATIONS, pathOf, RIGHT, repositoryFor } from '../git-path.ts';
import { SECRET_KEY, type System, startSystem } from '../running-system.ts';
import { openTestSandbox } from '../sandbox-here.ts';

let system: System;
let sandbox: Sandbox;
let remote: GitRemote;
let forge: Forge;
let notebook: Notebook;
let claude: ScriptedModel<unknown>;
let gemini: ScriptedModel<unknown>;
const lines: string[] = [];
beforeAll(async () => {
  sandbox = await openTestSandbox();
  claude = await ScriptedModel.speaking(anthropicWire);
  gemini = await ScriptedModel.speaking(geminiWire);
  system = await startSystem({
    sandbox,
    executors: 1,
    lines: { write: (line) => void lines.push(line) },
    providers: {
      anthropic_api_key: 'test',
      anthropic_base_url: claude.url,
      gemini_api_key: 'test',
      gemini_base_url: gemini.url,
    },
  });
  ({ remote, forge, notebook } = await repositoryFor(system));
});
afterAll(async () => {
  await system.stop();
  await Promise.all([sandbox.close(), remote.close(), forge.close(), claude.close(), gemini.close()]);
});

const stepsOf = async (id: string, type: string) =>
  (await entriesAfter(id, 0)).flatMap(entrySteps).filter((step) => step.type === type);

describe('[6] branch, edit, test, fix, test, commit, push, pull request', () => {
  // Side by side: each on a branch of its own.
  it.concurrent.each([
    ['openai', 'gpt-test', () => system.model],
    ['anthropic', 'claude-test', () => claude],
    ['gemini', 'gemini-test', () => gemini],
  ] as const)('end to end with a model shaped like %s', async (provider, model, server) => {
    const script = `path-${provider}`;
    const branch = `fix/${provider}`;
    server().script(script, pathOf(branch));
    const id = await system.start(script, { agent_id: await coder(system, model), notebook_id: notebook.id });
    const run = await system.ended(id);
    expect(run).toMatchObject({ status: 'completed', output: 'The pull request is open.', error: null });

    const commit = remote.commitAt(branch) ?? '';
    expect(remote.git('log', '--format=%s', `main..${branch}`)).toBe('Add, do not subtract');
    expect(remote.git('show', `${branch}:src/sum.js`)).toBe(RIGHT.trim());
    expect(remote.git('show', '--no-patch', '--format=%B', commit)).toMatch(`Longhaul-Step: ${id}/6-`);
    expect(remote.pushes.filter(({ ref }) => ref === `refs/heads/${branch}`)).toEqual([
      { ref: `refs/heads/${branch}`, commit },
    ]);
    expect(forge.pulls.filter(({ head }) => head.ref === branch)).toMatchObject([
      { title: `Fix ${branch}`, base: { ref: 'main' }, state: 'open' },
    ]);

    const calls = (await stepsOf(id, 'tool_call')).map(({ content }) => content);
    expect(calls.map(({ tool_name, domain, operation }) => [tool_name, domain, operation])).toEqual(
      OPERATIONS.map((operation) => {
        const domain = ['write', 'apply_patch'].includes(operation)
          ? 'workspace'
          : operation === 'test'
            ? 'command'
            : 'git';
        return [`deterministic.${domain}`, domain, operation];
      }),
    );
    const results = (await stepsOf(id, 'tool_result')).map(({ content }) => content);
    expect(results.map(({ ok }) => ok)).toEqual(OPERATIONS.map(() => true));
    expect([results[2]?.result, results[4]?.result]).toMatchObject([
      { passed: false, exit_code: 1, tests: { passed: 0, failed: 1 } },
      { passed: true, exit_code: 0, tests: { passed: 1, failed: 0 } },
    ]);

    // Exact command, exit code and whole output are kept with the run.
    const evidence = (await listEvidence(system.caller, id, undefined, { limit: 10 })).items;
    expect(evidence).toMatchObject([
      { operation: 'test', exit_code: 1, confinement: 'bubblewrap' },
      { operation: 'test', exit_code: 0 },
    ]);
    const first = await readEvidence(system.caller, id, evidence[0]?.id ?? '', { offset: 0, limit: 100_000 });
    expect(first.output).toContain('-1 !== 3');

    const told = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg, run_id }) => msg === 'tool call' && run_id === id);
    expect(told.map(({ provider, operation, cycle }) => [provider, operation, cycle])).toEqual(
      OPERATIONS.map((operation, index) => [provider, operation, index + 1]),
    );
  });

  it('leaves neither token anywhere that people, models or histories can see', async () => {
    const requests = JSON.stringify(
      [system.model.calls, claude.calls, gemini.calls].map((calls) => calls.map((c) => c.request)),
    );
    for (const secret of [remote.token, forge.token]) {
      expect(requests).not.toContain(secret);
      expect(lines.join('\n')).not.toContain(secret);
    }
  });

  it('without the integration ends with what to do, and the rest is done', async () => {
    const off = { workspace_id: system.workspace.id, api_url: forge.url };
    await setGithubIntegration(system.caller, [SECRET_KEY], { ...off, enabled: false });
    try {
      system.model.script('off', pathOf('fix/off', 'sh check.sh'));
      const agent_id = await coder(system, 'gpt-off');
      const id = await system.start('off', { agent_id, notebook_id: notebook.id });
      expect(await system.ended(id)).toMatchObject({ status: 'completed' });
      const [last] = (await stepsOf(id, 'tool_result')).slice(-1);
      expect(last?.content).toMatchObject({
        operation: 'open_pr',
        ok: false,
        error: {
          code: 'integration_not_enabled',
          message: expect.stringContaining('admin'),
          details: { integration: 'github' },
          retryable: false,
          request_id: expect.stringContaining(`${id}-8-`),
          correlation_id: id,
        },
      });
      expect(remote.branches()).toContain('fix/off');
    } finally {
      await setGithubIntegration(system.caller, [SECRET_KEY], { ...off, enabled: true });
    }
  });

  it('an operation that there is not ends the run, which can be resumed from there', async () => {
    system.model.script('rebase', [
      { tool_calls: [{ name: 'git', arguments: { operation: 'rebase', args: {} } }] },
      { text: 'I go without.' },
    ]);
    const agent_id = await coder(system, 'gpt-rebase');
    const id = await system.start('rebase', { agent_id, notebook_id: notebook.id });
    expect(await system.ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'unsupported_operation', details: { domain: 'git', operation: 'rebase' }, correlation_id: id },
    });
    const resumed = await system.commands.resume(system.caller, id, {}, newId);
    expect(await system.ended(resumed._id)).toMatchObject({ status: 'completed', output: 'I go without.' });
  });
});
