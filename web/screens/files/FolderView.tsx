import { useQuery } from '@tanstack/react-query';
import { File, Folder, FolderOpen, FolderX } from 'lucide-react';
import { Link } from 'react-router';
import type { FileEntry } from '../../../domain/file.ts';
import type { Notebook } from '../../../domain/workspace.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Ago } from '../../components/Times.tsx';
import { fileHref, folderHref } from '../../file-paths.ts';
import { plural, size } from '../../format.ts';
import { ApiError } from '../../http.ts';
import { folderQuery } from './file-queries.ts';
import { PathCrumbs } from './PathCrumbs.tsx';

interface Props {
  notebook: Notebook;
  path: string;
  /** Null for those who may only read. */
  onNewFile: (() => void) | null;
}

/** More lines than these nobody reads in a table; the tree has them all. */
const MOST_LINES = 500;

export function FolderView({ notebook, path, onNewFile }: Props) {
  const folder = useQuery(folderQuery(notebook.id, path));
  const isGone = folder.error instanceof ApiError && folder.error.status === 404;
  return (
    <section aria-label="Folder" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex min-h-12 flex-wrap items-center gap-3 border-b border-line px-4 py-1.5">
        <PathCrumbs notebook={notebook} path={path} />
        {folder.data && (
          <span className="ml-auto text-small text-faint">{plural(folder.data.length, 'entry', 'entries')}</span>
        )}
      </header>
      {isGone ? (
        <EmptyState icon={FolderX} title="There is no such folder">
          It may have been moved or deleted.
        </EmptyState>
      ) : folder.error && !folder.data ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="The folder could not be read" error={folder.error} />
        </div>
      ) : !folder.data ? (
        <div aria-busy className="flex flex-col gap-5 p-6">
          {['w-1/3', 'w-1/2', 'w-2/5'].map((width) => (
            <Skeleton key={width} className={width} />
          ))}
        </div>
      ) : folder.data.length === 0 ? (
        <EmptyState
          icon={FolderOpen}
          title="This folder is empty"
          action={onNewFile && <Button onClick={onNewFile}>New file</Button>}
        >
          {onNewFile ? 'Write the first file here, or let an agent do it.' : 'Nobody has written anything here yet.'}
        </EmptyState>
      ) : (
        <Entries notebookId={notebook.id} items={folder.data} />
      )}
    </section>
  );
}

function Entries({ notebookId, items }: { notebookId: string; items: FileEntry[] }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <ul aria-label="Entries" className="divide-y divide-line">
        {items.slice(0, MOST_LINES).map((entry) => {
          const isFolder = entry.type === 'folder';
          const Icon = isFolder ? Folder : File;
          return (
            <li key={entry.path}>
              <Link
                to={isFolder ? folderHref(notebookId, entry.path) : fileHref(notebookId, entry.path)}
                className="flex h-9 items-center gap-2.5 px-4 -outline-offset-2 hover:bg-hover pointer-coarse:h-11"
              >
                <Icon aria-hidden size={15} className="shrink-0 text-faint" />
                <span className="min-w-0 flex-1 truncate">{entry.name}</span>
                <span className="w-20 shrink-0 text-right text-small text-faint">
                  {entry.size === null ? '' : size(entry.size)}
                </span>
                <span className="w-24 shrink-0 text-right text-small text-faint max-lg:hidden">
                  {entry.modified_at && <Ago at={entry.modified_at} />}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
      {items.length > MOST_LINES && (
        <p className="p-4 text-small text-faint">The first {MOST_LINES} are listed here; the tree has all.</p>
      )}
    </div>
  );
}
