import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../activities/sandbox/sandbox.ts';
import { RunFollower } from '../../api/run-follower.ts';
import { createAgentBody } from '../../domain/agent.ts';
import type { RunEvent, ToolOutput } from '../../domain/run-events.ts';
import { entryEvents, entrySteps } from '../../domain/trace.ts';
import { createAgent } from '../../store/agents.ts';
import { listEvidence, readEvidence } from '../../store/evidence.ts';
import { newId } from '../../store/ids.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { changeNotebook } from '../../store/notebooks.ts';
import { gitNotebook, newRemote } from '../git-notebook.ts';
import { AGENT, SECRET_KEY, type System, startSystem } from '../running-system.ts';
import { openTestSandbox } from '../sandbox-here.ts';
import { historiesOf, payloadsOf } from './history.ts';

let system: System;
let sandbox: Sandbox;
let runner: string;

beforeAll(async () => {
  sandbox = await openTestSandbox();
  system = await startSystem({ sandbox, executors: 1 });
  runner = await agentOf('Runner', { confirmation: { command: 'never' } });
});
afterAll(async () => {
  await system.stop();
  await sandbox.close();
});

async function agentOf(name: string, more: Record<string, unknown>): Promise<string> {
  const body = { ...AGENT, name, can_execute_code: true, workspace_id: system.workspace.id, ...more };
  return (await createAgent(system.caller, { ...createAgentBody.parse(body), id: newId('agt') })).id;
}

const run = (args: Record<string, unknown>) => ({ name: 'command', arguments: { operation: 'run', args } });
const test = (args: Record<string, unknown>) => ({ name: 'command', arguments: { operation: 'test', args } });

/** A run whose model calls this, hears what came of it, and says that it is done. */
async function calling(name: string, call: ReturnType<typeof run>, agent_id = runner): Promise<string> {
  system.model.script(name, [{ tool_calls: [call] }, { text: 'Done.' }]);
  return system.start(name, { agent_id });
}

const resultsOf = async (id: string) =>
  (await entriesAfter(id, 0)).flatMap(entrySteps).filter(({ type }) => type === 'tool_result');
const evidenceOf = async (id: string) => (await listEvidence(system.caller, id, undefined, { limit: 100 })).items;
const output = async (id: string, evidence: string, offset = 0, limit = 1_000_000) =>
  readEvidence(system.caller, id, evidence, { offset, limit });

