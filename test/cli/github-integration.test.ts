import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, startApi } from '../api/running-api.ts';
import { startProgram } from './terminal-program.ts';

let api: Api;
let home: string;
beforeAll(async () => {
  api = await startApi();
  await api.workspace();
  home = await mkdtemp(join(tmpdir(), 'longhaul-github-'));
});
afterAll(async () => {
  await api.stop();
  await rm(home, { recursive: true });
});

const run = (args: string[], input = '') => {
  const program = startProgram({ url: api.url, key: api.ownerKey, home }, ['integrations', 'github', ...args]);
  program.feed(input);
  return program.ended;
};

it('[12] pull requests are turned on with a token from the standard input, off, and removed', async () => {
  expect((await run([])).out).toBe('Pull requests are off; no token is set.\n');
  const token = 'github_pat_nobody-shall-see';
  const on = await run(['--on', '--api-url', 'https://git.example.org/api/v3'], `${token}\n`);
  expect(on).toEqual({ code: 0, err: '', out: 'Pull requests are on, through https://git.example.org/api/v3.\n' });
  expect((await run(['--off'])).out).toBe('Pull requests are off; the token is kept.\n');
  expect(JSON.parse((await run(['--on', '--json'])).out)).toMatchObject({ enabled: true, has_token: true });
  expect((await run(['--remove'])).out).toBe('Removed the integration and its token.\n');
  expect((await run(['--on', '--off'])).err).toContain('Choose one');
});
