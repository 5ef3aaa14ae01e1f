import type { Fact } from '../domain/facts.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { ENDED_STATUSES, hasEnded } from '../domain/run.ts';
import { isDuplicate } from './connection.ts';
import { RunLog } from './event-log.ts';
import { entriesAfter } from './log-reading.ts';
import { type NewRun, recordOf } from './new-run.ts';
import { projectRun } from './run-projection.ts';
import { RunModel, type RunRecord, runCollection, runsVisibleTo } from './run-record.ts';

/** More than a page can show, and far more than a budget pays for. */
const MOST_IN_TREE = 1000;

/** Safe to repeat with the same id: the second time meets the first. */
export async function insertRun(caller: Caller, run: Omit<NewRun, 'org_id' | 'caller'>): Promise<RunRecord> {
  const record = recordOf({ ...run, org_id: caller.org_id, caller });
  try {
    await runCollection().insertOne(record);
    return record;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return findRun(caller, run.id);
  }
}

export async function findRun(caller: Caller, id: string): Promise<RunRecord> {
  const found = await runCollection().findOne({ _id: id, ...runsVisibleTo(caller) });
  if (!found) throw new Failure('not_found', `There is no run ${id}.`, { id });
  return found;
}

/** Facts after which a record that has not heard of them would tell something untrue. */
const TELLING: ReadonlySet<Fact['kind']> = new Set([
  'started',
  'action_pending',
  'action_revised',
  'action_decided',
  'question_asked',
  'question_answered',
  'child_asked',
  'child_answered',
  'delegation_finished',
  'edits_proposed',
  'review_updated',
  'apply_requested',
  'conflict_detected',
  'apply_failed',
  'edits_applied',
  'rerun_requested',
  'step_ended',
  'paused',
  'unpaused',
  'ended',
]);

/** The record, and never behind what an event of the run has told already. */
export async function currentRun(caller: Caller, id: string): Promise<RunRecord> {
  const run = await findRun(caller, id);
  if (hasEnded(run.status)) return run;
  const unheard = await entriesAfter(id, run.log_n);
  if (!unheard.some((entry) => entry.facts.some((fact) => TELLING.has(fact.kind)))) return run;
  await projectRun(await RunLog.open({ run_id: id, workspace_id: run.workspace_id }));
  return findRun(caller, id);
}

/** Runs of the tree below one run that have not ended, in the order they were made. */
export const openRunsBelow = (caller: Caller, id: string): Promise<RunRecord[]> =>
  RunModel.find(
    { ...runsVisibleTo(caller), line: id, _id: { $ne: id }, status: { $nin: ENDED_STATUSES } },
    { agent: 0 },
  )
    .sort({ created_at: 1, _id: 1 })
    .limit(MOST_IN_TREE)
    .lean<RunRecord[]>();

/** All runs of the tree that a run belongs to, its root first. */
export async function treeOf(caller: Caller, run: RunRecord): Promise<RunRecord[]> {
  const root = run.root_run_id ?? run._id;
  return RunModel.find(
    { ...runsVisibleTo(caller), root_run_id: root },
    { agent: 0, definition: 0, workflow_state: 0, input: 0, output: 0 },
  )
    .sort({ created_at: 1, _id: 1 })
    .limit(MOST_IN_TREE)
    .lean<RunRecord[]>();
}

/** Runs of the caller's workspaces that wait for a person. */
export const waitingRuns = (caller: Caller): Promise<RunRecord[]> =>
  RunModel.find(
    { ...runsVisibleTo(caller), status: { $in: ['awaiting_confirmation', 'waiting_for_user', 'awaiting_review'] } },
    { agent: 0, definition: 0 },
  )
    .sort({ created_at: 1 })
    .limit(500)
    .lean<RunRecord[]>();
