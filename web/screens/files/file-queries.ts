import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useContext, useEffect } from 'react';
import { filesApi } from '../../files-api.ts';
import { LiveContext } from '../../live-hooks.ts';
import { useMe, useNotebooks } from '../../queries.ts';
import { workspaceApi } from '../../workspace-api.ts';

export const folderQuery = (notebookId: string, path: string) => ({
  queryKey: ['folder', notebookId, path],
  queryFn: ({ signal }: { signal: AbortSignal }) => filesApi.folder(notebookId, path, signal),
});

export const fileKey = (notebookId: string, path: string) => ['file', notebookId, path];

export const useFile = (notebookId: string, path: string) =>
  useQuery({
    queryKey: fileKey(notebookId, path),
    queryFn: ({ signal }) => filesApi.content(notebookId, path, signal),
    // Who comes back to the page sees what is there now.
    refetchOnWindowFocus: 'always',
  });

/** The notebook an address names, also one of another workspace; and whether its files may be changed. */
export function useNotebook(id: string) {
  const listed = useNotebooks().data?.find((notebook) => notebook.id === id);
  const { data: me } = useMe();
  const alone = useQuery({
    queryKey: ['notebook', id],
    queryFn: () => workspaceApi.notebook(id),
    enabled: id !== '' && listed === undefined,
  });
  const notebook = listed ?? alone.data;
  const role = me?.workspaces.find((workspace) => workspace.id === notebook?.workspace_id)?.role ?? 'read';
  return { notebook, error: alone.error, role, mayWrite: notebook?.kind === 'folder' && role !== 'read' };
}

const TOGETHER_MS = 300;

/** Runs change files: whenever one begins, waits, was allowed something or ends, what is on the page is read again. */
export function useFreshFiles(notebookId: string): void {
  const live = useContext(LiveContext);
  const client = useQueryClient();
  useEffect(() => {
    if (!live) return;
    let timer = 0;
    const stop = live.onRunChanged(() => {
      if (timer !== 0) return;
      timer = window.setTimeout(() => {
        timer = 0;
        client.invalidateQueries({ queryKey: ['file', notebookId] });
        client.invalidateQueries({ queryKey: ['folder', notebookId] });
      }, TOGETHER_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [live, client, notebookId]);
}
