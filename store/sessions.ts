import mongoose from 'mongoose';
import { inputText } from '../domain/conversation.ts';
import type { EditContextRow } from '../domain/edits/wire.ts';
import { type Caller, holds } from '../domain/identity.ts';
import type { BudgetBody } from '../domain/run-requests.ts';
import { type ContextRow, titleFrom } from '../domain/session.ts';
import { isDuplicate, nativeCollection } from './connection.ts';
import { type Page, type PageRequest, readCursor, writeCursor } from './pages.ts';
import { boundedBy, missing } from './tenancy.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

/** What the next run of a session is to be begun with: whoever finds that it was not, can. */
export interface Opening {
  run_id: string;
  /** The run before it; null for the first. */
  follows: string | null;
  trigger_type: 'chat' | 'sdk';
  input: unknown;
  output_schema: Record<string, unknown> | null;
  budget: BudgetBody | null;
  /** In a session of edits: what the job may use of tools; as configured where it is not said. */
  max_tool_calls?: number | null;
}

/** What a session is beside its runs, which tell what was said and how it stands. */
export interface SessionRecord {
  _id: string;
  org_id: string;
  workspace_id: string;
  agent_id: string;
  agent_name: string;
  notebook_id: string | null;
  user_id: string;
  /** Null until somebody names it or says something. */
  title: string | null;
  archived: boolean;
  /** Whose runs are jobs that edit; absent for conversations. */
  kind?: 'edits';
  context_rows: ContextRow[];
  /** In a session of edits: what is pinned, as its user has given it. */
  edit_rows?: EditContextRow[];
  /** The latest. Only one conditional write moves it on, so no two runs of a session are ever at work. */
  run_id: string | null;
  opening: Opening | null;
  created_at: Date;
  updated_at: Date;
}

const mixed = mongoose.Schema.Types.Mixed;
const schema = new mongoose.Schema<SessionRecord>(
  {
    _id: String,
    org_id: String,
    workspace_id: String,
    agent_id: String,
    agent_name: String,
    notebook_id: String,
    user_id: String,
    title: String,
    archived: Boolean,
    kind: String,
    context_rows: mixed,
    edit_rows: mixed,
    run_id: String,
    opening: mixed,
    created_at: Date,
    updated_at: Date,
  },
  { collection: 'sessions', versionKey: false, minimize: false },
);
schema.index({ org_id: 1, user_id: 1, updated_at: -1, _id: -1 });
schema.index({ org_id: 1, workspace_id: 1, updated_at: -1, _id: -1 });
mongoose.model<SessionRecord>('Session', schema);

type Filter = mongoose.mongo.Filter<SessionRecord>;
const sessions = () => nativeCollection<SessionRecord>('sessions');

/** A session is its user's; the admins of its workspace see it, too. */
function visibleTo(caller: Caller, workspaceId?: string): Filter {
  const administered = Object.keys(caller.roles).filter((id) => holds(caller, id, 'admin'));
  const whose = caller.is_owner ? {} : { $or: [{ user_id: caller.user_id }, { workspace_id: { $in: administered } }] };
  return { $and: [boundedBy(caller, workspaceId), whose] };
}

export type NewSession = Pick<
  SessionRecord,
  '_id' | 'workspace_id' | 'agent_id' | 'agent_name' | 'notebook_id' | 'title' | 'context_rows' | 'kind' | 'edit_rows'
>;

/** Safe to repeat with the same id: the second time meets the first. */
export async function insertSession(caller: Caller, session: NewSession): Promise<SessionRecord> {
  await demandWorkspace(caller, session.workspace_id, 'read', 'begin sessions');
  const now = new Date();
  const record: SessionRecord = {
    ...session,
    org_id: caller.org_id,
    user_id: caller.user_id,
    archived: false,
    run_id: null,
    opening: null,
    created_at: now,
    updated_at: now,
  };
  try {
    await sessions().insertOne(record);
    return record;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return findSession(caller, session._id);
  }
}

export async function findSession(caller: Caller, id: string): Promise<SessionRecord> {
  const found = await sessions().findOne({ $and: [{ _id: id }, visibleTo(caller)] });
  if (!found) throw missing('session', id);
  return found;
}

export interface SessionFilter {
  workspace_id?: string | undefined;
  agent_id?: string | undefined;
  archived?: boolean | undefined;
  /** Also those of others, where the caller may see them. */
  all?: boolean | undefined;
  /** Those of edits; conversations otherwise. */
  edits?: boolean | undefined;
}

/** Those with the newest activity first. */
export async function listSessions(
  caller: Caller,
  { workspace_id, agent_id, archived, all, edits }: SessionFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<SessionRecord>> {
  if (workspace_id !== undefined) await findWorkspace(caller, workspace_id);
  const conditions: Filter[] = [visibleTo(caller, workspace_id)];
  conditions.push(edits ? { kind: 'edits' } : { kind: { $ne: 'edits' } });
  if (!all) conditions.push({ user_id: caller.user_id });
  if (agent_id !== undefined) conditions.push({ agent_id });
  if (archived !== undefined) conditions.push({ archived });
  if (cursor !== undefined) {
    const { at, id } = readCursor(cursor);
    conditions.push({ $or: [{ updated_at: { $lt: at } }, { updated_at: at, _id: { $lt: id } }] });
  }
  const found = await sessions()
    .find({ $and: conditions })
    .sort({ updated_at: -1, _id: -1 })
    .limit(limit + 1)
    .toArray();
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, next_cursor: last ? writeCursor({ _id: last._id, created_at: last.updated_at }) : null };
}

async function change(caller: Caller, id: string, when: Filter, set: Partial<SessionRecord>) {
  return sessions().findOneAndUpdate(
    { $and: [{ _id: id }, visibleTo(caller), when] },
    { $set: { ...set, updated_at: new Date() } },
    { returnDocument: 'after' },
  );
}

export async function changeSession(
  caller: Caller,
  id: string,
  set: Partial<Pick<SessionRecord, 'title' | 'archived' | 'context_rows' | 'edit_rows'>>,
): Promise<SessionRecord> {
  const changed = await change(caller, id, {}, set);
  if (!changed) throw missing('session', id);
  return changed;
}

export type PinnedRows = Partial<Pick<SessionRecord, 'context_rows' | 'edit_rows'>>;

/**
 * Of all who want to begin the next run after the same one, one is given it; null for the others. What is pinned with
 * it is so for whoever was given it.
 */
export const claimNextRun = (
  caller: Caller,
  { _id, title }: SessionRecord,
  opening: Opening,
  pinned: PinnedRows = {},
): Promise<SessionRecord | null> =>
  change(
    caller,
    _id,
    { run_id: opening.follows, archived: false },
    { ...pinned, run_id: opening.run_id, opening, title: title ?? titleFrom(inputText(opening.input)) },
  );

/** Once the run is there: it need not be begun by anybody else. */
export async function forgetOpening(caller: Caller, id: string, runId: string): Promise<void> {
  await sessions().updateOne(
    { $and: [{ _id: id }, visibleTo(caller), { 'opening.run_id': runId }] },
    { $set: { opening: null } },
  );
}
