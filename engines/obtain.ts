import { statSync } from 'node:fs';
import { type Binary, type EngineKind, findOnPath, isSameLine, versionOf } from './binary.ts';
import { addToCache, cached, copyInto, isUnchanged, whileFilling } from './binary-cache.ts';
import { type Progress, seconds } from './progress.ts';

export interface Wanted {
  cache: string;
  /** The PATH to look along. */
  path: string;
  /** The program that made the data which is there already. */
  made_by?: Binary;
  progress: Progress;
}

/** Smaller is a script that calls the real program: copied, it would lead elsewhere after an upgrade all the same. */
const SMALLEST_PROGRAM = 1_000_000;
const IN_PLACE = 'PATH, in place';

interface Found {
  binary: Binary | undefined;
  /** On PATH, and to be copied into the cache before it is used. */
  on_path: Binary | undefined;
  fits: (version: string) => boolean;
  tried: string[];
}

/** The program that made the data, else what is on PATH, else what is in the cache. Gets nothing. */
export async function locate(kind: EngineKind, { cache, path, made_by }: Omit<Wanted, 'progress'>): Promise<Found> {
  const fits = (version: string) => kind.accepts(version) && (!made_by || isSameLine(made_by.version, version));
  const tried: string[] = [];
  if (made_by && (await isStillThere(kind, made_by))) return { binary: made_by, on_path: undefined, fits, tried };
  const on_path = await onPath(kind, path, fits, tried);
  if (on_path?.source === IN_PLACE) return { binary: on_path, on_path, fits, tried };
  const binary = (await cached(kind, cache, fits)).find((one) => !on_path || one.version === on_path.version);
  return { binary, on_path, fits, tried };
}

/** As found, else from the sources of its kind in their order. Throws with all that was tried and what to install. */
export async function obtain(kind: EngineKind, wanted: Wanted): Promise<Binary> {
  const { cache, made_by, progress } = wanted;
  const known = await locate(kind, wanted);
  if (known.binary) return known.binary;

  return whileFilling(kind, cache, progress, async () => {
    const { binary, on_path, fits, tried } = await locate(kind, wanted);
    if (binary) return binary;
    if (on_path) return addToCache(kind, cache, 'PATH', fits, async (stage) => copyInto(stage, on_path.path));
    for (const source of kind.sources) {
      const since = Date.now();
      progress.line(`${kind.title}: ${source.title}`);
      try {
        const got = await addToCache(kind, cache, source.title, fits, (stage) => source.get(stage, progress));
        progress.line(`${kind.title}: version ${got.version} is in the cache (${seconds(since)})`);
        return got;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        progress.line(`${kind.title}: that did not work: ${reason}`);
        tried.push(`${source.title}: ${reason}`);
      }
    }
    throw new Error(explain(kind, cache, made_by, tried));
  });
}

async function isStillThere(kind: EngineKind, binary: Binary): Promise<boolean> {
  if (!(await isUnchanged(binary))) return false;
  return binary.source !== IN_PLACE || isSameLine(await versionOf(kind, binary.path).catch(() => ''), binary.version);
}

async function onPath(
  kind: EngineKind,
  path: string,
  fits: (version: string) => boolean,
  tried: string[],
): Promise<Binary | undefined> {
  const program = findOnPath(kind.engine, path);
  if (program === null) {
    tried.push(`PATH: no ${kind.engine}`);
    return undefined;
  }
  try {
    const version = await versionOf(kind, program);
    if (fits(version)) {
      const { size, mtimeMs } = statSync(program);
      const source = size < SMALLEST_PROGRAM ? IN_PLACE : 'PATH';
      return { path: program, version, sha256: '', size, mtime_ms: mtimeMs, source };
    }
    tried.push(`PATH: ${program} is version ${version}`);
  } catch (error) {
    tried.push(`PATH: ${error instanceof Error ? error.message : String(error)}`);
  }
  return undefined;
}

function explain(kind: EngineKind, cache: string, made_by: Binary | undefined, tried: string[]): string {
  const wanted = made_by ? `of the version that made the data here (${made_by.version})` : `(${kind.accepted})`;
  return [
    `No ${kind.title} ${wanted} could be found or gotten. Tried:`,
    ...[...tried, `cache: nothing that fits in ${cache}`].map((line) => `  - ${line}`),
    kind.advice,
  ].join('\n');
}