describe('[6] a command of an agent', () => {
  it('runs in the notebook; the model is told its exit code and what it said, and the evidence is kept', async () => {
    const id = await calling('plain', run({ command: 'cat notes.md; echo two >&2; exit 3', cwd: '/' }));
    expect((await system.ended(id)).status).toBe('completed');
    const [step] = await resultsOf(id);
    expect(step?.content).toMatchObject({
      tool_name: 'deterministic.command',
      operation: 'run',
      ok: true,
      result: { exit_code: 3, output: expect.stringContaining('The first line.'), output_cut: false },
    });
    const [evidence] = await evidenceOf(id);
    expect(evidence).toMatchObject({
      argv: [expect.stringMatching(/sh$/), '-c', 'cat notes.md; echo two >&2; exit 3'],
      cwd: '/',
      exit_code: 3,
      signal: null,
      cut: null,
      network: false,
      confinement: 'bubblewrap',
    });
    expect((await output(id, evidence?.id ?? '')).output).toContain('two');
  });

  it('waits for a person on a folder notebook, who sees what will run; denied, it never does', async () => {
    const careful = await agentOf('Careful', {});
    const id = await calling('careful', run({ argv: ['touch', 'made by nobody'] }), careful);
    const { pending_actions } = await system.until(id, ({ status }) => status === 'awaiting_confirmation');
    expect(pending_actions[0]).toMatchObject({
      type: 'command.run',
      preview: expect.stringContaining("$ touch 'made by nobody'"),
    });
    await system.commands.confirm(system.caller, id, { action_id: pending_actions[0]?.id ?? '', confirmed: false });
    await system.ended(id);
    expect((await resultsOf(id))[0]?.content).toMatchObject({ ok: false, error: { code: 'denied' } });
    expect(existsSync(join(system.root, 'made by nobody'))).toBe(false);
    expect(await evidenceOf(id)).toEqual([]);
  });

  it.each([{ folders: ['/drafts'] }, { file_types: ['*.md'] }])(
    'is refused where the scope covers a part of the notebook: %o',
    async (part) => {
      const [rule = ''] = Object.keys(part);
      const narrow = await agentOf(`Narrow ${rule}`, { scope: { notebooks: ['*'], ...part } });
      const refused = await calling(`narrow-${rule}`, run({ command: 'cat notes.md' }), narrow);
      await system.ended(refused);
      expect((await resultsOf(refused))[0]?.content).toMatchObject({ ok: false, was_allowed: false });
    },
  );

  it('is offered to nobody who may not execute', async () => {
    system.model.script('not-offered', [{ text: 'Nothing to do.' }]);
    const id = await system.start('not-offered', {});
    await system.ended(id);
    expect(JSON.stringify(system.model.callsOf('not-offered', 0)[0]?.request.tools)).not.toContain('"command"');
  });

  it('tells the model beginning and end of much, which it can read on in, and keeps all of it', async () => {
    system.model.script('much', [
      { tool_calls: [run({ command: 'seq 1 60000; echo the end' })] },
      { tool_calls: [{ name: 'read_result', arguments: { call_id: 'call_0_0', offset: 200_000 } }] },
      { text: 'Done.' },
    ]);
    const id = await system.start('much', { agent_id: runner });
    await system.ended(id);
    const [told, read] = (await resultsOf(id)).map(({ content }) => content.result as Record<string, unknown>);
    expect(told).toMatchObject({ exit_code: 0, output_cut: true });
    expect(String(told?.output)).toMatch(/^1\n2\n[\s\S]*characters left out; read_result[\s\S]*the end\n$/);
    expect(String(told?.output).length).toBeLessThan(13_000);
    expect(read).toMatchObject({ offset: 200_000, total: 348_902 });
    const [evidence] = await evidenceOf(id);
    const last = await output(id, evidence?.id ?? '', 348_000);
    expect(last).toMatchObject({
      kept_chars: 348_902,
      next_offset: null,
      output: expect.stringMatching(/60000\nthe end\n$/),
    });
  });

  it('tells the tests by name', async () => {
    await writeFile(
      join(system.root, 'sum.test.mjs'),
      "import test from 'node:test'; import assert from 'node:assert';\ntest('adds', () => {}); test('takes away', () => assert.equal(1, 2));\n",
    );
    const id = await calling('tests', test({ command: 'node --test --test-reporter=tap sum.test.mjs' }));
    await system.ended(id);
    expect((await resultsOf(id))[0]?.content).toMatchObject({
      ok: true,
      result: {
        passed: false,
        exit_code: 1,
        tests: { passed: 1, failed: 1, failing: expect.arrayContaining(['takes away']) },
      },
    });
    expect((await evidenceOf(id))[0]?.report).toMatchObject({ runner: 'node --test', failed: 1 });
  });

  it('shows no secret in what it says, live or kept', async () => {
    const id = await calling('secret', run({ command: `for i in 1 2 3; do echo "key: ${SECRET_KEY}"; done` }));
    await system.ended(id);
    const [evidence] = await evidenceOf(id);
    const kept = JSON.stringify([evidence, await output(id, evidence?.id ?? ''), await entriesAfter(id, 0)]);
    expect(kept).toContain('key: [secret]');
    expect(kept).not.toContain(SECRET_KEY);
  });

  it('is ended with all it has started within two seconds of a cancel, and told as interrupted', async () => {
    const id = await calling('cancelled', run({ command: 'setsid sleep 300 & touch begun; sleep 300; touch ended' }));
    await expect.poll(() => existsSync(join(system.root, 'begun'))).toBe(true);
    const begun = Date.now();
    await system.commands.cancel(system.caller, id);
    expect((await system.ended(id)).status).toBe('cancelled');
    expect(Date.now() - begun).toBeLessThan(2_000);
    expect(existsSync(join(system.root, 'ended'))).toBe(false);
    expect((await evidenceOf(id))[0]).toMatchObject({ cut: 'cancelled', exit_code: null });
  });

  it('is ended when its time is up, which the model is told', async () => {
    const id = await calling('slow', run({ command: 'echo on it; sleep 300', timeout_s: 1 }));
    await system.ended(id);
    expect((await resultsOf(id))[0]?.content).toMatchObject({
      ok: true,
      result: { exit_code: null, cut: 'timeout', output: 'on it\n' },
    });
  });
});

