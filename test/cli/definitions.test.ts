import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadCredentials } from '../../store/credential-upkeep.ts';
import { type Api, SECRET_KEY, startApi } from '../api/running-api.ts';
import { startProgram } from './terminal-program.ts';

let api: Api;
let home: string;
beforeAll(async () => {
  api = await startApi();
  home = await mkdtemp(join(tmpdir(), 'longhaul-definitions-'));
  await api.workspace('Desk');
});
afterAll(async () => {
  await api.stop();
  await rm(home, { recursive: true });
});

const start = (...args: string[]) => startProgram({ url: api.url, key: api.ownerKey, home }, args);

it('[12] integrations and tools are made of files, listed, changed, rolled back and deleted', async () => {
  const file = async (name: string, text: string) => {
    await writeFile(join(home, name), text);
    return join(home, name);
  };
  const integration = await file(
    'tickets.yaml',
    'name: tickets\nbase_url: https://tickets.example.org\ncredential: { key: token }\nendpoints:\n  - name: get\n    path: /tickets/{id}\n',
  );
  const made = await start('integrations', 'apply', integration, '-w', 'Desk').ended;
  expect([made.code, made.err, made.out]).toEqual([0, '', expect.stringMatching(/^int_\w+ {2}tickets, version 1\n$/)]);
  const setting = start('integrations', 'credential', 'tickets', 'token');
  setting.feed('a-token-nobody-shall-see\n');
  expect((await setting.ended).out).toBe('Set token of tickets. It is used from the next call on.\n');
  const org = (await api.call('GET', '/me')).body.organization.id;
  const [id = ''] = made.out.split(' ');
  expect((await loadCredentials([SECRET_KEY], org, id)).map(({ key }) => key)).toEqual(['token']);

  const tool = await file(
    'tool.yaml',
    'name: get_ticket\ndescription: Reads a ticket\nentrypoint: integration:tickets/get\n',
  );
  expect((await start('tools', 'apply', tool, '-w', 'Desk').ended).out).toMatch(/get_ticket, version 1\n$/);
  await file('tool.yaml', 'name: get_ticket\ndescription: Reads one ticket\n');
  const changed = await start('tools', 'apply', tool, '-w', 'Desk', '--json').ended;
  const { id: toolId, version } = JSON.parse(changed.out);
  expect(version).toBe(2);
  expect((await start('tools').ended).out).toMatch(/get_ticket +2 +integration:tickets\/get +Reads one ticket/);

  const refused = await start('integrations', 'delete', 'tickets').ended;
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('in use by the tool get_ticket')]);
  expect((await start('versions', toolId).ended).out).toMatch(/2 +.*Changed description\n +1 +.*Initial creation\n$/);
  expect((await start('versions', 'diff', toolId, '1', '2').ended).out).toBe(
    'description\n- Reads a ticket\n+ Reads one ticket\n',
  );
  expect((await start('versions', 'rollback', toolId, '1').ended).out).toContain('is at version 3 now');
  expect((await start('tools', 'delete', 'get_ticket').ended).code).toBe(0);
  expect((await start('integrations', 'delete', 'tickets').ended).code).toBe(0);
});
