import type { Run, RunStatus } from '../domain/run.ts';
import { RUN_ORDERS, type RunOrder } from '../domain/run-order.ts';
import type { RunFilter } from './api.ts';
import { statusesIn, TRIGGER_NAMES } from './status.ts';

const HOUR_MS = 3_600_000;
const SINCE_MS: Record<string, number> = {
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
};

/** Spans of time one asks for, from now back. */
export const SINCE: { value: string; name: string }[] = [
  { value: '1h', name: 'Last hour' },
  { value: '24h', name: 'Last 24 hours' },
  { value: '7d', name: 'Last 7 days' },
  { value: '30d', name: 'Last 30 days' },
];

/** What the list of runs shows, as its address says it; '' for what is not asked for. */
export interface RunQuery {
  status: RunStatus[];
  agent: string;
  trigger: string;
  caller: string;
  since: string;
  /** Days, both included: 2024-05-01. */
  from: string;
  to: string;
  /** Only runs that no other run has made. */
  roots: boolean;
  /** In all workspaces, not only the chosen one. */
  everywhere: boolean;
  sort: RunOrder;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const day = (text: string | null): string =>
  text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';

/** An address is typed, shared and kept: what it says that is none of ours is left out. */
export function queryIn(search: URLSearchParams): RunQuery {
  const trigger = search.get('trigger') ?? '';
  const since = search.get('since') ?? '';
  return {
    status: statusesIn(search.get('status')),
    agent: search.get('agent') ?? '',
    trigger: TRIGGER_NAMES.includes(trigger) ? trigger : '',
    caller: search.get('caller') ?? '',
    since: since in SINCE_MS ? since : '',
    from: day(search.get('from')),
    to: day(search.get('to')),
    roots: search.get('roots') === '1',
    everywhere: search.get('workspace') === 'all',
    sort: RUN_ORDERS.find((sort) => sort === search.get('sort')) ?? 'newest',
  };
}

/** The address with some of it changed; null and '' take a name out. */
export function withChanges(search: URLSearchParams, changes: Record<string, string | null>): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  return next;
}

/** How many filters are set; the order is none. */
export const filterCount = (query: RunQuery): number =>
  [
    query.status.length > 0,
    query.agent,
    query.trigger,
    query.caller,
    query.since || query.from || query.to,
    query.roots,
    query.everywhere,
  ].filter(Boolean).length;

const startOf = (local: string): number => new Date(`${local}T00:00`).getTime();
const endOf = (local: string): number => {
  const next = new Date(`${local}T00:00`);
  next.setDate(next.getDate() + 1);
  return next.getTime() - 1;
};

const spanStart = (ms: number, now: number): number => Math.floor((now - ms) / 60_000) * 60_000;

/** When a span of time began, as the API takes it. */
export const sinceTime = (since: string, now: number): string =>
  new Date(spanStart(SINCE_MS[since] ?? 0, now)).toISOString();

/** As the API asks for it. Spans are counted from now, in whole minutes. */
export function filterOf(query: RunQuery, workspace_id: string | undefined, now: number): RunFilter {
  const span = SINCE_MS[query.since];
  const from = span ? spanStart(span, now) : query.from ? startOf(query.from) : null;
  const to = !span && query.to ? endOf(query.to) : null;
  return {
    workspace_id: query.everywhere ? undefined : workspace_id,
    status: query.status.length > 0 ? query.status : undefined,
    agent_id: query.agent || undefined,
    trigger_type: query.trigger || undefined,
    caller_user_id: query.caller || undefined,
    from: from === null ? undefined : new Date(from).toISOString(),
    to: to === null ? undefined : new Date(to).toISOString(),
    root: query.roots || undefined,
    sort: query.sort === 'newest' ? undefined : query.sort,
  };
}

/** Whether a run that has changed is still one of those asked for. */
export const fits = (run: Run, filter: RunFilter): boolean =>
  (!filter.workspace_id || run.workspace_id === filter.workspace_id) &&
  (!filter.status?.length || filter.status.includes(run.status)) &&
  (!filter.agent_id || run.agent_id === filter.agent_id) &&
  (!filter.trigger_type || run.trigger_type === filter.trigger_type) &&
  (!filter.caller_user_id || run.caller_user_id === filter.caller_user_id) &&
  (!filter.from || run.created_at >= filter.from) &&
  (!filter.to || run.created_at <= filter.to) &&
  (!filter.root || run.root_run_id === run.id);
