import { afterAll, beforeAll, expect, it } from 'vitest';
import { sinceTime } from '../../cli/audit.ts';
import type { AuditLine } from '../../domain/audit.ts';
import { type Api, startApi } from '../api/running-api.ts';
import { startProgram } from './terminal-program.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const run = (...args: string[]) => startProgram({ url: api.url, key: api.ownerKey, home: '/nonexistent' }, args).ended;

it('[12] tasks are added, shown, listed and removed on the command line', async () => {
  expect((await run('tasks')).out).toMatch(/^No task yet/);
  const added = await run('tasks', 'add', '--description', 'Two rolls.', 'order', 'filament');
  expect(added).toMatchObject({ code: 0, err: '' });
  const [, id = ''] = /^(tsk_\w{26}) {2}order filament\n$/.exec(added.out) ?? [];
  expect((await run('tasks', 'show', id)).out).toBe('order filament  open\nTwo rolls.\n');
  expect((await run('tasks')).out).toMatch(new RegExp(`STATUS +TASK .*\\nopen +${id} +order filament +–`));
  expect((await run('tasks', 'assign', id, 'nobody')).err).toContain('There is no agent "nobody"');
  expect((await run('tasks', 'rm', id)).out).toBe(`Removed ${id}.\n`);
});

it('[12] the audit log is read, filtered and exported on the command line', async () => {
  const { out } = await run('audit', '--action', 'tasks', '--json');
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditLine);
  expect(lines.map(({ action }) => action)).toEqual(['tasks.delete', 'tasks.create']);
  expect((await run('audit', '--since', '1h')).out).toMatch(/WHEN +WHO .*\n.* tasks\.delete +tsk_\w+ +allowed/);
  expect((await run('audit', '--denied')).out).toBe('Nothing like that has happened.\n');
  const csv = (await run('audit', '--export', 'csv', '--action', 'tasks')).out.trimEnd().split('\r\n');
  expect([csv.length, csv[0]?.split(',')[0]]).toEqual([3, 'id']);
  expect((await run('audit', '--export', 'xlsx')).err).toContain('--export takes ndjson or csv');
  expect((await run('audit', '--since', 'tuesday')).err).toContain('--since takes a span');
});

it('a span is counted back from now, and a time is taken as it is', () => {
  const now = Date.parse('2026-01-31T12:00:00.000Z');
  expect(sinceTime('90m', now)).toBe('2026-01-31T10:30:00.000Z');
  expect(sinceTime('7d', now)).toBe('2026-01-24T12:00:00.000Z');
  expect(sinceTime('2026-01-01T00:00Z', now)).toBe('2026-01-01T00:00:00.000Z');
});
