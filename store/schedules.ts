import type { Caller } from '../domain/identity.ts';
import { type ChangeSchedule, type CreateSchedule, type Schedule, scheduleProblem } from '../domain/schedule.ts';
import { isDuplicate } from './connection.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import { type ScheduleDoc, ScheduleModel, scheduleCollection, toSchedule } from './schedule-record.ts';
import { boundedBy, missing } from './tenancy.ts';
import {
  badField,
  defined,
  demandKeeper,
  demandTargetNotebook,
  demandTargetSeen,
  demandVersionOf,
  findTarget,
  nextTrigger,
} from './trigger-target.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

async function load(caller: Caller, id: string): Promise<ScheduleDoc> {
  const found = await scheduleCollection().findOne({ _id: id, ...boundedBy(caller), deleted_at: null });
  if (!found) throw missing('schedule', id);
  return found;
}

function demandSound(doc: ScheduleDoc): void {
  const problem = scheduleProblem(doc);
  if (problem) throw badField(...problem);
}

/** Safe to repeat with the same id: the second time meets the first. */
export async function createSchedule(
  caller: Caller,
  { id, workspace_id: wanted, input = null, input_mapping = null, ...sent }: CreateSchedule & { id: string },
): Promise<Schedule> {
  const problem = scheduleProblem({ ...sent, input_mapping });
  if (problem) throw badField(...problem);
  const { workspace_id, name: target_name } = await findTarget(caller, sent);
  if (wanted !== undefined && wanted !== workspace_id) {
    await findWorkspace(caller, wanted);
    throw badField('workspace_id', 'what it starts lies in another workspace');
  }
  await demandWorkspace(caller, workspace_id, 'write', 'make schedules');
  await demandTargetNotebook(caller, sent.notebook_id, workspace_id);
  const now = new Date();
  const doc: ScheduleDoc = {
    _id: id,
    org_id: caller.org_id,
    workspace_id,
    target_name,
    ...sent,
    name: sent.name || target_name,
    input,
    input_mapping,
    version: 1,
    applied_version: 0,
    checked_at: now,
    deleted_at: null,
    last_run_id: null,
    last_run_time: null,
    last_error: null,
    created_by: caller.user_id,
    created_at: now,
    updated_by: caller.user_id,
    updated_at: now,
  };
  try {
    await scheduleCollection().insertOne(doc);
    return toSchedule(doc);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return findSchedule(caller, id);
  }
}

export const findSchedule = async (caller: Caller, id: string): Promise<Schedule> => toSchedule(await load(caller, id));

export interface ScheduleFilter {
  workspace_id?: string | undefined;
  agent_id?: string | undefined;
  workflow_id?: string | undefined;
  is_active?: boolean | undefined;
}

export async function listSchedules(
  caller: Caller,
  { workspace_id, ...exactly }: ScheduleFilter,
  page: PageRequest,
): Promise<Page<Schedule>> {
  if (workspace_id !== undefined) await findWorkspace(caller, workspace_id);
  const where = { $and: [boundedBy(caller, workspace_id), { deleted_at: null }, defined(exactly)] };
  return readPage(ScheduleModel, where, page, toSchedule);
}

/** Of the two kinds of targets one takes the place of the other. */
const targetOf = ({ agent_id, workflow_id }: ChangeSchedule): Partial<ScheduleDoc> => {
  if (agent_id && workflow_id === undefined) return { agent_id, workflow_id: null };
  if (workflow_id && agent_id === undefined) return { workflow_id, agent_id: null };
  return {};
};

/** A new version, made after whatever others change at the same time. Nothing said, nothing changed. */
export async function changeSchedule(
  caller: Caller,
  id: string,
  change: ChangeSchedule,
  expected: number | null,
): Promise<Schedule> {
  for (;;) {
    const doc = await load(caller, id);
    demandKeeper(caller, doc, 'schedule', 'change');
    demandVersionOf(doc, 'schedule', expected);
    const said = { ...defined(change), ...targetOf(change) };
    if (Object.keys(said).length === 0) return toSchedule(doc);
    const next = await nextTrigger(caller, doc, said, demandSound);
    const { _id, version: _version, last_run_id: _run, last_run_time: _time, last_error: _error, ...set } = next;
    const { applied_version: _applied, checked_at: _checked, ...wanted } = set;
    const after = await scheduleCollection().findOneAndUpdate(
      { _id, version: doc.version, deleted_at: null },
      { $set: { ...wanted, version: next.version } },
      { returnDocument: 'after' },
    );
    if (after) return toSchedule(after);
  }
}

/** Before it is fired by hand: whoever may change it, and start what it starts, may do so. */
export async function demandOwnSchedule(caller: Caller, id: string, action: string): Promise<Schedule> {
  const doc = await load(caller, id);
  demandKeeper(caller, doc, 'schedule', action);
  await demandTargetSeen(caller, doc);
  return toSchedule(doc);
}

/** Gone for everybody; the record stays until Temporal has forgotten it, too. Runs go on. */
export async function deleteSchedule(caller: Caller, id: string, expected: number | null): Promise<void> {
  for (;;) {
    const doc = await load(caller, id);
    demandKeeper(caller, doc, 'schedule', 'delete');
    demandVersionOf(doc, 'schedule', expected);
    const now = new Date();
    const { matchedCount } = await scheduleCollection().updateOne(
      { _id: id, version: doc.version, deleted_at: null },
      {
        $set: { is_active: false, deleted_at: now, updated_at: now, updated_by: caller.user_id },
        $inc: { version: 1 },
      },
    );
    if (matchedCount > 0) return;
  }
}
