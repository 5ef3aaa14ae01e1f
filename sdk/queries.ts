import type { RunStatus, Trigger } from '../domain/run.ts';
import type { RunOrder } from '../domain/run-order.ts';

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export interface PageQuery {
  cursor?: string;
  limit?: number;
}

export interface RunQuery extends PageQuery {
  org_id?: string;
  workspace_id?: string;
  agent_id?: string;
  trigger_type?: Trigger;
  caller_user_id?: string;
  schedule_id?: string;
  status?: RunStatus[];
  from?: string;
  to?: string;
  parent_run_id?: string;
  session_id?: string;
  /** Only runs that no other run delegated. */
  root?: boolean;
  sort?: RunOrder;
}

export interface SessionQuery extends PageQuery {
  workspace_id?: string;
  agent_id?: string;
  archived?: boolean;
  /** Also those of others, where you are an admin. */
  all?: boolean;
}

export interface AuditQuery {
  workspace_id?: string;
  agent_id?: string;
  run_id?: string;
  session_id?: string;
  user_id?: string;
  /** A whole action, or a family of them: `tool`. */
  action?: string;
  was_allowed?: boolean;
  from?: string;
  to?: string;
}

/** As the address says it. */
export const auditQuery = ({ was_allowed, ...query }: AuditQuery) => ({
  ...query,
  was_allowed: was_allowed === undefined ? undefined : String(was_allowed),
});
