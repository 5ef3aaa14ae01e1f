import { type AuditedRun, type AuditLine, auditLines, callArguments } from '../domain/audit.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import type { ActionLog } from '../domain/session.ts';
import { allEntries } from './log-reading.ts';
import type { Page, PageRequest } from './pages.ts';
import { RunModel, type RunRecord } from './run-record.ts';
import type { SessionRecord } from './sessions.ts';
import { boundedBy } from './tenancy.ts';

type Audited = Pick<
  RunRecord,
  '_id' | 'workspace_id' | 'caller_user_id' | 'caller_name' | 'agent_id' | 'agent_name' | 'input'
>;

const aboutOf = (run: Audited, session_id: string): AuditedRun => ({
  run_id: run._id,
  session_id,
  workspace_id: run.workspace_id,
  user_id: run.caller_user_id,
  user_name: run.caller_name,
  agent_id: run.agent_id,
  agent_name: run.agent_name,
  input: run.input,
});

const toLog = (line: AuditLine, run_id: string, session_id: string): ActionLog => ({
  id: line.id,
  session_id,
  run_id,
  action_type: line.action,
  target_path: line.target,
  input_summary: line.input ?? '',
  output_summary: line.output ?? '',
  was_allowed: line.was_allowed,
  execution_time_ms: line.execution_time_ms ?? 0,
  created_at: line.created_at,
});

const runOf = (cursor: string): string => cursor.split(':')[0] ?? '';

/** What was done in a session, run by run from the first on; from the logs themselves, so never behind them. */
export async function logsOf(
  caller: Caller,
  { _id: session }: SessionRecord,
  { limit, cursor }: PageRequest,
): Promise<Page<ActionLog>> {
  const runs = await RunModel.find(
    { ...boundedBy(caller), conversation_id: session },
    { workspace_id: 1, caller_user_id: 1, caller_name: 1, agent_id: 1, agent_name: 1, input: 1 },
  )
    .sort({ created_at: 1, _id: 1 })
    .lean<Audited[]>();
  const from = cursor === undefined ? 0 : runs.findIndex(({ _id }) => _id === runOf(cursor));
  if (from === -1) {
    throw new Failure('invalid_request', 'The cursor is not one this list has given.', { fields: { cursor } });
  }
  const items: ActionLog[] = [];
  for (const run of runs.slice(from)) {
    const entries = await allEntries(run._id);
    const asked = callArguments(entries);
    const lines = entries.flatMap((entry) => auditLines(entry, aboutOf(run, session), asked));
    const given = cursor === undefined ? -1 : lines.findIndex(({ id }) => id === cursor);
    items.push(...lines.slice(given + 1).map((line) => toLog(line, run._id, session)));
    if (items.length > limit) break;
  }
  const last = items.length > limit ? items[limit - 1] : undefined;
  return { items: items.slice(0, limit), next_cursor: last?.id ?? null };
}
