import { useInfiniteQuery } from '@tanstack/react-query';
import { History, Undo2 } from 'lucide-react';
import { Link, useSearchParams } from 'react-router';
import type { CheckpointSummary } from '../../../domain/edits/wire.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select } from '../../components/Fields.tsx';
import { Page } from '../../components/Page.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Ago } from '../../components/Times.tsx';
import { editsApi } from '../../edits-api.ts';
import { folderHref } from '../../file-paths.ts';
import { firstLine, plural } from '../../format.ts';
import { useNotebooks } from '../../queries.ts';
import { checkpointHref } from './hrefs.ts';

/** What was applied to a notebook, newest first; each is the state before it. */
export default function Checkpoints() {
  const [search, setSearch] = useSearchParams();
  const { data: notebooks = [] } = useNotebooks();
  const id = search.get('notebook') ?? notebooks[0]?.id ?? '';
  const list = useInfiniteQuery({
    queryKey: ['checkpoints', id],
    queryFn: ({ pageParam }) => editsApi.checkpoints(id, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    enabled: id !== '',
  });
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  const files = id === '' ? '/files' : folderHref(id, '/');
  return (
    <Page
      title="Checkpoints"
      crumbs={[{ to: files, name: 'Files' }]}
      aside={
        <div className="w-56 min-w-0 max-sm:w-44">
          <Select
            label="Notebook"
            hideLabel
            value={id}
            onChange={(event) => setSearch({ notebook: event.target.value }, { replace: true })}
          >
            {notebooks.every((each) => each.id !== id) && <option value={id}>Notebook</option>}
            {notebooks.map((each) => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
          </Select>
        </div>
      }
    >
      {list.error && !list.data ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="The checkpoints could not be read" error={list.error} />
        </div>
      ) : list.isPending ? (
        <div aria-busy className="flex flex-col gap-5 p-6">
          <Skeleton className="w-1/3" />
          <Skeleton className="w-1/2" />
        </div>
      ) : items.length === 0 ? (
        <EmptyState
          icon={History}
          title="Nothing has been applied here yet"
          action={
            <Link to={files} className="rounded text-accent-ink underline">
              Open the files and ask the agent
            </Link>
          }
        >
          Before edits of an agent are written, every file they touch is kept as it was. From here you compare, and go
          back.
        </EmptyState>
      ) : (
        <div className="mx-auto max-w-3xl p-6 max-sm:p-4">
          <ol
            aria-label="Checkpoints, newest first"
            className="relative flex flex-col before:absolute before:top-3 before:bottom-3 before:left-[7px] before:w-px before:bg-line"
          >
            {items.map((item) => (
              <Point key={item.checkpoint_id} item={item} />
            ))}
          </ol>
          {list.hasNextPage && (
            <Button className="mt-4" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              Show older ones
            </Button>
          )}
        </div>
      )}
    </Page>
  );
}

const ROLLBACKS: Record<string, string> = {
  buffer: 'rollback not saved yet',
  conflict: 'rollback has conflicts',
  saving: 'rollback being saved',
  saved: 'rolled back',
  failed: 'rollback failed',
};

function Point({ item }: { item: CheckpointSummary }) {
  const { checkpoint_id, instruction, created_at, files, rollback } = item;
  const word =
    rollback &&
    (rollback.state === 'saved' && rollback.mode !== 'hard_all' ? 'partly rolled back' : ROLLBACKS[rollback.state]);
  return (
    <li className="relative flex gap-4 pb-3">
      <span aria-hidden className="z-10 mt-3 size-3.5 shrink-0 rounded-full border-2 border-accent bg-surface" />
      <Link
        to={checkpointHref(checkpoint_id)}
        className="flex min-w-0 flex-1 flex-col rounded-lg border border-line px-3 py-2 hover:border-control"
      >
        <span className="truncate font-medium">{firstLine(instruction) || checkpoint_id}</span>
        <span className="flex flex-wrap items-center gap-x-3 text-small text-soft">
          <Ago at={created_at} /> {plural(files, 'file')}
          {word && <Badge icon={Undo2} word={word} warns={rollback.state !== 'saved'} />}
        </span>
      </Link>
    </li>
  );
}
