import type { AuditLine } from '../domain/audit.ts';
import { newId } from '../store/ids.ts';

/** A line of the audit log, for whatever a test does not care about. */
export const auditLine = (more: Partial<AuditLine> = {}): AuditLine => ({
  id: newId('aud'),
  created_at: new Date().toISOString(),
  workspace_id: 'ws_1',
  user_id: 'usr_1',
  user_name: 'Ana',
  agent_id: 'agt_1',
  agent_name: 'Helper',
  run_id: null,
  session_id: null,
  step_number: null,
  action: 'tool.read_file',
  target: '/notes.md',
  input: null,
  output: null,
  was_allowed: true,
  execution_time_ms: null,
  ...more,
});