describe('what a command says while it runs', () => {
  /** As a client that connects now sees it. */
  function follow(id: string) {
    const seen: { events: RunEvent[]; outputs: ToolOutput[] } = { events: [], outputs: [] };
    const follower = new RunFollower(system.hub, id, 1, {
      events: (events) => void seen.events.push(...events),
      delta: () => undefined,
      output: (said) => void seen.outputs.push(said),
      failed: () => undefined,
    });
    return { ...seen, stop: () => follower.stop() };
  }
  const joined = (outputs: ToolOutput[]): string => {
    let text = '';
    for (const said of outputs) if (said.offset <= text.length) text = text.slice(0, said.offset) + said.text;
    return text;
  };

  it('is seen at once under the id of its call, also by who comes later, and is no part of log or history', async () => {
    const wait = (file: string) => `while [ ! -e ${file} ]; do sleep 0.02; done`;
    const id = await calling(
      'live',
      run({ command: `echo one; ${wait('go-1')}; echo two; ${wait('go-2')}; echo three` }),
    );
    const first = follow(id);
    await expect.poll(() => joined(first.outputs)).toBe('one\n');
    expect(first.outputs[0]).toMatchObject({ run_id: id, turn: 1, call_id: 'call_0_0', offset: 0 });
    first.stop();
    await writeFile(join(system.root, 'go-1'), '');
    await expect.poll(async () => joined((await snapshot(id)).outputs)).toBe('one\ntwo\n');
    await writeFile(join(system.root, 'go-2'), '');
    await system.ended(id);
    const facts = (await entriesAfter(id, 0)).flatMap(({ facts }) => facts.map(({ kind }) => kind));
    expect(facts.filter((kind) => kind === 'tool_started' || kind === 'tool_finished')).toHaveLength(2);
    const histories = await historiesOf(system.client, id);
    expect(payloadsOf(histories).filter((payload) => payload.includes('three'))).toEqual([]);
    expect((await entriesAfter(id, 0)).flatMap(entryEvents).map(({ type }) => type)).not.toContain('tool.output');
  });

  async function snapshot(id: string) {
    const client = follow(id);
    await expect.poll(() => client.outputs.length).toBeGreaterThan(0);
    client.stop();
    return client;
  }
});

describe('[6] set-up commands of a notebook', () => {
  it('run once before the first command, and again when they or a lock file change', async () => {
    await changeNotebook(system.caller, system.notebook.id, {
      setup_commands: ['echo x >> set-ups', 'cat package-lock.json || true'],
    });
    const times = async () => (await readFile(join(system.root, 'set-ups'), 'utf8')).length / 2;
    const once = async (name: string) => system.ended(await calling(name, run({ command: 'cat set-ups' })));
    const first = await once('set-up-1');
    expect((await evidenceOf(first.id)).map(({ operation }) => operation)).toEqual(['setup', 'setup', 'run']);
    await once('set-up-2');
    expect(await times()).toBe(1);
    await writeFile(join(system.root, 'package-lock.json'), '{"lockfileVersion": 3}');
    await once('set-up-3');
    expect(await times()).toBe(2);
  });

  it('that fail keep the command from running, and tell why', async () => {
    await changeNotebook(system.caller, system.notebook.id, { setup_commands: ['echo no such package; exit 9'] });
    const id = await calling('set-up-fails', run({ command: 'touch should-not-be' }));
    await system.ended(id);
    expect((await resultsOf(id))[0]?.content).toMatchObject({
      ok: false,
      error: { code: 'setup_failed', details: { exit_code: 9, output: 'no such package\n' } },
    });
    expect(existsSync(join(system.root, 'should-not-be'))).toBe(false);
    await changeNotebook(system.caller, system.notebook.id, { setup_commands: [] });
  });
});

describe('[6] in a checkout', () => {
  it('a command waits for nobody, and what a set-up has installed is there for every later run', async () => {
    const remote = await newRemote({
      '.gitignore': 'installed/\n',
      'package-lock.json': '{}',
      'notes.md': '# Notes\n',
    });
    const { id: notebook_id } = await gitNotebook(system, remote.url);
    const setup_commands = ['mkdir installed && echo by the first run > installed/tool && echo ran'];
    await changeNotebook(system.caller, notebook_id, { setup_commands });
    const asking = await agentOf('In a checkout', {});
    const once = async (name: string) => {
      system.model.script(name, [
        { tool_calls: [run({ command: 'cat installed/tool notes.md; git log --format=%s; git status --short' })] },
        { text: 'Done.' },
      ]);
      return system.ended(await system.start(name, { agent_id: asking, notebook_id }));
    };
    const said = async (id: string) =>
      String(((await resultsOf(id))[0]?.content.result as { output?: string } | null)?.output ?? '');
    const first = await once('checkout-1');
    expect(first.status).toBe('completed');
    expect((await evidenceOf(first.id)).map(({ operation }) => operation)).toEqual(['setup', 'run']);
    const second = await once('checkout-2');
    expect((await evidenceOf(second.id)).map(({ operation }) => operation)).toEqual(['run']);
    for (const { id } of [first, second]) expect(await said(id)).toBe('by the first run\n# Notes\nfirst\n');
    await remote.remove();
  });
});
