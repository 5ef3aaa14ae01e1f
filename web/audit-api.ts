import type { AuditLine } from '../domain/audit.ts';
import { call, download, type Page } from './http.ts';

export interface AuditFilter {
  workspace_id?: string | undefined;
  agent_id?: string | undefined;
  run_id?: string | undefined;
  user_id?: string | undefined;
  action?: string | undefined;
  was_allowed?: boolean | undefined;
  from?: string | undefined;
}

export type ExportFormat = 'csv' | 'ndjson';

export const auditApi = {
  lines: (filter: AuditFilter, cursor: string | null = null, signal?: AbortSignal) =>
    call<Page<AuditLine>>('/audit', { query: { ...filter, cursor, limit: 100 }, signal }),
  file: (filter: AuditFilter, format: ExportFormat) => download('/audit/export', { query: { ...filter, format } }),
};
