import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { doctorCommand } from '../../cli/doctor.ts';
import { temporaryFolder } from './temporary.ts';

const folder = temporaryFolder();
beforeEach(() => {
  vi.stubEnv('LONGHAUL_HOME', join(folder, 'home'));
  vi.stubEnv('PORT', '0');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.exitCode = undefined;
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
      ...{
        git: expect.any(String),
        search: expect.any(String),
        bubblewrap: expect.any(String),
        chromium: expect.any(String),
      },
    });
    expect(process.exitCode).toBeUndefined();
  });

  it.each([
    ['claude-opus-5', 'anthropic has no embeddings'],
    ['demo/longhaul-demo', 'demo has no embeddings'],
    ['text-embedding-3-small', 'set OPENAI_API_KEY'],
    ['nobody/knows', 'No provider is known'],
  ])('an embedding model that cannot be asked (%s) is missing, and never left out', async (model, why) => {
    vi.stubEnv('OPENAI_API_KEY', '');
    vi.stubEnv('LONGHAUL_EMBEDDING_MODEL', model);
    const { findings } = JSON.parse(await told(true));
    expect(findings).toContainEqual(
      expect.objectContaining({ name: 'embeddings', state: 'missing', found: expect.stringContaining(why) }),
    );
    expect(process.exitCode).toBe(1);
  });

  it('ends with 1 and the reason where something essential cannot be used', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    vi.stubEnv('PORT', String(port));
    const text = await told(false);
    other.close();
    expect(text).toMatch(new RegExp(`MISSING {2}port +127\\.0\\.0\\.1:${port} is taken\n +Another program has it`));
    expect(text).toMatch(/Something essential is missing/);
    expect(process.exitCode).toBe(1);
  });
});
