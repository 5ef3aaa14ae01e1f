import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { type Binary, binarySchema, byVersion, type EngineKind, versionOf } from './binary.ts';
import { sha256Of } from './download.ts';
import { withLock } from './file-lock.ts';
import { readJson, writeJson } from './json-file.ts';
import type { Progress } from './progress.ts';

/**
 * `<cache>/<engine>-<version>/` holds the program and a record of its version and hash. A folder gets that name only
 * by a rename, when all of it is there and the program was seen to run; so what is half done is never taken for whole.
 */
const RECORD = 'binary.json';
const recordSchema = binarySchema.omit({ path: true }).extend({ file: z.string() });

export async function cached(kind: EngineKind, cache: string, fits: (version: string) => boolean): Promise<Binary[]> {
  const folders = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith(`${kind.engine}-`)) : [];
  const found = await Promise.all(
    folders.map(async (name) => {
      const record = readJson(join(cache, name, RECORD), recordSchema);
      return record !== null && fits(record.version) ? checked(join(cache, name), record) : null;
    }),
  );
  return found.filter((binary) => binary !== null).sort((a, b) => byVersion(a.version, b.version));
}

/** Hashing 250 MB takes about a second: done only where size or time say that the file may be another one. */
export async function isUnchanged(binary: Binary): Promise<boolean> {
  const stat = statSync(binary.path, { throwIfNoEntry: false });
  if (stat === undefined || stat.size !== binary.size) return false;
  return stat.mtimeMs === binary.mtime_ms || (await sha256Of(binary.path)) === binary.sha256;
}

async function checked(folder: string, record: z.infer<typeof recordSchema>): Promise<Binary | null> {
  const { file, ...rest } = record;
  const binary = { ...rest, path: join(folder, file) };
  if (!(await isUnchanged(binary))) return null;
  const { mtimeMs } = statSync(binary.path);
  if (mtimeMs !== record.mtime_ms) writeJson(join(folder, RECORD), { ...record, mtime_ms: mtimeMs });
  return { ...binary, mtime_ms: mtimeMs };
}

/** One process at a time fills the cache; the others wait here and then find what it got. */
export const whileFilling = <T>(kind: EngineKind, cache: string, progress: Progress, act: () => Promise<T>) =>
  withLock(
    join(cache, `${kind.engine}.lock`),
    (owner) => progress.line(`${kind.title}: waiting for process ${owner.pid}, which is getting it`),
    async () => {
      for (const name of readdirSync(cache)) {
        if (name.startsWith(`.${kind.engine}-`)) rmSync(join(cache, name), { recursive: true, force: true });
      }
      return act();
    },
  );

/** Gets a program by `get` into a folder of its own, proves it, and gives the folder its name. */
export async function addToCache(
  kind: EngineKind,
  cache: string,
  source: string,
  fits: (version: string) => boolean,
  get: (stage: string) => Promise<string>,
): Promise<Binary> {
  mkdirSync(cache, { recursive: true });
  const stage = await mkdtemp(join(cache, `.${kind.engine}-`));
  try {
    const got = await get(stage);
    const file = basename(kind.engine);
    const whole = join(stage, 'whole');
    mkdirSync(whole);
    renameSync(got, join(whole, file));
    await chmod(join(whole, file), 0o755);
    const version = await versionOf(kind, join(whole, file));
    if (!fits(version)) throw new Error(`it is version ${version}, which does not fit`);
    const { size, mtimeMs } = statSync(join(whole, file));
    const sha256 = await sha256Of(join(whole, file));
    writeJson(join(whole, RECORD), { file, version, sha256, size, mtime_ms: mtimeMs, source });
    const folder = join(cache, `${kind.engine}-${version}`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(whole, folder);
    return { path: join(folder, file), version, sha256, size, mtime_ms: mtimeMs, source };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** A copy, so that an upgrade of what is on PATH does not take away the version that made the data. */
export function copyInto(stage: string, program: string): string {
  const copy = join(stage, 'copy');
  copyFileSync(program, copy, constants.COPYFILE_FICLONE);
  return copy;
}
