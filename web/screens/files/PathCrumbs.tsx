import { ChevronRight } from 'lucide-react';
import { Link } from 'react-router';
import type { Notebook } from '../../../domain/workspace.ts';
import { folderHref, foldersAbove, nameOf } from '../../file-paths.ts';

/** From the notebook down to where one is; every folder on the way can be gone to. */
export function PathCrumbs({ notebook, path }: { notebook: Pick<Notebook, 'id' | 'name'>; path: string }) {
  const above = path === '/' ? [] : foldersAbove(path);
  return (
    <nav aria-label="Path" className="flex min-w-0 flex-wrap items-center gap-1">
      {above.map((folder) => (
        <span key={folder} className="flex min-w-0 items-center gap-1">
          <Link
            to={folderHref(notebook.id, folder)}
            className="max-w-48 truncate rounded text-soft hover:text-ink hover:underline"
          >
            {folder === '/' ? notebook.name : nameOf(folder)}
          </Link>
          <ChevronRight aria-hidden size={14} className="shrink-0 text-faint" />
        </span>
      ))}
      <span aria-current="page" className="min-w-0 truncate font-medium">
        {path === '/' ? notebook.name : nameOf(path)}
      </span>
    </nav>
  );
}
