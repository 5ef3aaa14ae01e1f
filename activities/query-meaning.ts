import { NO_EMBEDDING_MODEL, type QueryMeaning } from '../domain/embedding.ts';
import { isFailure } from '../domain/failures.ts';
import type { Embedder } from './models/embedder.ts';

/** Somebody waits, and has words to fall back on. */
const TIMEOUT_MS = 5_000;

/** A provider that is away takes nothing from a search but the meaning, and is named in its answer. */
export async function meaningOf(
  embedder: Embedder | null | undefined,
  query: string,
  signal: AbortSignal,
): Promise<QueryMeaning> {
  if (!embedder) return { reason: NO_EMBEDDING_MODEL };
  const { model } = embedder;
  try {
    const [vector] = await embedder.embed([query], 'query', { signal, timeoutMs: TIMEOUT_MS });
    return vector ? { model, vector } : { reason: `${model} gave no vector.` };
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { reason: `The embedding model could not be asked: ${error.message}` };
  }
}
