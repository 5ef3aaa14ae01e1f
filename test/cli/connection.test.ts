import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { addressOf, connect } from '../../cli/connection.ts';
import { troubleLines } from '../../cli/trouble.ts';
import { readConfig } from '../../config.ts';
import { ApiError } from '../../sdk/api-error.ts';

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

function configWith(remembered: Record<string, string> | null, env: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'longhaul-cli-'));
  homes.push(home);
  if (remembered) writeFileSync(join(home, 'cli.json'), JSON.stringify(remembered));
  return readConfig({ LONGHAUL_HOME: home, ...env });
}

const HERE = { url: 'http://127.0.0.1:7400', api_key: 'key-of-this-machine' };

test('without anything in the environment the server that was started last is used', () => {
  expect(addressOf(configWith(HERE))).toEqual({ url: HERE.url, apiKey: HERE.api_key });
});

test('the environment goes before what was remembered', () => {
  const env = { LONGHAUL_URL: 'https://longhaul.example', LONGHAUL_API_KEY: 'mine' };
  expect(addressOf(configWith(HERE, env))).toEqual({ url: 'https://longhaul.example', apiKey: 'mine' });
});

test('the key of this machine is never sent to another address', () => {
  expect(() => addressOf(configWith(HERE, { LONGHAUL_URL: 'https://longhaul.example' }))).toThrow(
    'There is no API key',
  );
  expect(addressOf(configWith(HERE, { LONGHAUL_URL: 'http://127.0.0.1:7400/' })).apiKey).toBe(HERE.api_key);
});

test('where nothing was started yet, it is said to run npm start', async () => {
  const error = await connect(configWith(null)).catch((error: unknown) => error);
  expect(troubleLines(error).join('\n')).toMatch(/has not been started[\s\S]*npm start/);
});

test('where nothing answers, it is said at once and to run npm start', async () => {
  const error = await connect(configWith({ ...HERE, url: 'http://127.0.0.1:1' })).catch((error: unknown) => error);
  expect(troubleLines(error).join('\n')).toMatch(/Nothing answers at http:\/\/127.0.0.1:1[\s\S]*npm start/);
});

test('an address that is none is refused before anything is sent', () => {
  expect(() => addressOf(configWith(null, { LONGHAUL_URL: 'localhost:7400' }))).toThrow('is not an address');
});

test('an error of the server is shown with what to do and the request id', () => {
  const error = new ApiError({ code: 'not_found', status: 404, message: 'No run. Check the id.', request_id: 'req_1' });
  expect(troubleLines(error)).toEqual(['No run. Check the id.', 'Request id: req_1']);
});
