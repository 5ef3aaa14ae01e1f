import { readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FileLock, tryLock, withLock } from '../../engines/file-lock.ts';
import { identify } from '../../engines/process-identity.ts';
import { temporaryFolder } from './temporary.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'lock');
});

const taken = (lock: ReturnType<typeof tryLock>): FileLock => {
  if ('release' in lock) return lock;
  throw new Error(`held by ${lock.held_by.pid}`);
};
const self = identify(process.pid);
const owner = { pid: process.pid, began: self?.began ?? '', host: hostname(), id: 'x' };

describe('a file lock', () => {
  it('is held by one, who is named, until released', () => {
    const lock = taken(tryLock(path));
    expect(tryLock(path)).toMatchObject({ held_by: { pid: process.pid } });
    lock.release();
    taken(tryLock(path)).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['of a process that is gone', { ...owner, pid: 2 ** 22 + 1 }],
    ['of an earlier process with the same id', { ...owner, began: 'long ago' }],
  ])('%s is taken over', (_, dead) => {
    writeFileSync(path, JSON.stringify(dead));
    taken(tryLock(path)).release();
  });

  it('that a power cut left empty is taken over', () => {
    writeFileSync(path, '');
    taken(tryLock(path)).release();
  });

  it('of a process on another host is respected while it is fresh', () => {
    writeFileSync(path, JSON.stringify({ ...owner, pid: 1, host: 'elsewhere' }));
    expect(tryLock(path)).toMatchObject({ held_by: { host: 'elsewhere' } });
  });

  it('lets one after the other through, also over a dead owner', async () => {
    writeFileSync(path, JSON.stringify({ ...owner, began: 'long ago' }));
    let inside = 0;
    let most = 0;
    const one = () =>
      withLock(
        path,
        () => undefined,
        async () => {
          most = Math.max(most, ++inside);
          await new Promise((resolve) => setImmediate(resolve));
          inside--;
        },
      );
    await Promise.all([one(), one(), one()]);
    expect(most).toBe(1);
  });
});
