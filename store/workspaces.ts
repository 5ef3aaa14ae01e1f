import mongoose from 'mongoose';
import { type Caller, type Role, roleIn } from '../domain/identity.ts';
import type { Workspace } from '../domain/workspace.ts';
import { isDuplicate } from './connection.ts';
import { insertOnce } from './insert-once.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import { demandOwner, demandRole, missing, visibleWorkspaces } from './tenancy.ts';

interface WorkspaceDoc {
  _id: string;
  org_id: string;
  name: string;
  created_at: Date;
}

const schema = new mongoose.Schema<WorkspaceDoc>(
  { _id: String, org_id: String, name: String, created_at: Date },
  { collection: 'workspaces', versionKey: false },
);
schema.index({ org_id: 1, created_at: 1, _id: 1 });
const WorkspaceModel = mongoose.model<WorkspaceDoc>('Workspace', schema);

const toWorkspace = (caller: Caller, { _id, name, created_at }: WorkspaceDoc): Workspace => ({
  id: _id,
  name,
  role: roleIn(caller, _id) ?? 'read',
  created_at: created_at.toISOString(),
});

/** A workspace's reach is its own id, where everything inside it has a workspace_id. */
function reachable(caller: Caller): { org_id: string; _id?: { $in: string[] } } {
  const { org_id, workspace_id } = visibleWorkspaces(caller);
  return typeof workspace_id === 'object' ? { org_id, _id: workspace_id } : { org_id };
}

/** Set-up only. */
export async function ensureWorkspace(id: string, orgId: string, name: string): Promise<void> {
  await insertOnce(WorkspaceModel, { _id: id, org_id: orgId, name, created_at: new Date() });
}

/** At start only: those of all organizations after one of them, in the order of their ids. */
export const workspacesAfter = (id: string, limit: number): Promise<Pick<WorkspaceDoc, '_id' | 'org_id'>[]> =>
  WorkspaceModel.find({ _id: { $gt: id } }, { org_id: 1 })
    .sort({ _id: 1 })
    .limit(limit)
    .lean<Pick<WorkspaceDoc, '_id' | 'org_id'>[]>();

/** Safe to repeat with the same id: the second time meets the first. */
export async function createWorkspace(caller: Caller, { id, name }: { id: string; name: string }): Promise<Workspace> {
  demandOwner(caller, 'make workspaces');
  try {
    const fresh: WorkspaceDoc = { _id: id, org_id: caller.org_id, name, created_at: new Date() };
    await WorkspaceModel.create(fresh);
    return toWorkspace(caller, fresh);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return findWorkspace(caller, id);
  }
}

export async function findWorkspace(caller: Caller, id: string): Promise<Workspace> {
  const found = await WorkspaceModel.findOne({ $and: [{ _id: id }, reachable(caller)] }).lean<WorkspaceDoc>();
  if (!found) throw missing('workspace', id);
  return toWorkspace(caller, found);
}

/** Before anything is put into a workspace: it is the caller's organization's, and the role is enough. */
export async function demandWorkspace(caller: Caller, id: string, needed: Role, action: string): Promise<void> {
  await findWorkspace(caller, id);
  demandRole(caller, id, needed, action);
}

export const listWorkspaces = (caller: Caller, page: PageRequest): Promise<Page<Workspace>> =>
  readPage(WorkspaceModel, reachable(caller), page, (doc) => toWorkspace(caller, doc));

export async function renameWorkspace(caller: Caller, id: string, name: string): Promise<Workspace> {
  await demandWorkspace(caller, id, 'admin', 'rename the workspace');
  await WorkspaceModel.updateOne({ $and: [{ _id: id }, reachable(caller)] }, { $set: { name } });
  return findWorkspace(caller, id);
}
