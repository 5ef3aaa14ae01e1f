import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../sdk/client.ts';
import type { RunItem } from '../../sdk/transcript-filter.ts';
import { RunLog } from '../../store/event-log.ts';
import { keepEvidence } from '../../store/evidence.ts';
import { newId } from '../../store/ids.ts';
import { insertOutput } from '../../store/outputs.ts';
import { insertRun } from '../../store/runs.ts';
import { answered, begun, called, ended, tool } from '../domain/told.ts';
import { draft } from '../recorded-run.ts';
import { type Served, startServed } from '../served-system.ts';

let system: Served;
beforeAll(async () => {
  system = await startServed();
});
afterAll(() => system.stop());

async function runWithCall(): Promise<{ id: string; log: RunLog }> {
  const run = await insertRun(system.caller, draft(newId('run'), system.agent));
  const log = await RunLog.open({ run_id: run._id, workspace_id: run.workspace_id });
  await log.append(() => [...begun, called(1), answered(1, { calls: [tool('c', 'command', { operation: 'run' })] })]);
  return { id: run._id, log };
}

it('what a call says comes to a client as it is said, to a later one from its beginning, and never as text of a model', async () => {
  const { id, log } = await runWithCall();
  const say = (offset: number, text: string) => insertOutput({ run_id: id, turn: 1, call_id: 'c', offset, text });
  await say(0, 'one\n');
  const client = createClient({ url: system.url, apiKey: system.ownerKey });
  const follow = async (then: (said: string) => unknown): Promise<RunItem[]> => {
    const items: RunItem[] = [];
    for await (const item of client.runs.events(id)) {
      items.push(item);
      if (item.kind === 'output') await then(textOf(items));
    }
    return items;
  };
  const textOf = (items: RunItem[]) =>
    items.flatMap((item) => (item.kind === 'output' ? item.output.text : [])).join('');
  const first = follow((said) => (said === 'one\n' ? say(4, 'two\n') : undefined));
  const second = follow((said) => (said === 'one\ntwo\n' ? log.append(() => [ended]) : undefined));
  for (const items of await Promise.all([first, second])) {
    expect(textOf(items)).toBe('one\ntwo\n');
    expect(items.filter(({ kind }) => kind === 'delta')).toEqual([]);
  }
});

it('evidence of a run is listed and read in parts by who may see the run', async () => {
  const { id } = await runWithCall();
  const outcome = { exit_code: 0, signal: null, cut: null, started_at: new Date().toISOString(), duration_ms: 5 };
  const what = { operation: 'run', argv: ['make'], cwd: '/', network: false, confinement: 'bubblewrap', report: null };
  const said = { output: 'x'.repeat(70_000), output_chars: 70_000, output_whole: true };
  await keepEvidence({ key: `${id}-1-c`, run_id: id, call_id: 'c' }, { ...what, ...outcome, ...said });
  const list = await system.call('GET', `/runs/${id}/evidence?call_id=c`);
  expect(list.body.items).toMatchObject([{ id: `${id}-1-c`, call_id: 'c', argv: ['make'], output_chars: 70_000 }]);
  expect((await system.call('GET', `/runs/${id}/evidence?call_id=other`)).body.items).toEqual([]);
  const part = await system.call('GET', `/runs/${id}/evidence/${id}-1-c?offset=60000&limit=100`);
  expect(part.body).toMatchObject({ output: 'x'.repeat(100), offset: 60_000, next_offset: 60_100, kept_chars: 70_000 });
  expect((await system.call('GET', `/runs/${id}/evidence/none`)).status).toBe(404);
});

it('set-up commands are set and read, and bounded', async () => {
  const path = `/notebooks/${system.notebook.id}`;
  const set = await system.call('PUT', path, { body: { setup_commands: ['npm ci'], setup_network: true } });
  expect(set.body).toMatchObject({ name: system.notebook.name, setup_commands: ['npm ci'], setup_network: true });
  expect((await system.call('GET', path)).body).toMatchObject({ setup_commands: ['npm ci'] });
  expect((await system.call('PUT', path, { body: {} })).status).toBe(400);
  expect((await system.call('PUT', path, { body: { setup_commands: [''] } })).status).toBe(400);
  await system.call('PUT', path, { body: { setup_commands: [], setup_network: false } });
});
