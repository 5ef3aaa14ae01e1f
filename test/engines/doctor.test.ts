import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { doctorCommand } from '../../cli/doctor.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhaul-doctor-'));
beforeEach(() => {
  vi.stubEnv('LONGHAUL_HOME', join(folder, 'home'));
  vi.stubEnv('PORT', '0');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.exitCode = 0;
});

async function told(json: boolean): Promise<string> {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  await doctorCommand({ json });
  return text;
}

describe('longhaul doctor', () => {
  it('names every part with what was found, for programs too', async () => {
    const { findings } = JSON.parse(await told(true));
    expect(
      Object.fromEntries(findings.map((one: { name: string; state: string }) => [one.name, one.state])),
    ).toMatchObject({
      ...{ node: 'ok', mongod: 'ok', temporal: 'ok', cache: 'ok', home: 'ok', port: 'ok', disk: 'ok' },
      ...{ git: expect.any(String), bubblewrap: expect.any(String), chromium: expect.any(String) },
    });
    expect(process.exitCode).toBe(0);
  });

  it('ends with 1 and the reason where something essential cannot be used', async () => {
    vi.stubEnv('TEMPORAL_ADDRESS', '127.0.0.1:1');
    const text = await told(false);
    expect(text).toMatch(/MISSING {2}temporal +TEMPORAL_ADDRESS 127\.0\.0\.1:1 with namespace default cannot be used/);
    expect(text).toMatch(/Something essential is missing/);
    expect(process.exitCode).toBe(1);
  });
});
