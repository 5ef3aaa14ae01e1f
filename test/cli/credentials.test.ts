import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadCredentials } from '../../store/credential-upkeep.ts';
import { type Api, SECRET_KEY, startApi } from '../api/running-api.ts';
import { canMakeTerminals, startProgram } from './terminal-program.ts';

const VALUE = 'sk-a-value-nobody-shall-see';
let api: Api;
let home: string;
let agent: { id: string; org_id: string };
beforeAll(async () => {
  api = await startApi();
  home = await mkdtemp(join(tmpdir(), 'longhaul-credentials-'));
  const body = { workspace_id: await api.workspace(), name: 'Keeper', model: 'gpt-4o' };
  const { id } = (await api.call('POST', '/agents', { body })).body;
  agent = { id, org_id: (await api.call('GET', '/me')).body.organization.id };
});
afterAll(async () => {
  await api.stop();
  await rm(home, { recursive: true });
});

const start = (args: string[], terminal = false) =>
  startProgram({ url: api.url, key: api.ownerKey, home }, ['credentials', ...args], { terminal });
const stored = async () =>
  (await loadCredentials([SECRET_KEY], agent.org_id, agent.id)).map(({ key, value }) => [key, value]);

it('[12] a credential is set from the standard input, listed by its name and removed', async () => {
  expect((await start(['list', 'keeper']).ended).out).toMatch(/^Keeper has none\. Set one with: longhaul credentials/);
  const setting = start(['set', 'keeper', 'api_key']);
  setting.feed(`${VALUE}\n`);
  expect(await setting.ended).toEqual({
    code: 0,
    err: '',
    out: 'Set api_key of Keeper. It is used from the next model call on.\n',
  });
  expect(await stored()).toEqual([['api_key', VALUE]]);
  expect((await start(['list', 'keeper']).ended).out).toMatch(/^KEY +SET\napi_key +\S.*\n$/);
  expect(JSON.parse((await start(['list', 'keeper', '--json']).ended).out)).toMatchObject({ key: 'api_key' });
  expect((await start(['rm', 'keeper', 'api_key']).ended).out).toBe('Removed api_key of Keeper.\n');
  expect(await stored()).toEqual([]);
});

it('[12] what is not good as a credential says why, without repeating it', async () => {
  const short = start(['set', 'keeper', 'api_key']);
  short.feed('sesame');
  const { code, err } = await short.ended;
  expect(code).toBe(1);
  expect(err).toContain('at least 8 characters');
  expect(err).not.toContain('sesame');
  const empty = start(['set', 'keeper']);
  empty.feed('');
  expect((await empty.ended).err).toContain('no value on the standard input');
  expect((await start(['set', 'keeper', 'api_key', VALUE]).ended).code).not.toBe(0);
  expect(await stored()).toEqual([]);
});

it.runIf(canMakeTerminals)('[12] on a terminal it is asked for, and what is typed is not shown', async () => {
  const setting = start(['set', 'keeper'], true);
  await setting.printed('Value of api_key');
  setting.type(`${VALUE}\r`);
  const { code, out } = await setting.ended;
  expect(code).toBe(0);
  expect(out).toContain('Set api_key of Keeper.');
  expect(out).not.toContain(VALUE);
  expect(await stored()).toEqual([['api_key', VALUE]]);
});
