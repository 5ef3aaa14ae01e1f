import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type KeptProcess, keepProcess, type ProcessWatch, restartDelay } from '../../engines/kept-process.ts';
import { isRunning, type ProcessIdentity } from '../../engines/process-identity.ts';
import { until } from '../../engines/until.ts';
import { temporaryFolder } from './temporary.ts';

let kept: KeptProcess | undefined;
afterEach(() => kept?.kill());

const log = join(temporaryFolder(), 'a.log');
const keep = (script: string, watch: ProcessWatch = {}) => {
  kept = keepProcess({ name: 'a', program: process.execPath, args: () => ['-e', script], log, own: true }, watch);
  return kept;
};
const holds = (what: string, condition: () => boolean) => until(async () => condition() || null, { what });

describe('a kept process', () => {
  it('is started again at once when it is killed, and says so', async () => {
    const born: ProcessIdentity[] = [];
    const deaths: string[] = [];
    keep('process.on("message", () => {}); process.send("up")', {
      started: (identity) => born.push(identity),
      died: (how, wait) => deaths.push(`${how}, again in ${wait} ms`),
    });
    await holds('the first', () => born.length === 1);
    const [first] = born;
    process.kill(first?.pid ?? 0, 'SIGKILL');
    await holds('the second', () => born.length === 2);
    expect(deaths).toEqual(['SIGKILL, again in 0 ms']);
    expect(first && isRunning(first)).toBe(false);
  });

  it('waits longer and longer for one that dies at once', async () => {
    expect([1, 2, 3, 4, 20].map(restartDelay)).toEqual([0, 100, 200, 400, 5_000]);
    const waits: number[] = [];
    keep('process.exit(3)', { died: (_, wait) => waits.push(wait) });
    await holds('three deaths', () => waits.length >= 3);
    expect(waits.slice(0, 3)).toEqual([0, 100, 200]);
  });

  it('that cannot be started at all is a death like another', async () => {
    const deaths: string[] = [];
    kept = keepProcess(
      { name: 'a', program: '/no/such/program', args: () => [], log, own: false },
      { died: (how) => deaths.push(how) },
    );
    await holds('a death', () => deaths.length > 0);
    expect(deaths[0]).toContain('ENOENT');
  });

  it('ends when told, without being started again, and by force when it will not', async () => {
    let deaths = 0;
    let ready = false;
    const stubborn = keep('process.on("SIGTERM", () => {}); process.send("up"); setInterval(() => {}, 1000)', {
      died: () => deaths++,
      message: () => {
        ready = true;
      },
    });
    await holds('it is up', () => ready);
    await stubborn.stop(50);
    expect(stubborn.pid).toBeUndefined();
    expect(deaths).toBe(0);
  });

  it('has its complaints shown and logged', async () => {
    const complaints: string[] = [];
    keep('console.error("it hurts"); setInterval(() => {}, 1000)', { complained: (line) => complaints.push(line) });
    await holds('a complaint', () => complaints.length > 0);
    expect(complaints).toEqual(['it hurts']);
    expect(readFileSync(log, 'utf8')).toContain('it hurts');
  });
});
