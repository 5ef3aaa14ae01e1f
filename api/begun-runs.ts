import type { Logger } from 'pino';
import type { Fact } from '../domain/facts.ts';
import type { Caller } from '../domain/identity.ts';
import { RunLog } from '../store/event-log.ts';
import type { Draft } from '../store/new-run.ts';
import type { RunRecord } from '../store/run-record.ts';
import { insertRun } from '../store/runs.ts';
import { type RunStarter, startAgentRun } from '../workflows/start.ts';

export type NewId = (prefix: string) => string;
export type { Draft };

/**
 * Record and workflow side by side: the workflow waits for a record that is not there yet, and the reconciler starts
 * what is recorded and was not started, so whichever of the two is lost with this process, nothing is promised that
 * is not kept.
 */
export async function begin(starter: RunStarter, logger: Logger, caller: Caller, draft: Draft): Promise<RunRecord> {
  const { id: run_id, agent, definition } = draft;
  const { workspace_id } = agent;
  const started = startAgentRun(starter, { run_id, workspace_id, definition_id: definition ? agent.id : null }).catch(
    (err: unknown) => logger.warn({ err, run_id }, 'the run will be started by the reconciler'),
  );
  // What is said to Temporal leaves at the end of this turn: nothing else may take up the rest of it.
  await new Promise((done) => setImmediate(done));
  const [run] = await Promise.all([insertRun(caller, draft), started]);
  return run;
}

/** Before the record: a run that is there at all is there with all it takes over. */
export async function inherit(id: string, { workspace_id }: RunRecord, fact: Fact): Promise<void> {
  const log = await RunLog.open({ run_id: id, workspace_id });
  // Also where it has ended since: whoever repeats a start must not fail on what came of it.
  if (!log.state.inherited) await log.append((state) => (state.inherited ? null : [fact]));
}

/** On a git notebook a run goes on from another with the files that one had, to the same branch. */
export function filesOfFormer(
  { notebook_id, notebook_kind, branch, files_from }: RunRecord,
  snapshot: string | null,
): Pick<Draft, 'branch' | 'files_from'> {
  if (notebook_kind !== 'git' || notebook_id === null) return {};
  return { branch, files_from: { notebook_id, snapshot: snapshot ?? files_from?.snapshot ?? null } };
}
