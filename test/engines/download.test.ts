import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { download, isReachable, sha256Of } from '../../engines/download.ts';
import { silent } from '../../engines/progress.ts';
import { startProgramServer } from './program-server.ts';
import { temporaryFolder } from './temporary.ts';

let server: Awaited<ReturnType<typeof startProgramServer>>;
beforeAll(async () => {
  server = await startProgramServer('1.29.1');
});
afterAll(() => server.close());

const to = join(temporaryFolder(), 'file');
const fetching = (path: string, sha256 = server.sha256) =>
  download({
    ...{ to, sha256, url: server.url + path, title: 'a thing', progress: silent },
    ...{ answer_ms: 200, idle_ms: 200 },
  });

describe('a download', () => {
  it('arrives whole and with the hash that was asked for', async () => {
    const updates: string[] = [];
    const progress = { line: () => undefined, update: (text: string) => updates.push(text) };
    await download({ url: `${server.url}/`, to, sha256: server.sha256, title: 'a thing', progress });
    expect(await sha256Of(to)).toBe(server.sha256);
    expect(updates.at(-1)).toContain('a thing: ');
  });

  it.each([
    ['that breaks off', '/cut', /terminated|aborted|broke off/],
    ['that nobody answers', '/silent', /no answer within 0.2 s/],
    ['that stops in the middle', '/stalled', /nothing more came within 0.2 s/],
    ['of what is not there', '/missing', /answered 404/],
  ])('%s fails, and says how and where', async (_, path, reason) => {
    await expect(fetching(path)).rejects.toThrow(reason);
    await expect(fetching(path)).rejects.toThrow(server.url + path);
  });

  it('with another hash than the publisher says fails with both', async () => {
    const expected = 'a'.repeat(64);
    await expect(fetching('/', expected)).rejects.toThrow(`has sha256 ${server.sha256}, expected ${expected}`);
  });

  it('from a host that does not exist fails at once with the reason', async () => {
    const url = 'http://no-such-host.invalid/';
    expect(await isReachable(url)).toBe(false);
    await expect(download({ url, to, sha256: '', title: '', progress: silent })).rejects.toThrow(
      /no-such-host.invalid/,
    );
  });
});
