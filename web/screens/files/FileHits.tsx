import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { Link } from 'react-router';
import type { FileHit } from '../../../domain/file.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { fileHref, nameOf } from '../../file-paths.ts';
import { filesApi } from '../../files-api.ts';
import { plural } from '../../format.ts';
import { useSettled } from '../../settled.ts';

const PAUSE_MS = 200;

/** Files by name, then lines by what is in them. */
export function FileHits({ notebookId, query }: { notebookId: string; query: string }) {
  const settled = useSettled(query, PAUSE_MS);
  const found = useQuery({
    queryKey: ['file-search', notebookId, settled],
    queryFn: ({ signal }) => filesApi.search(notebookId, settled, signal),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  if (found.error && !found.data)
    return (
      <div className="p-3">
        <ErrorNote title="The search failed" error={found.error} />
      </div>
    );
  if (!found.data)
    return (
      <div aria-busy className="flex flex-col gap-3 p-3">
        <Skeleton className="w-2/3" />
        <Skeleton className="w-1/2" />
      </div>
    );
  const { results, limited } = found.data;
  if (results.length === 0)
    return (
      <EmptyState icon={SearchX} title={`Nothing has “${settled}”`}>
        Neither the name nor the text of any file. Capitals make no difference.
      </EmptyState>
    );
  return (
    <section aria-label="Search results" className="flex min-h-0 flex-1 flex-col gap-1 overflow-y-auto px-2 pb-2">
      <p role="status" className="px-1 text-small text-faint">
        {plural(results.length, 'place')}
        {limited && ', and there may be more'}
      </p>
      {results.map((hit) => (
        <Hit key={`${hit.path}:${hit.line}`} notebookId={notebookId} hit={hit} query={settled} />
      ))}
    </section>
  );
}

function Hit({ notebookId, hit, query }: { notebookId: string; hit: FileHit; query: string }) {
  const lines = hit.snippet.split('\n');
  const text = hit.line === null ? '' : (lines[hit.line - (hit.start_line ?? hit.line)] ?? '');
  return (
    <Link
      to={fileHref(notebookId, hit.path, hit.line)}
      title={hit.path}
      className="flex flex-col rounded-md px-2 py-1 -outline-offset-2 hover:bg-hover"
    >
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">
          <Marked text={nameOf(hit.path)} query={query} />
        </span>
        {hit.line !== null && <span className="shrink-0 text-small text-faint">line {hit.line}</span>}
      </span>
      <span className={`truncate text-small text-soft ${hit.line === null ? '' : 'font-mono'}`}>
        {hit.line === null ? hit.path : <Marked text={around(text.trim(), query)} query={query} />}
      </span>
    </Link>
  );
}

const BEFORE = 24;

/** A long line from a little before what was looked for. */
function around(text: string, query: string): string {
  const at = text.toLowerCase().indexOf(query.toLowerCase());
  return at > BEFORE ? `…${text.slice(at - BEFORE)}` : text;
}

function Marked({ text, query }: { text: string; query: string }) {
  const at = text.toLowerCase().indexOf(query.toLowerCase());
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark className="rounded-xs bg-waits-wash text-waits">{text.slice(at, at + query.length)}</mark>
      {text.slice(at + query.length)}
    </>
  );
}
