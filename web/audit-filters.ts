import type { AuditLine } from '../domain/audit.ts';
import type { AuditFilter } from './audit-api.ts';
import { SINCE, sinceTime } from './run-filters.ts';

/** What the log of activity shows, as its address says it; '' for what is not asked for. */
export interface AuditQuery {
  outcome: '' | 'refused' | 'allowed';
  action: string;
  agent: string;
  person: string;
  run: string;
  since: string;
}

/** Families of actions that one asks for. */
export const FAMILIES: { value: string; name: string }[] = [
  { value: 'tool', name: 'Tool calls' },
  { value: 'model', name: 'Model calls' },
  { value: 'run', name: 'Runs' },
  { value: 'action', name: 'Decisions' },
  { value: 'delegation', name: 'Delegations' },
  { value: 'tasks', name: 'Tasks' },
  { value: 'agents', name: 'Agents' },
  { value: 'workspaces', name: 'Members' },
  { value: 'knowledge', name: 'Knowledge' },
  { value: 'api-keys', name: 'API keys' },
  { value: 'auth', name: 'Sign-in' },
];

const OUTCOMES = ['refused', 'allowed'] as const;

/** An address is typed, shared and kept: what it says that is none of ours is left out. */
export function auditQueryIn(search: URLSearchParams): AuditQuery {
  const since = search.get('since') ?? '';
  return {
    outcome: OUTCOMES.find((outcome) => outcome === search.get('outcome')) ?? '',
    action: search.get('action') ?? '',
    agent: search.get('agent') ?? '',
    person: search.get('person') ?? '',
    run: search.get('run') ?? '',
    since: SINCE.some(({ value }) => value === since) ? since : '',
  };
}

export const NO_FILTERS: Record<keyof AuditQuery, null> = {
  outcome: null,
  action: null,
  agent: null,
  person: null,
  run: null,
  since: null,
};

export const auditFilterCount = (query: AuditQuery): number =>
  Object.values(query).filter((value) => value !== '').length;

export const auditFilterOf = (query: AuditQuery, workspace_id: string | undefined, now: number): AuditFilter => ({
  workspace_id,
  agent_id: query.agent || undefined,
  run_id: query.run || undefined,
  user_id: query.person || undefined,
  action: query.action || undefined,
  was_allowed: query.outcome === '' ? undefined : query.outcome === 'allowed',
  from: query.since === '' ? undefined : sinceTime(query.since, now),
});

/** Lines never change, so what was read at different times is one list: each once, newest first. */
export function joined(...lists: readonly (readonly AuditLine[])[]): AuditLine[] {
  const all = new Map(lists.flat().map((line) => [line.id, line]));
  return [...all.values()].sort((a, b) =>
    a.created_at === b.created_at ? (a.id < b.id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1,
  );
}
