import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';

/** null where there is no such file, or where it is not what it should be. */
export function readJson<T>(path: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

/** Readers see the old file or the new one, never half of it. Synchronous, so that a crash cannot come in between. */
export function writeJson(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}
