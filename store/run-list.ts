import type mongoose from 'mongoose';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import type { RunStatus, Trigger } from '../domain/run.ts';
import { ORDERS, type RunOrder } from '../domain/run-order.ts';
import { RunModel, type RunRecord, runsVisibleTo } from './run-record.ts';

export interface RunFilter {
  org_id?: string;
  workspace_id?: string;
  agent_id?: string;
  /** Runs of a workflow. */
  definition_id?: string;
  trigger_type?: Trigger;
  caller_user_id?: string;
  schedule_id?: string;
  status?: RunStatus[];
  parent_run_id?: string;
  session_id?: string;
  /** Only runs that stand at the head of their tree. */
  root?: boolean;
  from?: Date;
  to?: Date;
}

export interface RunPage {
  items: RunRecord[];
  next_cursor: string | null;
}

/** Where a page ended: the value it was sorted by, and the id that tells those with the same value apart. */
function writeCursor(record: RunRecord, sort: RunOrder): string {
  const value = record[ORDERS[sort][0]];
  const at = value instanceof Date ? value.getTime() : (value ?? null);
  return Buffer.from(JSON.stringify([sort, at, record._id])).toString('base64url');
}

const NAMES: ReadonlySet<string> = new Set(['agent_name', 'trigger_type', 'caller_name', 'status']);

/** A number that is no time would be taken for one by who sorts by time. */
const isEdge = (value: unknown, sort: RunOrder): value is string | number | null =>
  NAMES.has(ORDERS[sort][0])
    ? typeof value === 'string'
    : value === null || (typeof value === 'number' && !Number.isNaN(new Date(value).getTime()));

function readCursor(text: string, sort: RunOrder): { value: string | number | null; id: string } {
  try {
    const [of, value, id]: unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (of === sort && isEdge(value, sort) && typeof id === 'string') return { value, id };
  } catch {
    // Said below, in words for the caller.
  }
  throw new Failure('invalid_request', 'The cursor is not one that this list gave.', { in: 'query', cursor: text });
}

/** What lies beyond the end of the last page. Nothing sorts as less than everything, in the store as well as here. */
function beyond(sort: RunOrder, cursor: string): mongoose.QueryFilter<RunRecord> {
  const [field, order] = ORDERS[sort];
  const { value, id } = readCursor(cursor, sort);
  const edge = field === 'created_at' && value !== null ? new Date(value) : value;
  const same = { [field]: edge, _id: { [order === -1 ? '$lt' : '$gt']: id } };
  if (order === 1) return { $or: [{ [field]: value === null ? { $ne: null } : { $gt: edge } }, same] };
  if (value === null) return same;
  return { $or: [{ [field]: { $lt: edge } }, ...(field === 'created_at' ? [] : [{ [field]: null }]), same] };
}

export async function listRuns(
  caller: Caller,
  filter: RunFilter,
  page: { limit: number; cursor?: string; sort: RunOrder },
): Promise<RunPage> {
  const [field, order] = ORDERS[page.sort];
  const { org_id = caller.org_id, workspace_id, status, from, to, root, session_id, ...exactly } = filter;
  if (org_id !== caller.org_id) return { items: [], next_cursor: null };
  const where: mongoose.QueryFilter<RunRecord> = {
    // A filter that was not given must not ask for runs without the field.
    ...Object.fromEntries(Object.entries(exactly).filter(([, value]) => value !== undefined)),
    ...(session_id === undefined ? {} : { conversation_id: session_id }),
    ...(status ? { status: { $in: status } } : {}),
    // A resumed or forked run heads a tree of its own.
    ...(root ? { relation: { $in: [null, 'resume', 'fork'] } } : {}),
    ...(from || to ? { created_at: { ...(from ? { $gte: from } : {}), ...(to ? { $lt: to } : {}) } } : {}),
    ...runsVisibleTo(caller, workspace_id),
  };
  const items = await RunModel.find(page.cursor ? { $and: [where, beyond(page.sort, page.cursor)] } : where, {
    agent: 0,
    definition: 0,
    workflow_state: 0,
    delegates: 0,
    bound: 0,
    tools: 0,
  })
    .sort({ [field]: order, _id: order })
    .limit(page.limit + 1)
    .lean<RunRecord[]>();
  const last = items.length > page.limit ? items[page.limit - 1] : undefined;
  return { items: items.slice(0, page.limit), next_cursor: last ? writeCursor(last, page.sort) : null };
}
