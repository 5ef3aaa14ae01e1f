import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Dispatched } from '../../domain/dispatch.ts';
import { createClient } from '../../sdk/client.ts';
import { type Served, startServed } from '../served-system.ts';
import { startProgram } from './terminal-program.ts';

let system: Served;
beforeAll(async () => {
  system = await startServed({}, { builtinModels: { editor: undefined, dispatcher: undefined } });
});
afterAll(() => system.stop());

const run = (...args: string[]) =>
  startProgram({ url: system.url, key: system.ownerKey, home: '/nonexistent' }, args).ended;

it('REQ-001 the command line says which tool is meant, how sure that is, and what would be done', async () => {
  const asked = await run('ask', 'read', 'the', 'file', 'notes.md');
  expect(asked).toMatchObject({ code: 0, err: '' });
  expect(asked.out).toMatch(/^read_file · \d+ % sure, by relevance\n/);
  expect(asked.out).toContain('1. tool read_file: {"path":"notes.md"}');
  expect(asked.out).toContain('LONGHAUL_DISPATCHER_MODEL');
  const decided = JSON.parse((await run('dispatch', '--json', 'read the file notes.md')).out) as Dispatched;
  expect(decided).toMatchObject({ routing_decision: { selected_tools: ['read_file'] }, run_id: null });
});

it('REQ-001 with --execute it is done; where it is not clear nothing is begun in a script until it is chosen', async () => {
  const unclear = await run('ask', '--execute', 'file');
  expect(unclear.out).toMatch(/It is not clear which one is meant[\s\S]*LIKELY[\s\S]*choose one/);
  expect(unclear.code).toBe(1);
  const done = await run('ask', '--execute', '--json', '--choose', 'read_file', '--', 'notes.md');
  expect(done).toMatchObject({ code: 0, err: '' });
  const last = JSON.parse(done.out.trimEnd().split('\n').at(-1) ?? '');
  expect(last).toMatchObject({ status: 'completed', trigger_type: 'chat' });
  expect(JSON.stringify(last.output)).toContain('The first line.');
  expect((await run('ask', '--choose', 'no_such_tool', '--', 'x')).err).toContain('no_such_tool');
});

it('REQ-001 the SDK reads and sets what the dispatcher may use, and asks it', async () => {
  const client = createClient({ url: system.url, apiKey: system.ownerKey });
  await client.setSettings({ enabled_tools: ['list_files'] });
  expect(await client.settings()).toEqual({ enabled_tools: ['list_files'], enabled_agents: null });
  const { candidates } = await client.dispatch({ query: 'read the file notes.md', available_agents: [] });
  expect(candidates.filter(({ name }) => name !== 'list_files')).toEqual([]);
  await client.setSettings({});
});
