import mongoose from 'mongoose';
import type { AuditLine } from '../domain/audit.ts';
import { type Caller, holds } from '../domain/identity.ts';
import { isDuplicate, nativeCollection } from './connection.ts';
import { literalPattern } from './literal-pattern.ts';
import { type Page, type PageRequest, readCursor, writeCursor } from './pages.ts';
import { boundedBy } from './tenancy.ts';
import { findWorkspace } from './workspaces.ts';

/**
 * The audit log. Lines are added and read; nothing here, and nothing elsewhere, changes or removes one. They outlast
 * the runs they tell of.
 */
interface AuditDoc extends Omit<AuditLine, 'id' | 'created_at'> {
  _id: string;
  org_id: string;
  /** Who sees the line without being an admin: who did it, and whose run it was done in. */
  concerns: string[];
  created_at: Date;
}

const schema = new mongoose.Schema<AuditDoc>(
  {
    _id: String,
    org_id: String,
    workspace_id: String,
    user_id: String,
    user_name: String,
    agent_id: String,
    agent_name: String,
    run_id: String,
    session_id: String,
    step_number: Number,
    action: String,
    target: String,
    input: String,
    output: String,
    was_allowed: Boolean,
    execution_time_ms: Number,
    concerns: [String],
    created_at: Date,
  },
  { collection: 'audit', versionKey: false },
);
const newest = { created_at: -1, _id: -1 } as const;
schema.index({ org_id: 1, ...newest });
schema.index({ org_id: 1, workspace_id: 1, ...newest });
schema.index({ org_id: 1, concerns: 1, ...newest });
schema.index({ agent_id: 1, ...newest }, { partialFilterExpression: { agent_id: { $type: 'string' } } });
schema.index({ run_id: 1, ...newest }, { partialFilterExpression: { run_id: { $type: 'string' } } });
schema.index({ session_id: 1, ...newest }, { partialFilterExpression: { session_id: { $type: 'string' } } });
// Refusals are few, and what people look for first.
schema.index({ org_id: 1, was_allowed: 1, ...newest }, { partialFilterExpression: { was_allowed: false } });
mongoose.model('AuditLine', schema);
const lines = () => nativeCollection<AuditDoc>('audit');

const toLine = ({ _id, org_id: _org, concerns: _concerns, created_at, ...rest }: AuditDoc): AuditLine => ({
  id: _id,
  ...rest,
  created_at: created_at.toISOString(),
});

export interface NewAuditLine {
  org_id: string;
  /** Whose run it was done in; null beside runs. */
  caller_user_id: string | null;
  line: AuditLine;
}

/** A line whose id is there already is the same line: it stays as it is. */
export async function addAuditLines(added: NewAuditLine[]): Promise<void> {
  if (added.length === 0) return;
  const docs = added.map(({ org_id, caller_user_id, line: { id, created_at, ...line } }): AuditDoc => {
    const people = [line.user_id, caller_user_id].filter((one) => one !== null);
    return { _id: id, org_id, ...line, concerns: [...new Set(people)], created_at: new Date(created_at) };
  });
  try {
    await lines().insertMany(docs, { ordered: false });
  } catch (error) {
    const failed = error instanceof mongoose.mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (failed.length === 0 || !failed.every(isDuplicate)) throw error;
  }
}

export interface AuditFilter {
  workspace_id?: string | undefined;
  agent_id?: string | undefined;
  run_id?: string | undefined;
  session_id?: string | undefined;
  user_id?: string | undefined;
  /** A whole action, or a family of them: `tool` for all that begin with `tool.`. */
  action?: string | undefined;
  was_allowed?: boolean | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

type Where = mongoose.mongo.Filter<AuditDoc>;

/** All that happened in the workspaces the caller is an admin of; elsewhere what they did, or what was done for them. */
function visibleTo(caller: Caller, workspaceId?: string): Where {
  if (caller.is_owner) return boundedBy(caller, workspaceId);
  const reach = workspaceId === undefined ? Object.keys(caller.roles) : [workspaceId];
  const { org_id } = boundedBy(caller, workspaceId);
  const own = { concerns: caller.user_id, workspace_id: { $in: workspaceId === undefined ? [...reach, null] : reach } };
  const administered = reach.filter((id) => holds(caller, id, 'admin'));
  return { org_id, $or: [{ workspace_id: { $in: administered } }, own] };
}

async function conditions(caller: Caller, filter: AuditFilter): Promise<Where[]> {
  const { workspace_id, action, user_id, from, to, ...exactly } = filter;
  if (workspace_id !== undefined) await findWorkspace(caller, workspace_id);
  return [
    visibleTo(caller, workspace_id),
    // A filter that was not given must not ask for lines without the field.
    Object.fromEntries(Object.entries(exactly).filter(([, value]) => value !== undefined)),
    ...(user_id === undefined ? [] : [{ concerns: user_id, user_id }]),
    ...(action === undefined ? [] : [{ $or: [{ action }, { action: { $regex: `^${literalPattern(action)}\\.` } }] }]),
    ...(from || to ? [{ created_at: { ...(from ? { $gte: from } : {}), ...(to ? { $lt: to } : {}) } }] : []),
  ];
}

/** Newest first. */
export async function listAudit(
  caller: Caller,
  filter: AuditFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<AuditLine>> {
  const all = await conditions(caller, filter);
  if (cursor !== undefined) {
    const { at, id } = readCursor(cursor);
    all.push({ $or: [{ created_at: { $lt: at } }, { created_at: at, _id: { $lt: id } }] });
  }
  const found = await lines()
    .find({ $and: all })
    .sort(newest)
    .limit(limit + 1)
    .toArray();
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items: items.map(toLine), next_cursor: last ? writeCursor(last) : null };
}

/** All of them, newest first, read as they are asked for. */
export async function* everyAuditLine(caller: Caller, filter: AuditFilter): AsyncGenerator<AuditLine> {
  const found = lines()
    .find({ $and: await conditions(caller, filter) })
    .sort(newest);
  for await (const doc of found) yield toLine(doc);
}
