import mongoose from 'mongoose';
import { Failure } from '../domain/failures.ts';
import type { Caller, Role } from '../domain/identity.ts';
import { ENDED_STATUSES } from '../domain/run.ts';
import type { ChangeNotebook, Notebook } from '../domain/workspace.ts';
import { isDuplicate, nativeCollection } from './connection.ts';
import { insertOnce } from './insert-once.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import { RunModel, type RunRecord } from './run-record.ts';
import { boundedBy, demandRole, missing } from './tenancy.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

interface NotebookDoc {
  _id: string;
  org_id: string;
  workspace_id: string;
  name: string;
  kind: 'folder' | 'git';
  path: string | null;
  url?: string | null;
  default_branch?: string | null;
  setup_commands?: string[];
  setup_network?: boolean;
  /** When it was taken from the lists. Runs keep its id, and its files stay where they are. */
  removed_at?: Date | null;
  created_at: Date;
}

const schema = new mongoose.Schema<NotebookDoc>(
  {
    _id: String,
    org_id: String,
    workspace_id: String,
    name: String,
    kind: String,
    path: String,
    url: String,
    default_branch: String,
    setup_commands: { type: [String], default: undefined },
    setup_network: Boolean,
    removed_at: Date,
    created_at: Date,
  },
  { collection: 'notebooks', versionKey: false },
);
schema.index({ org_id: 1, workspace_id: 1, created_at: 1, _id: 1 });
const NotebookModel = mongoose.model<NotebookDoc>('Notebook', schema);

const toNotebook = (doc: NotebookDoc): Notebook => ({
  id: doc._id,
  workspace_id: doc.workspace_id,
  name: doc.name,
  kind: doc.kind,
  path: doc.path ?? null,
  url: doc.url ?? null,
  default_branch: doc.default_branch ?? null,
  setup_commands: doc.setup_commands ?? [],
  setup_network: doc.setup_network ?? false,
  created_at: doc.created_at.toISOString(),
});

interface NewFolderNotebook {
  id: string;
  workspace_id: string;
  name: string;
  setup_commands?: string[];
  setup_network?: boolean;
  kind: 'folder';
  /** The real path, checked against the allowed roots before it comes here. */
  path: string;
}

interface NewGitNotebook extends Omit<NewFolderNotebook, 'kind' | 'path'> {
  kind: 'git';
  path: null;
  /** Checked before it comes here; holds no secret. */
  url: string;
  default_branch: string | null;
}

const MANAGE = 'change notebooks';
const MOST_RUNS_NAMED = 20;
const there = { removed_at: null };

/** Set-up only. */
export async function ensureNotebook(orgId: string, { id, ...rest }: NewFolderNotebook): Promise<void> {
  await insertOnce(NotebookModel, { _id: id, ...rest, org_id: orgId, created_at: new Date() });
}

/** Safe to repeat with the same id: the second time meets the first. */
export async function createNotebook(
  caller: Caller,
  { id, ...rest }: NewFolderNotebook | NewGitNotebook,
): Promise<Notebook> {
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
export async function createForkNotebook(caller: Caller, { id, ...rest }: NewFolderNotebook): Promise<Notebook> {
  await demandWorkspace(caller, rest.workspace_id, 'read', 'fork runs');
  const fresh: NotebookDoc = { _id: id, org_id: caller.org_id, ...rest, created_at: new Date() };
  await insertOnce(NotebookModel, fresh);
  return toNotebook(fresh);
}

export async function findNotebook(caller: Caller, id: string): Promise<Notebook> {
  const found = await nativeCollection<NotebookDoc>('notebooks').findOne({ _id: id, ...there, ...boundedBy(caller) });
  if (!found) throw missing('notebook', id);
  return toNotebook(found);
}

export async function listNotebooks(
  caller: Caller,
  workspaceId: string | undefined,
  page: PageRequest,
): Promise<Page<Notebook>> {
  if (workspaceId !== undefined) await findWorkspace(caller, workspaceId);
  return readPage(NotebookModel, { ...there, ...boundedBy(caller, workspaceId) }, page, toNotebook);
}

/** Which of these folders are notebooks of the workspace already: path → id. */
export async function notebooksAt(caller: Caller, workspaceId: string, paths: string[]): Promise<Map<string, string>> {
  await demandWorkspace(caller, workspaceId, 'admin', 'add notebooks');
  const filter = { ...there, ...boundedBy(caller, workspaceId), path: { $in: paths } };
  const found = await NotebookModel.find(filter, { path: 1 }).lean<NotebookDoc[]>();
  return new Map(found.map(({ _id, path }) => [path ?? '', _id]));
}

/** For what changes a notebook or what is known of it. */
async function demandNotebook(caller: Caller, id: string, needed: Role, action: string): Promise<Notebook> {
  const notebook = await findNotebook(caller, id);
  demandRole(caller, notebook.workspace_id, needed, action);
  return notebook;
}

export const findWritableNotebook = (caller: Caller, id: string): Promise<Notebook> =>
  demandNotebook(caller, id, 'write', 'change files');

export async function changeNotebook(caller: Caller, id: string, change: ChangeNotebook): Promise<Notebook> {
  await demandNotebook(caller, id, 'admin', MANAGE);
  const said = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  await NotebookModel.updateOne({ _id: id, ...there, ...boundedBy(caller) }, { $set: said });
  return findNotebook(caller, id);
}

/** From the lists alone: its files are never touched. Not while a run works on it, which would lose them under its feet. */
export async function removeNotebook(caller: Caller, id: string): Promise<void> {
  const { name } = await demandNotebook(caller, id, 'admin', MANAGE);
  const open = { ...boundedBy(caller), notebook_id: id, status: { $nin: ENDED_STATUSES } };
  const runs = await RunModel.find(open, { agent_name: 1, status: 1 })
    .sort({ created_at: 1, _id: 1 })
    .limit(MOST_RUNS_NAMED)
    .lean<RunRecord[]>();
  if (runs.length > 0) {
    const named = runs.map(({ _id, agent_name, status }) => ({ id: _id, agent_name, status }));
    throw new Failure('notebook_in_use', `Runs on ${name} have not ended.`, { runs: named });
  }
  await NotebookModel.updateOne({ _id: id, ...there, ...boundedBy(caller) }, { $set: { removed_at: new Date() } });
}
