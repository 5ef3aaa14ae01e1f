import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { megabytes, type Progress } from './progress.ts';

export interface Download {
  url: string;
  to: string;
  title: string;
  sha256: string;
  progress: Progress;
  /** A closed network must not cost minutes: no answer by then means not reachable. */
  answer_ms?: number;
  idle_ms?: number;
}

export async function download({ url, to, title, sha256, progress, answer_ms = 5_000, idle_ms = 30_000 }: Download) {
  const abort = new AbortController();
  let patience: NodeJS.Timeout | undefined;
  const expect = (ms: number, what: string) => {
    clearTimeout(patience);
    patience = setTimeout(() => abort.abort(new Error(`${what} within ${ms / 1000} s`)), ms);
  };
  try {
    expect(answer_ms, 'no answer');
    const response = await fetch(url, { signal: abort.signal, headers: { 'accept-encoding': 'identity' } });
    if (!response.ok || response.body === null) throw new Error(`answered ${response.status}`);
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    const hash = createHash('sha256');
    let received = 0;
    await pipeline(
      Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          expect(idle_ms, 'nothing more came');
          received += chunk.length;
          hash.update(chunk);
          progress.update(`${title}: ${megabytes(received)}${Number.isNaN(length) ? '' : ` of ${megabytes(length)}`}`);
          yield chunk;
        }
      },
      createWriteStream(to),
      { signal: abort.signal },
    );
    if (!Number.isNaN(length) && received !== length) throw new Error(`broke off at ${received} of ${length} bytes`);
    const found = hash.digest('hex');
    if (found !== sha256) throw new Error(`has sha256 ${found}, expected ${sha256}`);
  } catch (error) {
    throw new Error(`${url}: ${reasonOf(abort.signal.aborted ? abort.signal.reason : error)}`, { cause: error });
  } finally {
    clearTimeout(patience);
  }
}

export async function isReachable(url: string, answer_ms = 5_000): Promise<boolean> {
  try {
    await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(answer_ms) });
    return true;
  } catch {
    return false;
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
