import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Made at first use and kept, readable by nobody else. */
export function keptSecret(path: string, make: () => string = () => randomBytes(32).toString('base64url')): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    const secret = make();
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.tmp`, `${secret}\n`, { mode: 0o600, flush: true });
    renameSync(`${path}.tmp`, path);
    return secret;
  }
}

/** Whoever gives a key to an installation that had made its own goes on with what that one had sealed. */
export function secretKeysOf(kept: string, given: string | undefined, previous = '') {
  const SECRET_KEY = given ?? keptSecret(kept);
  const own = existsSync(kept) ? readFileSync(kept, 'utf8').trim() : '';
  const before = [previous, own].filter((key) => key !== '' && key !== SECRET_KEY);
  return { SECRET_KEY, SECRET_KEY_PREVIOUS: before.join(',') };
}
