import { isTimeOf } from '../domain/cron.ts';
import { ExpressionProblem } from '../domain/expression.ts';
import { Failure, isFailure } from '../domain/failures.ts';
import { hasEnded } from '../domain/run.ts';
import { seedOfScheduled } from '../domain/run-id.ts';
import { type BeginScheduled, type BegunScheduled, scheduledInput } from '../domain/schedule.ts';
import { newId } from '../store/ids.ts';
import { loadRun } from '../store/run-upkeep.ts';
import { insertRun } from '../store/runs.ts';
import type { ScheduleDoc } from '../store/schedule-record.ts';
import { loadSchedule, noteFired } from '../store/schedule-upkeep.ts';
import { draftTriggered } from '../store/triggered-runs.ts';

/** Temporal fires a version that is no longer wanted, and has yet to be told. */
function isOutdated(schedule: ScheduleDoc, version: number, at: Date): boolean {
  if (version >= schedule.version) return false;
  return !schedule.is_active || !isTimeOf(schedule.cron_expression, schedule.time_zone, at);
}

function inputOf(schedule: ScheduleDoc, at: string): unknown {
  try {
    return scheduledInput({ ...schedule, id: schedule._id }, at);
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error;
    throw new Failure('bad_mapping', `input_mapping: ${error.message}.`, { field: 'input_mapping' });
  }
}

/** Makes the record of the run; starting it is left to the workflow, whose child it becomes. Safe to repeat. */
export async function beginScheduled(fired: BeginScheduled): Promise<BegunScheduled> {
  const { org_id, schedule_id, version, workflow_id, scheduled_time } = fired;
  const run_id = newId('run', seedOfScheduled(workflow_id));
  const known = await loadRun(run_id);
  if (known) return { run_id, workspace_id: known.workspace_id, is_definition: known.definition_id !== null };
  const schedule = await loadSchedule(schedule_id);
  const at = new Date(scheduled_time);
  if (schedule?.org_id !== org_id || schedule.deleted_at || isOutdated(schedule, version, at)) return null;
  try {
    const { caller, draft } = await draftTriggered(schedule, {
      run_id,
      source: `schedule: ${schedule.name}`,
      input: inputOf(schedule, scheduled_time),
      trigger_type: 'schedule',
      schedule_id,
    });
    const run = await insertRun(caller, draft);
    await noteFired(schedule_id, at, { run_id });
    return { run_id, workspace_id: run.workspace_id, is_definition: run.definition_id !== null };
  } catch (error) {
    if (!isFailure(error)) throw error;
    const { code, message } = error;
    await noteFired(schedule_id, at, { error: { code, message, at: new Date().toISOString() } });
    return null;
  }
}

export async function runIsOver({ run_id }: { v: 1; run_id: string }): Promise<boolean> {
  const run = await loadRun(run_id);
  return run === null || hasEnded(run.status);
}
