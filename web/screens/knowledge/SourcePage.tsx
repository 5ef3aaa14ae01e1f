import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { api } from '../../api.ts';
import { Button } from '../../components/Button.tsx';
import { Copyable } from '../../components/Copyable.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Page } from '../../components/Page.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { shortId } from '../../format.ts';
import { ApiError } from '../../http.ts';
import { sourceFacts } from './SourceLine.tsx';

const CRUMBS = [{ to: '/knowledge', name: 'Knowledge' }];
/** Lines before the one looked for. */
const BEFORE = 20;

/** A document as agents read it: lines with their numbers, from near the one looked for on. */
export function SourcePage() {
  const { id = '' } = useParams();
  const [search] = useSearchParams();
  const wanted = Math.max(0, Number.parseInt(search.get('line') ?? '', 10) || 0);
  const first = Math.max(1, wanted - BEFORE);
  const source = useQuery({ queryKey: ['knowledge-source', id], queryFn: () => api.knowledgeSource(id) });
  const text = useInfiniteQuery({
    queryKey: ['knowledge-text', id, first],
    queryFn: ({ pageParam }) => api.knowledgeText(id, pageParam),
    initialPageParam: first,
    getNextPageParam: (last) => (last.to < last.total_lines ? last.to + 1 : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const failed = source.error ?? text.error;
  const isGone = failed instanceof ApiError && failed.status === 404;
  const lines = text.data?.pages.flatMap((page) =>
    page.text.split('\n').map((line, index) => ({ number: page.from + index, line })),
  );
  const best = useRef<HTMLDivElement>(null);
  const isRead = lines !== undefined;
  useEffect(() => {
    if (isRead) best.current?.scrollIntoView({ block: 'center' });
  }, [isRead]);

  return (
    <Page
      title={source.data?.name ?? (isGone ? 'No such document' : 'Document')}
      crumbs={CRUMBS}
      aside={
        source.data && (
          <span className="flex shrink-0 items-center gap-3 text-small text-faint max-sm:hidden">
            {sourceFacts(source.data)} <Copyable text={id} label="document id" shown={shortId(id)} />
          </span>
        )
      }
    >
      {failed && !lines ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote
            title={isGone ? 'There is no such document, or you may not see it' : 'The document could not be read'}
            error={failed}
          />
        </div>
      ) : (
        <div aria-busy={!lines} className="mx-auto flex max-w-4xl flex-col gap-3 p-6 font-mono text-small max-sm:p-4">
          {!lines && <Skeleton className="w-1/2" />}
          {first > 1 && lines && <p className="font-sans text-faint">From line {first} on.</p>}
          <div>
            {lines?.map(({ number, line }) => (
              <div
                key={number}
                ref={number === wanted ? best : null}
                className={`flex gap-4 leading-5 ${number === wanted ? 'bg-chosen' : ''}`}
              >
                <span aria-hidden className="w-10 shrink-0 text-right text-faint select-none">
                  {number}
                </span>
                <span className="min-w-0 break-words whitespace-pre-wrap">{line}</span>
              </div>
            ))}
          </div>
          {text.hasNextPage && (
            <Button
              className="self-center font-sans"
              busy={text.isFetchingNextPage}
              onClick={() => void text.fetchNextPage()}
            >
              Show more
            </Button>
          )}
        </div>
      )}
    </Page>
  );
}
