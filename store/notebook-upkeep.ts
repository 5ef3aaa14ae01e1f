import type { Notebook } from '../domain/workspace.ts';
import { nativeCollection } from './connection.ts';

interface NotebookRecord extends Omit<Notebook, 'id' | 'path'> {
  _id: string;
  org_id: string;
  path: string;
}

/** For workers, which act for a run on a folder: the run's own organization bounds what they find. */
export const loadNotebook = (orgId: string, id: string): Promise<NotebookRecord | null> =>
  nativeCollection<NotebookRecord>('notebooks').findOne({ _id: id, org_id: orgId, kind: 'folder', removed_at: null });
