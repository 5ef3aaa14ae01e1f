import type { Notebook } from '../domain/workspace.ts';
import { nativeCollection } from './connection.ts';
import { runCollection } from './run-record.ts';

interface NotebookRecord extends Omit<Notebook, 'id' | 'path'> {
  _id: string;
  org_id: string;
  path: string;
}

/** For workers, which act for a run on a folder: the run's own organization bounds what they find. */
export const loadNotebook = (orgId: string, id: string): Promise<NotebookRecord | null> =>
  nativeCollection<NotebookRecord>('notebooks').findOne({ _id: id, org_id: orgId, kind: 'folder', removed_at: null });

/** Also of one that people have removed: its files are still there. */
export const loadLeftNotebook = (orgId: string, id: string): Promise<NotebookRecord | null> =>
  nativeCollection<NotebookRecord>('notebooks').findOne({ _id: id, org_id: orgId });

/** Whether any run but this one has worked on a notebook. */
export const isUsedByOthers = async (id: string, run: string): Promise<boolean> =>
  (await runCollection().findOne({ notebook_id: id, _id: { $ne: run } }, { projection: { _id: 1 } })) !== null;

export const dropNotebook = (orgId: string, id: string): Promise<unknown> =>
  nativeCollection<NotebookRecord>('notebooks').deleteOne({ _id: id, org_id: orgId });
