import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, it, onTestFinished } from 'vitest';
import { endOrphans } from '../../engines/orphans.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('[16] npm start serves at the address of its last line, and drains when npm is asked to go', async () => {
  const home = await mkdtemp(join(inject('HOMES'), 'longhaul-npm-start-'));
  const env = { ...process.env, LONGHAUL_HOME: home, PORT: '0', NO_COLOR: '1' };
  const npm = spawn('npm', ['start'], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(async () => {
    // Whatever is left where this has failed.
    try {
      process.kill(-(npm.pid ?? 0), 'SIGKILL');
    } catch {
      // Gone, as it should be.
    }
    await endOrphans(home);
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });
  let said = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const closed = once(npm, 'close');
  await expect.poll(() => said).toMatch(/Longhaul is ready\. Sign in once at http:\/\/\S+\n$/);
  const [, url = ''] = /Sign in once at (http:\/\/[^/\s]+)/.exec(said) ?? [];
  expect((await fetch(`${url}/readyz`)).status).toBe(200);

  npm.kill('SIGTERM');
  await expect.poll(() => said).toContain('Stopped. Every run goes on from where it is at the next start.');
  await closed;
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  expect(await endOrphans(home)).toEqual([]);
});
