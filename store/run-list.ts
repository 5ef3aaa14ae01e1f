import type mongoose from 'mongoose';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import type { RunStatus, Trigger } from '../domain/run.ts';
import { RunModel, type RunRecord } from './run-record.ts';
import { boundedBy } from './tenancy.ts';

export interface RunFilter {
  workspace_id?: string;
  agent_id?: string;
  trigger_type?: Trigger;
  caller_user_id?: string;
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

type SortField = 'created_at' | 'duration_ms' | 'cost_usd' | 'tokens_used';

const ORDERS = {
  newest: ['created_at', -1],
  oldest: ['created_at', 1],
  longest: ['duration_ms', -1],
  costliest: ['cost_usd', -1],
  most_tokens: ['tokens_used', -1],
} as const satisfies Record<string, readonly [SortField, 1 | -1]>;
export type RunOrder = keyof typeof ORDERS;
export const RUN_ORDERS = ['newest', 'oldest', 'longest', 'costliest', 'most_tokens'] as const satisfies RunOrder[];

/** Where a page ended: the value it was sorted by, and the id that tells those with the same value apart. */
function writeCursor(record: RunRecord, sort: RunOrder): string {
  const value = record[ORDERS[sort][0]];
  const at = value instanceof Date ? value.getTime() : (value ?? null);
  return Buffer.from(JSON.stringify([sort, at, record._id])).toString('base64url');
}

/** A number that is no time would be taken for one by who sorts by time. */
const isEdge = (value: unknown): value is number | null =>
  value === null || (typeof value === 'number' && !Number.isNaN(new Date(value).getTime()));

function readCursor(text: string, sort: RunOrder): { value: number | null; id: string } {
  try {
    const [of, value, id]: unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (of === sort && isEdge(value) && typeof id === 'string') return { value, id };
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
  if (value === null) return same;
  const further = order === -1 ? [{ [field]: { $lt: edge } }, { [field]: null }] : [{ [field]: { $gt: edge } }];
  return { $or: [...(field === 'created_at' ? further.slice(0, 1) : further), same] };
}

export async function listRuns(
  caller: Caller,
  filter: RunFilter,
  page: { limit: number; cursor?: string; sort: RunOrder },
): Promise<RunPage> {
  const [field, order] = ORDERS[page.sort];
  const { workspace_id, status, from, to, root, session_id, ...exactly } = filter;
  const where: mongoose.QueryFilter<RunRecord> = {
    // A filter that was not given must not ask for runs without the field.
    ...Object.fromEntries(Object.entries(exactly).filter(([, value]) => value !== undefined)),
    ...(session_id === undefined ? {} : { conversation_id: session_id }),
    ...(status ? { status: { $in: status } } : {}),
    // A resumed or forked run heads a tree of its own.
    ...(root ? { relation: { $in: [null, 'resume', 'fork'] } } : {}),
    ...(from || to ? { created_at: { ...(from ? { $gte: from } : {}), ...(to ? { $lt: to } : {}) } } : {}),
    ...boundedBy(caller, workspace_id),
  };
  const items = await RunModel.find(page.cursor ? { $and: [where, beyond(page.sort, page.cursor)] } : where, {
    agent: 0,
    delegates: 0,
    bound: 0,
  })
    .sort({ [field]: order, _id: order })
    .limit(page.limit + 1)
    .lean<RunRecord[]>();
  const last = items.length > page.limit ? items[page.limit - 1] : undefined;
  return { items: items.slice(0, page.limit), next_cursor: last ? writeCursor(last, page.sort) : null };
}
