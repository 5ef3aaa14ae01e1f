import type mongoose from 'mongoose';
import { Failure } from '../domain/failures.ts';
import { type Caller, holds } from '../domain/identity.ts';
import type { CreateTask, Task, TaskStatus, UpdateTask } from '../domain/task.ts';
import { isDuplicate } from './connection.ts';
import { type Page, type PageRequest, readCursor, writeCursor } from './pages.ts';
import { runsOf, type TaskDoc, TaskModel, toTask } from './task-record.ts';
import { boundedBy, missing } from './tenancy.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

const withRun = async (doc: TaskDoc): Promise<Task> => toTask(doc, (await runsOf([doc])).get(doc.run_id ?? ''));

async function loadTask(caller: Caller, id: string): Promise<TaskDoc> {
  const found = await TaskModel.findOne({ _id: id, ...boundedBy(caller) }).lean<TaskDoc>();
  if (!found) throw missing('task', id);
  return found;
}

/** Safe to repeat with the same id: the second time meets the first. */
export async function createTask(
  caller: Caller,
  { id, assigned_to: _later, ...task }: CreateTask & { id: string },
): Promise<Task> {
  await demandWorkspace(caller, task.workspace_id, 'read', 'make tasks');
  const now = new Date();
  const fresh: TaskDoc = {
    _id: id,
    org_id: caller.org_id,
    ...task,
    assigned_to: null,
    assigned_name: null,
    assigned_by: null,
    status: 'open',
    run_id: null,
    error_message: null,
    created_by: caller.user_id,
    created_by_name: caller.name,
    checked_at: now,
    created_at: now,
    updated_at: now,
  };
  try {
    await TaskModel.create(fresh);
    return toTask(fresh, undefined);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return findTask(caller, id);
  }
}

export const findTask = async (caller: Caller, id: string): Promise<Task> => withRun(await loadTask(caller, id));

export interface TaskFilter {
  workspace_id?: string | undefined;
  status?: TaskStatus | undefined;
  assigned_to?: string | undefined;
}

/** Newest first. */
export async function listTasks(
  caller: Caller,
  { workspace_id, ...exactly }: TaskFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<Task>> {
  if (workspace_id !== undefined) await findWorkspace(caller, workspace_id);
  const wanted = Object.fromEntries(Object.entries(exactly).filter(([, value]) => value !== undefined));
  const where: mongoose.QueryFilter<TaskDoc>[] = [boundedBy(caller, workspace_id), wanted];
  if (cursor !== undefined) {
    const { at, id } = readCursor(cursor);
    where.push({ $or: [{ created_at: { $lt: at } }, { created_at: at, _id: { $lt: id } }] });
  }
  const found = await TaskModel.find({ $and: where })
    .sort({ created_at: -1, _id: -1 })
    .limit(limit + 1)
    .lean<TaskDoc[]>();
  const docs = found.slice(0, limit);
  const runs = await runsOf(docs);
  const last = found.length > limit ? docs.at(-1) : undefined;
  const items = docs.map((doc) => toTask(doc, runs.get(doc.run_id ?? '')));
  return { items, next_cursor: last ? writeCursor(last) : null };
}

function demandFree({ id, status, run_id }: Task): void {
  if (status !== 'in_progress') return;
  throw new Failure('not_ended', `The task ${id} is being worked on by the run ${run_id}.`, { run_id });
}

function demandChangeable(caller: Caller, task: Task, action: string): void {
  if (task.created_by === caller.user_id || holds(caller, task.workspace_id, 'write')) return;
  throw new Failure('forbidden', `Only who made this task, or members with the role write, can ${action}.`);
}

/** Its words; whom it is assigned to has a way of its own. */
export async function updateTask(
  caller: Caller,
  id: string,
  { assigned_to: _other, ...change }: UpdateTask,
): Promise<Task> {
  const task = await findTask(caller, id);
  if (Object.keys(change).length === 0) return task;
  demandChangeable(caller, task, 'change it');
  demandFree(task);
  const set = { ...change, updated_at: new Date() };
  await TaskModel.updateOne({ _id: id, ...boundedBy(caller) }, { $set: set });
  return findTask(caller, id);
}

export interface Assignment {
  agent: { id: string; name: string };
  run_id: string;
}

/** Before the run is started: should the process die before it has, whoever finds the task starts it. */
export async function assignTask(caller: Caller, id: string, { agent, run_id }: Assignment): Promise<Task> {
  const task = await findTask(caller, id);
  // A repeated request meets what its first try has done.
  if (task.run_id === run_id) return task;
  demandFree(task);
  if (task.status === 'done') {
    throw new Failure('conflict', `The task ${id} is done; make a new one for what is left to do.`, { id });
  }
  const now = new Date();
  const taken = await TaskModel.updateOne(
    { _id: id, ...boundedBy(caller), run_id: task.run_id },
    {
      $set: {
        assigned_to: agent.id,
        assigned_name: agent.name,
        assigned_by: caller.user_id,
        status: 'in_progress',
        run_id,
        error_message: null,
        checked_at: now,
        updated_at: now,
      },
    },
  );
  const assigned = await findTask(caller, id);
  // Somebody else was faster.
  if (taken.modifiedCount === 0 && assigned.run_id !== run_id) demandFree(assigned);
  return assigned;
}

/** Takes it back from an agent that is not at work on it. */
export async function unassignTask(caller: Caller, id: string): Promise<Task> {
  const task = await findTask(caller, id);
  demandChangeable(caller, task, 'take it back');
  demandFree(task);
  if (task.status === 'done') throw new Failure('conflict', `The task ${id} is done.`, { id });
  const open = { assigned_to: null, assigned_name: null, assigned_by: null, status: 'open' as const };
  await TaskModel.updateOne(
    { _id: id, ...boundedBy(caller), run_id: task.run_id },
    { $set: { ...open, error_message: null, updated_at: new Date() } },
  );
  return findTask(caller, id);
}

/** Who made it, or an admin; a run that is at work on it goes on by itself. */
export async function removeTask(caller: Caller, id: string): Promise<void> {
  const task = await loadTask(caller, id);
  if (task.created_by !== caller.user_id && !holds(caller, task.workspace_id, 'admin')) {
    throw new Failure('forbidden', 'Only who made this task, or an admin of its workspace, can remove it.');
  }
  await TaskModel.deleteOne({ _id: id, ...boundedBy(caller) });
}
