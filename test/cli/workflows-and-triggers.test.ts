import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hookSignature } from '../../api/hooks.ts';
import { type Served, startServed } from '../served-system.ts';
import { startProgram } from './terminal-program.ts';

let system: Served;
let folder: string;
beforeAll(async () => {
  system = await startServed();
  folder = await mkdtemp(join(tmpdir(), 'longhaul-cli-'));
});
afterAll(async () => {
  await system.stop();
  await rm(folder, { recursive: true });
});

const run = (...args: string[]) =>
  startProgram({ url: system.url, key: system.ownerKey, home: '/nonexistent' }, args).ended;

const YAML = `name: Read a note
steps:
  - id: nap
    type: wait
    duration: 0
  - id: read
    type: tool
    tool: read_file
    input_mapping:
      path: "{{ input.path }}"
`;

it('[12] workflows are imported, shown, exported, run, resumed and forked on the command line', async () => {
  const file = join(folder, 'note.workflow.yaml');
  await writeFile(file, YAML.replace('steps:', 'stepps:'));
  const [none, wrong] = await Promise.all([run('workflows'), run('workflows', 'import', file)]);
  expect(none.out).toMatch(/^No workflow yet/);
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('is not a workflow yet') });
  await writeFile(file, YAML);
  expect((await run('workflows', 'import', file)).out).toMatch(/^wf_\w+ {2}Read a note, version 1\n$/);
  await writeFile(file, YAML.replace('duration: 0', 'duration: 0.1'));
  expect((await run('workflows', 'import', file)).out).toContain('version 2');
  const copy = join(folder, 'copy.yaml');
  const [list, shown, nobody] = await Promise.all([
    run('workflows'),
    run('workflows', 'show', 'Read a note'),
    run('workflows', 'run', 'nobody'),
    run('workflows', 'export', 'Read a note', '-o', copy),
  ]);
  expect(list.out).toMatch(/Read a note +2 +2 +wait, tool/);
  expect(shown.out).toContain('tool: read_file');
  expect(nobody.err).toContain('There are "Read a note"');
  expect(await readFile(copy, 'utf8')).toContain('duration: 0.1');

  const failed = await run('workflows', 'run', 'Read a note', '--input', '{"path": "/nope.md"}');
  expect(failed.code).not.toBe(0);
  expect(failed.out).toMatch(/✓ nap.*\n✗ read.*\n.*no file \/nope\.md/);
  const [, id = ''] = /(run_\w+)/.exec(failed.out) ?? [];
  const resumed = await run('resume', id, '--from-step', 'read', '--input', '{"path": "/notes.md"}');
  expect(resumed).toMatchObject({ code: 0, out: expect.stringMatching(/✓ read/) });
  expect(resumed.out).not.toContain('nap');
  const [forked, nowhere] = await Promise.all([
    run('fork', id, '--from-step', 'read', '--input', '{"path": "/notes.md"}'),
    run('fork', id),
  ]);
  expect(forked).toMatchObject({ code: 0, out: expect.stringMatching(/✓ read/) });
  expect(forked.out).not.toContain('nap');
  expect(nowhere.err).toContain('--from-step');
});

it('[12] schedules are made, run, paused and deleted on the command line', async () => {
  const [none, refused] = await Promise.all([run('schedules'), run('schedules', 'add', 'every day', 'x')]);
  expect(none.out).toMatch(/^No schedule yet/);
  expect(refused.err).toContain('cron_expression');
  system.model.script('cli', [{ text: 'done' }]);
  const words = ['[script:cli]', 'Do', 'it.'];
  const added = await run('schedules', 'add', '0 9 * * 1-5', '--name', 'Morning', '-z', 'Europe/Berlin', ...words);
  expect(added.err).toBe('');
  const [, id = ''] = /^(sch_\w{26}) {2}Morning, next \S+Z \(Europe\/Berlin\)\n$/.exec(added.out) ?? [];
  expect((await run('schedules')).out).toMatch(
    new RegExp(`NEXT +RUNS\\n${id} +Morning +0 9 \\* \\* 1-5 +Europe/Berlin`),
  );
  const [, runId = ''] = /^(run_\w{26}) /.exec((await run('schedules', 'run', 'Morning')).out) ?? [];
  expect(await system.ended(runId)).toMatchObject({ status: 'completed', schedule_id: id });
  expect((await run('schedules', 'pause', 'Morning')).out).toBe('Paused Morning.\n');
  expect(JSON.parse((await run('schedules', '--json')).out)).toMatchObject({ id, is_active: false });
  expect((await run('schedules', 'rm', id)).out).toMatch(/^Deleted Morning\./);
});

it('[12] webhooks are made and subscribed to, and deliveries seen and repeated, on the command line', async () => {
  const added = await run('hooks', 'add', 'tickets');
  const [, url = ''] = /Address: (\S+)/.exec(added.out) ?? [];
  const [, secret = ''] = /Secret: +(\S+)/.exec(added.out) ?? [];
  system.model.script('hooked', [{ text: 'seen' }]);
  const subscribed = await run('hooks', 'subscribe', 'tickets', '--mapping', '"[script:hooked] {{ payload.n }}"');
  expect(subscribed.out).toContain('Worker runs for events of tickets.');
  const [body, at] = ['{"n":1}', String(Math.floor(Date.now() / 1000))];
  const headers = {
    'content-type': 'application/json',
    'x-longhaul-timestamp': at,
    'x-longhaul-signature': `v1=${hookSignature(secret, at, Buffer.from(body))}`,
  };
  const sent = await (await fetch(url, { method: 'POST', headers, body })).json();
  const delivered = () => system.call('GET', `/events/deliveries/${sent.delivery_id}`);
  await expect.poll(async () => (await delivered()).body.runs[0]?.run_status).toBe('completed');
  expect((await run('hooks', 'deliveries', 'tickets')).out).toMatch(
    new RegExp(`${sent.delivery_id} .*tickets +completed +run_`),
  );
  system.model.script('hooked', [{ text: 'seen again' }]);
  expect((await run('hooks', 'redeliver', sent.delivery_id)).out).toMatch(/attempt 2\): run_/);
  expect((await run('hooks', 'rm', 'tickets')).out).toBe('Deleted tickets.\n');
});
