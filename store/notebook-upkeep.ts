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

interface GitNotebookRecord extends Omit<NotebookRecord, 'path' | 'url'> {
  url: string;
}

/** The same for a run on a git notebook. */
export const loadGitNotebook = (orgId: string, id: string): Promise<GitNotebookRecord | null> =>
  nativeCollection<GitNotebookRecord>('notebooks').findOne({ _id: id, org_id: orgId, kind: 'git', removed_at: null });

/** Also of one that people have removed: its files are still there. */
export const loadLeftNotebook = (orgId: string, id: string): Promise<NotebookRecord | null> =>
  nativeCollection<NotebookRecord>('notebooks').findOne({ _id: id, org_id: orgId });

/** All that lie in folders, for who looks after what was left in them. */
export const folderNotebooks = () =>
  nativeCollection<NotebookRecord>('notebooks')
    .find({ kind: 'folder', removed_at: null })
    .project<Pick<NotebookRecord, '_id' | 'path'>>({ path: 1 });

/** Of these, those that nobody has removed. */
export async function notebooksThere(ids: readonly string[]): Promise<Set<string>> {
  const found = nativeCollection<NotebookRecord>('notebooks')
    .find({ _id: { $in: [...ids] }, removed_at: null })
    .project<Pick<NotebookRecord, '_id'>>({ _id: 1 });
  return new Set((await found.toArray()).map(({ _id }) => _id));
}

/** What is to be done before anything is run in it, as it stands now. */
export async function notebookSetup(orgId: string, id: string): Promise<{ commands: string[]; network: boolean }> {
  const found = await loadLeftNotebook(orgId, id);
  return { commands: found?.setup_commands ?? [], network: found?.setup_network ?? false };
}

/** Whether any run but this one has worked on a notebook. */
export const isUsedByOthers = async (id: string, run: string): Promise<boolean> =>
  (await runCollection().findOne({ notebook_id: id, _id: { $ne: run } }, { projection: { _id: 1 } })) !== null;

export const dropNotebook = (orgId: string, id: string): Promise<unknown> =>
  nativeCollection<NotebookRecord>('notebooks').deleteOne({ _id: id, org_id: orgId });
