import mongoose from 'mongoose';
import type { Caller } from '../domain/identity.ts';
import type { Notebook } from '../domain/workspace.ts';
import { isDuplicate, nativeCollection } from './connection.ts';
import { insertOnce } from './insert-once.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import { boundedBy, missing } from './tenancy.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

interface NotebookDoc {
  _id: string;
  org_id: string;
  workspace_id: string;
  name: string;
  kind: 'folder' | 'git';
  path: string;
  created_at: Date;
}

const schema = new mongoose.Schema<NotebookDoc>(
  { _id: String, org_id: String, workspace_id: String, name: String, kind: String, path: String, created_at: Date },
  { collection: 'notebooks', versionKey: false },
);
schema.index({ org_id: 1, workspace_id: 1, created_at: 1, _id: 1 });
const NotebookModel = mongoose.model<NotebookDoc>('Notebook', schema);

const toNotebook = ({ _id, workspace_id, name, kind, path, created_at }: NotebookDoc): Notebook => ({
  id: _id,
  workspace_id,
  name,
  kind,
  path,
  created_at: created_at.toISOString(),
});

export interface NewNotebook {
  id: string;
  workspace_id: string;
  name: string;
  kind: 'folder';
  /** The real path, checked against the allowed roots before it comes here. */
  path: string;
}

/** Set-up only. */
export async function ensureNotebook(orgId: string, { id, ...rest }: NewNotebook): Promise<void> {
  await insertOnce(NotebookModel, { _id: id, ...rest, org_id: orgId, created_at: new Date() });
}

/** Safe to repeat with the same id: the second time meets the first. */
export async function createNotebook(caller: Caller, { id, ...rest }: NewNotebook): Promise<Notebook> {
  await demandWorkspace(caller, rest.workspace_id, 'admin', 'add notebooks');
  try {
    const fresh: NotebookDoc = { _id: id, org_id: caller.org_id, ...rest, created_at: new Date() };
    await NotebookModel.create(fresh);
    return toNotebook(fresh);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return findNotebook(caller, id);
  }
}

/** A fork works on files of its own: who may start runs may have them. Safe to repeat. */
export async function createForkNotebook(caller: Caller, { id, ...rest }: NewNotebook): Promise<Notebook> {
  await demandWorkspace(caller, rest.workspace_id, 'read', 'fork runs');
  const fresh: NotebookDoc = { _id: id, org_id: caller.org_id, ...rest, created_at: new Date() };
  await insertOnce(NotebookModel, fresh);
  return toNotebook(fresh);
}

export async function findNotebook(caller: Caller, id: string): Promise<Notebook> {
  const found = await nativeCollection<NotebookDoc>('notebooks').findOne({ _id: id, ...boundedBy(caller) });
  if (!found) throw missing('notebook', id);
  return toNotebook(found);
}

export async function listNotebooks(
  caller: Caller,
  workspaceId: string | undefined,
  page: PageRequest,
): Promise<Page<Notebook>> {
  if (workspaceId !== undefined) await findWorkspace(caller, workspaceId);
  return readPage(NotebookModel, boundedBy(caller, workspaceId), page, toNotebook);
}
