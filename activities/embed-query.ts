import { cancellationSignal } from '@temporalio/activity';
import type { EmbedQueryInput, EmbedQueryOutcome } from '../domain/embedding.ts';
import { keepQueryVector, loadQuery } from '../store/knowledge-queries.ts';
import type { ActivityDeps } from './advance.ts';
import { meaningOf } from './query-meaning.ts';

type Deps = Pick<ActivityDeps, 'embedder' | 'secrets'>;

/** For a process that asks no models itself. The outcome goes into the history of the workflow, the vector does not. */
export const createEmbedQuery =
  ({ embedder, secrets }: Deps) =>
  async ({ query_id }: EmbedQueryInput): Promise<EmbedQueryOutcome> => {
    const query = await loadQuery(query_id);
    if (!query) return { is: 'failed', message: 'The query is not kept any more.' };
    if (query.vector) return { is: 'embedded' };
    if (embedder && embedder.model !== query.model) {
      return { is: 'failed', message: `The workers have another embedding model (${embedder.model}).` };
    }
    const meaning = await meaningOf(embedder, query.text, cancellationSignal());
    if ('reason' in meaning) return { is: 'failed', message: secrets.clean(meaning.reason).slice(0, 1_000) };
    await keepQueryVector(query_id, meaning.vector);
    return { is: 'embedded' };
  };
