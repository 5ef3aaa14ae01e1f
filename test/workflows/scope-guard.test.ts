import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Agent, createAgentBody } from '../../domain/agent.ts';
import type { Fact } from '../../domain/facts.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { allAttempts } from '../files/escape-attempts.ts';
import { AGENT, type System, startSystem } from '../running-system.ts';

let system: System;
let outside: string;
beforeAll(async () => {
  system = await startSystem();
  outside = await mkdtemp(join(tmpdir(), 'longhaul-outside-'));
  await writeFile(join(outside, 'secret.txt'), 'OUTSIDE');
  await mkdir(join(system.root, 'docs'));
  await mkdir(join(system.root, 'secret'));
  await writeFile(join(system.root, 'docs/b.md'), 'inside\n');
  await writeFile(join(system.root, 'secret/key.md'), 'SECRET KEY\n');
});
afterAll(() => Promise.all([system.stop(), rm(outside, { recursive: true, force: true })]));

/** With every right there is, and none of the limits that would end a run of hundreds of calls. */
const agentWith = (more: Partial<Agent>): Promise<Agent> =>
  createAgent(system.caller, {
    ...createAgentBody.parse({
      ...AGENT,
      workspace_id: system.workspace.id,
      name: `Agent ${newId('agt')}`,
      can_delete: true,
      max_requests_per_hour: null,
      max_token_budget: 100_000_000,
      ...more,
    }),
    id: newId('agt'),
  });

type Call = { name: string; arguments: Record<string, unknown> };
const TOOLS: ((path: string) => Call)[] = [
  (path) => ({ name: 'read_file', arguments: { path } }),
  (path) => ({ name: 'list_files', arguments: { path } }),
  (path) => ({ name: 'get_file_metadata', arguments: { file_path: path } }),
  (path) => ({ name: 'write_file', arguments: { path, content: 'CHANGED' } }),
  (path) => ({ name: 'create_file', arguments: { path, content: 'CHANGED' } }),
  (path) => ({ name: 'delete_file', arguments: { path } }),
  (path) => ({ name: 'update_file_properties', arguments: { path, properties: { changed: true } } }),
];
const AT_ONCE = 100;

/** A run whose model makes all these calls, a hundred a turn, and what came of each. */
async function callAll(script: string, calls: Call[], agent: Agent) {
  const turns = Array.from({ length: Math.ceil(calls.length / AT_ONCE) }, (_, n) => ({
    tool_calls: calls.slice(n * AT_ONCE, (n + 1) * AT_ONCE),
  }));
  system.model.script(script, [...turns, { text: 'I give up.' }]);
  const id = await system.start(script, { agent_id: agent.id });
  const run = await system.ended(id);
  const facts = (await entriesAfter(id, 0)).flatMap((entry): Fact[] => entry.facts);
  const results = facts.flatMap((fact) => (fact.kind === 'tool_finished' ? [fact] : []));
  return { run, results, told: JSON.stringify(system.model.callsOf(script, turns.length)[0]?.request.messages) };
}

const through = (results: Extract<Fact, { kind: 'tool_finished' }>[]) =>
  results.filter(({ was_allowed, error }) => was_allowed || error?.details.scope_violation !== true);

async function expectUntouched(): Promise<void> {
  expect(await readdir(outside)).toEqual(['secret.txt']);
  expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('OUTSIDE');
  expect(await readFile(join(system.root, 'docs/b.md'), 'utf8')).toBe('inside\n');
  expect(await readFile(join(system.root, 'secret/key.md'), 'utf8')).toBe('SECRET KEY\n');
}

describe('[2] in a run, every attempt to leave the scope is refused, logged as not allowed, and the run goes on', () => {
  it('with hundreds of paths that are not what they seem', async () => {
    const calls = allAttempts.flatMap((path, n) => TOOLS[n % TOOLS.length]?.(path) ?? []);
    const { run, results, told } = await callAll('tricks', calls, await agentWith({}));
    expect(run).toMatchObject({ status: 'completed', output: 'I give up.', pending_actions: [] });
    expect(results).toHaveLength(allAttempts.length);
    expect(through(results)).toEqual([]);
    expect(told.match(/\\"scope_violation\\":true/g)).toHaveLength(allAttempts.length);
    await expectUntouched();
  }, 120_000);

  it('with links that lead out, whatever they look like', async () => {
    const root = system.root;
    await symlink(outside, join(root, 'out'));
    await symlink(join(outside, 'secret.txt'), join(root, 'secret-link.txt'));
    await symlink('out', join(root, 'twice'));
    await symlink('/', join(root, 'host'));
    await symlink('/proc/self', join(root, 'self'));
    await symlink('loop', join(root, 'loop'));
    await symlink(join('..', '..', outside.slice(1)), join(root, 'docs/relative'));
    const paths = ['/out/secret.txt', '/secret-link.txt', '/twice/secret.txt', `/host${outside}/secret.txt`];
    const more = ['/self/environ', '/self/root/etc/passwd', '/loop/x', '/out/new.md', '/out/deep/new.md', '/host/tmp'];
    const calls = [...paths, ...more].flatMap((path) => TOOLS.map((call) => call(path)));
    const { run, results, told } = await callAll('links', calls, await agentWith({}));
    await Promise.all(
      ['out', 'secret-link.txt', 'twice', 'host', 'self', 'loop', 'docs/relative'].map((name) => rm(join(root, name))),
    );
    expect(run.status).toBe('completed');
    expect(results).toHaveLength(calls.length);
    expect(through(results)).toEqual([]);
    expect(told).not.toContain('OUTSIDE');
    await expectUntouched();
  });

  it('with places that its rules do not cover, spelled in any way', async () => {
    await symlink('../secret', join(system.root, 'docs/way'));
    const agent = await agentWith({ scope: { notebooks: ['*'], folders: ['/docs'] } });
    const places = ['/notes.md', '/secret/key.md', 'secret/key.md', '/docs/way/key.md', '/docs/way/new.md', '/secret'];
    const host = ['/etc/passwd', '/proc/self/environ', '/dev/null', '~/.ssh/id_rsa', '$HOME/x', '/root', system.root];
    const cased = ['/Docs/b.md', '/DOCS/b.md', '/docs2/b.md', '/docs.md', '/doc/s/b.md', '/.docs/b.md'];
    const calls = [...places, ...host, ...cased].flatMap((path) => TOOLS.map((call) => call(path)));
    const { run, results, told } = await callAll('rules', calls, agent);
    await rm(join(system.root, 'docs/way'));
    expect(run.status).toBe('completed');
    expect(results).toHaveLength(calls.length);
    expect(through(results)).toEqual([]);
    expect(told).not.toContain('SECRET KEY');
    expect(told).toContain('no folder rule covers /secret/key.md: there is 1 (/docs)');
    await expectUntouched();
  });

  it('with tools that it was not given', async () => {
    const agent = await agentWith({ can_write: false, can_create: false, can_delete: false });
    const calls = TOOLS.slice(3).map((call) => call('/docs/b.md'));
    const { run, results } = await callAll('tools', calls, agent);
    expect(run.status).toBe('completed');
    expect(results.map(({ was_allowed, error }) => [was_allowed, error?.code])).toEqual(
      calls.map(() => [false, 'unknown_tool']),
    );
    await expectUntouched();
  });
});
