import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { Link } from 'react-router';
import { NO_EMBEDDING_MODEL } from '../../../domain/embedding.ts';
import type { KnowledgeHit } from '../../../domain/knowledge.ts';
import { api } from '../../api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { plural } from '../../format.ts';
import { useSettled } from '../../settled.ts';
import { marked, snippetLines } from '../../snippet.ts';

const PAUSE_MS = 200;

/** What an agent would be given for these words, by document and line. */
export function Hits({ workspaceId, query }: { workspaceId: string; query: string }) {
  const settled = useSettled(query, PAUSE_MS);
  const found = useQuery({
    queryKey: ['knowledge-search', workspaceId, settled],
    queryFn: ({ signal }) => api.searchKnowledge(workspaceId, settled, signal),
    placeholderData: keepPreviousData,
  });
  if (found.error && !found.data) return <ErrorNote title="The search failed" error={found.error} />;
  if (!found.data)
    return (
      <div aria-busy className="flex flex-col gap-4">
        <Skeleton className="h-24 w-full" />
        <Skeleton className="h-24 w-full" />
      </div>
    );
  const { results, ranking, ranking_reason } = found.data;
  // How the installation is set up is nothing that went wrong here.
  const reason = ranking_reason === NO_EMBEDDING_MODEL ? null : ranking_reason;
  if (results.length === 0)
    return (
      <EmptyState icon={SearchX} title={`Nothing says “${settled}”`}>
        Try fewer or other words{ranking === 'words' && ': the search is by words, not by meaning'}. {reason}
      </EmptyState>
    );
  return (
    <section aria-label="Results" className="flex flex-col gap-3">
      <p role="status" className="text-small text-faint">
        {plural(results.length, 'passage')}, the best first, by{' '}
        {ranking === 'words' ? 'words alone' : 'words and meaning'}. {reason}
      </p>
      {results.map((hit) => (
        <Hit key={`${hit.source_id}-${hit.start_line}-${hit.line}`} hit={hit} query={settled} />
      ))}
    </section>
  );
}

function Hit({ hit, query }: { hit: KnowledgeHit; query: string }) {
  return (
    <article className="relative overflow-hidden rounded-lg border border-line hover:border-control">
      <h2 className="flex items-baseline gap-3 border-b border-line bg-canvas px-3 py-1.5">
        <Link
          to={`/knowledge/${encodeURIComponent(hit.source_id)}?line=${hit.line}`}
          className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0 after:-outline-offset-2"
        >
          {hit.source}
        </Link>
        <span className="shrink-0 text-small text-faint">
          {hit.page !== null && `page ${hit.page}, `}line {hit.line}
        </span>
      </h2>
      <div className="py-1.5 font-mono text-small">
        {snippetLines(hit).map(({ number, text, isBest }) => (
          <p key={number} className={`flex gap-3 px-3 ${isBest ? 'bg-hover' : 'text-soft'}`}>
            <span aria-hidden className="w-8 shrink-0 text-right text-faint select-none">
              {number}
            </span>
            <span className="min-w-0 break-words whitespace-pre-wrap">
              {marked(text, query).map((piece, index) =>
                piece.isHit ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no other identity
                  <mark key={index} className="rounded-xs bg-waits-wash text-waits">
                    {piece.text}
                  </mark>
                ) : (
                  piece.text
                ),
              )}
            </span>
          </p>
        ))}
      </div>
    </article>
  );
}
