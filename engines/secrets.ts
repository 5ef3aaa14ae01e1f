import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Null where none was ever made. */
export function secretAt(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}

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
