import { useInfiniteQuery } from '@tanstack/react-query';
import { BookOpen, Search, Upload } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { useAddress } from '../../address.ts';
import { api } from '../../api.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { Page } from '../../components/Page.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { ACCEPTED } from '../../knowledge-files.ts';
import { useWorkspace } from '../../queries.ts';
import { withChanges } from '../../run-filters.ts';
import { Hits } from './Hits.tsx';
import { SourceLine } from './SourceLine.tsx';
import { Uploads, useUploads } from './Uploads.tsx';

/** Documents of the workspace that agents may search. */
export function Knowledge() {
  const workspace = useWorkspace();
  const mayAdd = workspace !== undefined && workspace.role !== 'read';
  const [search, setSearch] = useAddress();
  const query = search.get('q') ?? '';
  const [isOver, setIsOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const uploads = useUploads(workspace?.id);
  const sources = useInfiniteQuery({
    queryKey: ['knowledge', workspace?.id],
    queryFn: ({ pageParam }) => api.knowledge(workspace?.id ?? '', pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    enabled: workspace !== undefined,
  });
  const all = sources.data?.pages.flatMap(({ items }) => items) ?? [];
  const isEmpty = sources.isSuccess && all.length === 0;

  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    if (mayAdd) uploads.add([...event.dataTransfer.files]);
  };
  const pick = () => picker.current?.click();

  return (
    <Page
      title="Knowledge"
      action={
        mayAdd && (
          <Button kind="primary" onClick={pick}>
            <Upload aria-hidden size={15} /> Add files
          </Button>
        )
      }
    >
      <input
        ref={picker}
        type="file"
        multiple
        accept={ACCEPTED}
        aria-label="Files to add"
        tabIndex={-1}
        className="sr-only"
        onChange={({ target }) => {
          uploads.add([...(target.files ?? [])]);
          // The same file picked again is picked again.
          target.value = '';
        }}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one more way; the button is there for everybody */}
      <div
        onDragOver={(event) => {
          if (!mayAdd || !event.dataTransfer.types.includes('Files')) return;
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={({ currentTarget, relatedTarget }) =>
          !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)) && setIsOver(false)
        }
        onDrop={onDrop}
        className={`mx-auto flex min-h-full max-w-5xl flex-col gap-5 p-6 max-sm:p-4 ${isOver ? 'rounded-lg outline-2 -outline-offset-8 outline-accent-ink outline-dashed' : ''}`}
      >
        {!isEmpty && (
          <search className="relative">
            <Search aria-hidden size={15} className="absolute top-1/2 left-2.5 -translate-y-1/2 text-faint" />
            <TextField
              type="search"
              label="Search the documents"
              hideLabel
              placeholder="Search, as an agent would"
              className="pl-8"
              value={query}
              maxLength={1000}
              onChange={({ target: { value } }) => setSearch(withChanges(search, { q: value }))}
            />
          </search>
        )}
        <Uploads uploads={uploads} />
        {sources.error && !sources.data ? (
          <ErrorNote title="The documents could not be read" error={sources.error} />
        ) : isEmpty ? (
          <EmptyState
            icon={BookOpen}
            title="No documents yet"
            action={mayAdd && <Button onClick={pick}>Choose files</Button>}
          >
            Text, Markdown and PDF files that agents may search and quote, with file and line. Drop them here, at most
            10 MB each. Which agents may read which, the agents say.
          </EmptyState>
        ) : query.trim() !== '' && workspace ? (
          <Hits workspaceId={workspace.id} query={query.trim()} />
        ) : (
          <>
            <ul
              aria-label="Documents"
              aria-busy={sources.isPending}
              className="divide-y divide-line rounded-lg border border-line"
            >
              {sources.data
                ? all.map((source) => <SourceLine key={source.id} source={source} />)
                : [0, 1, 2].map((each) => (
                    <li key={each} className="flex h-14 items-center px-4">
                      <Skeleton className="w-1/2" />
                    </li>
                  ))}
            </ul>
            {sources.hasNextPage && (
              <Button
                className="self-center"
                busy={sources.isFetchingNextPage}
                onClick={() => void sources.fetchNextPage()}
              >
                Show more
              </Button>
            )}
            {mayAdd && sources.data && (
              <p className="text-center text-small text-faint pointer-coarse:hidden">
                Drop text, Markdown or PDF files anywhere here.
              </p>
            )}
          </>
        )}
      </div>
    </Page>
  );
}
