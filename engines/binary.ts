import { execFile } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import type { Progress } from './progress.ts';

/** Where a program comes from that is neither on PATH nor in the cache yet. */
export interface Source {
  title: string;
  /** Whether it looks as if it would work, without doing it. `path` is the PATH to look along. */
  isOpen(path: string): Promise<boolean>;
  /** Puts the program somewhere below `stage` and returns its path; throws with what was in the way. */
  get(stage: string, progress: Progress): Promise<string>;
}

export interface EngineKind {
  engine: 'temporal' | 'mongod' | 'bwrap';
  title: string;
  /** The version that decides whether data can be opened, from what `--version` prints. */
  parseVersion(printed: string): string | null;
  /** Versions this code was made for. */
  accepts(version: string): boolean;
  accepted: string;
  /** What a person should know about a version that is taken all the same. */
  caution?(version: string): string | undefined;
  sources: readonly Source[];
  /** What a person can do where nothing worked. */
  advice: string;
}

export const binarySchema = z.object({
  path: z.string(),
  version: z.string(),
  sha256: z.string(),
  size: z.int(),
  mtime_ms: z.number(),
  source: z.string(),
});
export type Binary = z.infer<typeof binarySchema>;

/** Data made by one minor version is opened by the same: engines change their files between them, one way only. */
export const isSameLine = (a: string, b: string): boolean =>
  a.split('.').slice(0, 2).join('.') === b.split('.').slice(0, 2).join('.');

/** Newest first. */
export function byVersion(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (right?.[i] ?? 0) - (left?.[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function findOnPath(program: string, path: string): string | null {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const candidate = join(folder, program);
    try {
      accessSync(candidate, constants.X_OK);
      if (statSync(candidate).isFile()) return realpathSync(candidate);
    } catch {
      // not here
    }
  }
  return null;
}

/** Also the proof that the program runs here at all: a library may be missing. */
export function versionOf(kind: EngineKind, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(path, ['--version'], { timeout: 30_000 }, (error, stdout, stderr) => {
      const version = kind.parseVersion(stdout);
      if (version !== null) return resolve(version);
      const said = `${stderr}${stdout}`.trim().split('\n')[0] ?? '';
      reject(new Error(`${path} --version: ${said || error?.message || 'says nothing'}`));
    });
  });
}
