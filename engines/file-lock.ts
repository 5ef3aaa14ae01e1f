import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { identify, isRunning } from './process-identity.ts';

const TOUCH_MS = 5_000;
/** Where the owner's processes cannot be seen (another host or container), it must have touched its lock by then. */
const FOREIGN_STALE_MS = 30_000;
const BREAKER_STALE_MS = 2_000;

const ownerSchema = z.object({ pid: z.int(), began: z.string(), host: z.string(), id: z.string() });
export type LockOwner = z.infer<typeof ownerSchema>;

export interface FileLock {
  release(): void;
}

/** Takes the lock, or says who holds it. A lock whose owner is gone is taken over. */
export function tryLock(path: string): FileLock | { held_by: LockOwner } {
  const began = identify(process.pid)?.began ?? 'unknown';
  const owner: LockOwner = { pid: process.pid, began, host: hostname(), id: randomUUID() };
  mkdirSync(dirname(path), { recursive: true });
  for (;;) {
    if (create(path, owner)) return holding(path, owner);
    const text = read(path);
    if (text === null) continue;
    const other = parseOwner(text);
    if (other !== null && !isStale(path, other)) return { held_by: other };
    breakLock(path, text);
  }
}

/** Who holds the lock, without wanting it. */
export function lockHolder(path: string): LockOwner | null {
  const text = read(path);
  const owner = text === null ? null : parseOwner(text);
  return owner === null || isStale(path, owner) ? null : owner;
}

/** Waits for its turn. `onWait` is called once, when somebody else holds the lock. */
export async function withLock<T>(path: string, onWait: (owner: LockOwner) => void, act: () => Promise<T>): Promise<T> {
  let told = false;
  for (;;) {
    const lock = tryLock(path);
    if ('release' in lock) {
      try {
        return await act();
      } finally {
        lock.release();
      }
    }
    if (!told) onWait(lock.held_by);
    told = true;
    await delay(100);
  }
}

/** Written aside and linked into place, so that nobody ever reads half an owner. */
function create(path: string, owner: LockOwner): boolean {
  const draft = `${path}.${owner.id}`;
  writeFileSync(draft, JSON.stringify(owner), { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function holding(path: string, owner: LockOwner): FileLock {
  const isMine = () => read(path) === JSON.stringify(owner);
  const touch = setInterval(() => {
    if (isMine()) utimesSync(path, new Date(), new Date());
  }, TOUCH_MS);
  touch.unref();
  return {
    release() {
      clearInterval(touch);
      if (isMine()) rmSync(path, { force: true });
    },
  };
}

function isStale(path: string, owner: LockOwner): boolean {
  return owner.host === hostname() ? !isRunning(owner) : ageOf(path) > FOREIGN_STALE_MS;
}

function ageOf(path: string): number {
  const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return modified === undefined ? 0 : Date.now() - modified;
}

/**
 * Two may find the same dead owner at once. Only the one that holds the breaker removes the lock, and only while it
 * still says the same: otherwise the slower one would remove the lock that the faster one has just taken.
 */
function breakLock(path: string, dead: string): void {
  const breaker = `${path}.break`;
  try {
    writeFileSync(breaker, '', { flag: 'wx' });
  } catch {
    if (ageOf(breaker) > BREAKER_STALE_MS) rmSync(breaker, { force: true });
    return;
  }
  try {
    if (read(path) === dead) rmSync(path, { force: true });
  } finally {
    rmSync(breaker, { force: true });
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** null for a file that a power cut left empty. */
function parseOwner(text: string): LockOwner | null {
  try {
    return ownerSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
