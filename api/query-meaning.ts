import {
  EMBED_QUERY,
  type EmbedQueryInput,
  type EmbedQueryOutcome,
  NO_EMBEDDING_MODEL,
  type QueryMeaning,
} from '../domain/embedding.ts';
import { loadQuery, openQuery } from '../store/knowledge-queries.ts';
import type { RunStarter } from '../workflows/start.ts';

/** How long a search waits for the meaning of its query; after that words alone decide. */
const HELD_MS = 5_000;

const NO_WORKER: QueryMeaning = { reason: 'No worker told the meaning of the query in time.' };

/** Has a worker ask the model; whoever searches for the same at the same time shares the call. */
export async function askQueryMeaning(
  { client, taskQueue }: RunStarter,
  model: string | undefined,
  orgId: string,
  text: string,
  draining: AbortSignal,
): Promise<QueryMeaning> {
  if (model === undefined) return { reason: NO_EMBEDDING_MODEL };
  const { _id, vector } = await openQuery(orgId, model, text);
  if (vector) return { model, vector: Float32Array.from(vector) };
  const input: EmbedQueryInput = { v: 1, query_id: _id };
  const patience = AbortSignal.any([draining, AbortSignal.timeout(HELD_MS)]);
  let outcome: EmbedQueryOutcome;
  try {
    outcome = await client.withAbortSignal(patience, async () => {
      const handle = await client.workflow.start(EMBED_QUERY, {
        taskQueue,
        workflowId: `knowledge-query:${_id}`,
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowExecutionTimeout: '30 seconds',
        workflowTaskTimeout: '3 seconds',
        args: [input],
      });
      return (await handle.result()) as EmbedQueryOutcome;
    });
  } catch {
    // Whatever it was, there are words to search for, and the answer says that they decided alone.
    return NO_WORKER;
  }
  if (outcome.is === 'failed') return { reason: outcome.message };
  const found = (await loadQuery(_id))?.vector;
  return found ? { model, vector: Float32Array.from(found) } : NO_WORKER;
}
