import { type AuditedRun, callArguments } from '../domain/audit.ts';
import { entriesAfter } from './log-reading.ts';
import { type RunRecord, runCollection } from './run-record.ts';

export interface KnownRun {
  org_id: string;
  about: AuditedRun;
}

type Named = Pick<
  RunRecord,
  '_id' | 'org_id' | 'workspace_id' | 'caller_user_id' | 'caller_name' | 'agent_id' | 'agent_name' | 'input'
> & { conversation_id?: string | null };

/** Whose runs these are, for the audit log; those that are gone are left out. */
export async function auditedRuns(ids: string[]): Promise<Map<string, KnownRun>> {
  if (ids.length === 0) return new Map();
  const found = await runCollection()
    .find({ _id: { $in: ids } })
    .project<Named>({
      org_id: 1,
      workspace_id: 1,
      conversation_id: 1,
      caller_user_id: 1,
      caller_name: 1,
      agent_id: 1,
      agent_name: 1,
      input: 1,
    })
    .toArray();
  return new Map(
    found.map((run) => [
      run._id,
      {
        org_id: run.org_id,
        about: {
          run_id: run._id,
          session_id: run.conversation_id ?? null,
          workspace_id: run.workspace_id,
          user_id: run.caller_user_id,
          user_name: run.caller_name,
          agent_id: run.agent_id,
          agent_name: run.agent_name,
          input: run.input,
        },
      },
    ]),
  );
}

/** A call that waits for a person or another run has been asked for this many appends ago at most, or is told without. */
const LOOK_BACK = 200;

/** With what the calls were asked for that a run may be answered from this append on. */
export async function argumentsBefore(run: string, n: number): Promise<Map<string, string>> {
  if (n <= 1) return new Map();
  const from = Math.max(0, n - 1 - LOOK_BACK);
  return callArguments(await entriesAfter(run, from, n - 1 - from));
}
