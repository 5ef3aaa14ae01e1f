import { z } from 'zod';
import type { Caller } from '../../domain/identity.ts';
import { createTaskBody, taskSchema, taskStatusSchema, updateTaskBody } from '../../domain/task.ts';
import { findNotebook } from '../../store/notebooks.ts';
import {
  assignTask,
  createTask,
  findTask,
  listTasks,
  removeTask,
  unassignTask,
  updateTask,
} from '../../store/tasks.ts';
import { demandWorkspace } from '../../store/workspaces.ts';
import type { AppDeps } from '../app.ts';
import { idOf, idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { invalid, type Route, route } from '../route.ts';
import { startTaskRun } from '../task-runs.ts';

const tag = 'Tasks';
const id = idParam('tsk');
const nullable = (prefix: string) => idOf(prefix).nullable();

export const newTaskBody = createTaskBody.extend({
  workspace_id: idOf('ws'),
  notebook_id: nullable('nb').default(null),
  assigned_to: nullable('agt').default(null),
});

export const changedTaskBody = updateTaskBody.extend({
  notebook_id: nullable('nb').optional(),
  assigned_to: nullable('agt').optional(),
});

const SHOWN = ['title', 'notebook_id', 'assigned_to'] as const;

async function demandNotebook(caller: Caller, notebookId: string | null, workspaceId: string): Promise<void> {
  if (notebookId === null) return;
  const notebook = await findNotebook(caller, notebookId);
  if (notebook.workspace_id !== workspaceId) throw invalid('body', { notebook_id: 'it lies in another workspace' });
}

export function taskRoutes({ runs }: AppDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/tasks',
      tag,
      summary: 'Make a task; with `assigned_to` its run starts at once',
      body: newTaskBody,
      shows: ['workspace_id', ...SHOWN],
      replies: { 201: taskSchema },
      handler: async ({ caller, newId, body }) => {
        await demandWorkspace(caller, body.workspace_id, 'read', 'make tasks');
        await demandNotebook(caller, body.notebook_id, body.workspace_id);
        const task = { ...body, id: newId('tsk') };
        const { assigned_to } = body;
        if (assigned_to === null) return { status: 201, body: await createTask(caller, task) };
        await startTaskRun(runs, caller, task, { agentId: assigned_to, newId }, async (run) => {
          await createTask(caller, task);
          await assignTask(caller, task.id, { agent: run.agent, run_id: run.id });
        });
        return { status: 201, body: await findTask(caller, task.id) };
      },
    }),
    route({
      method: 'get',
      path: '/tasks',
      tag,
      summary: 'The tasks of your workspaces, newest first',
      query: z.strictObject({
        ...pageQuery,
        workspace_id: idOf('ws').optional(),
        status: taskStatusSchema.optional(),
        assigned_to: idOf('agt').optional(),
      }),
      replies: { 200: pageSchema(taskSchema) },
      handler: async ({ caller, query: { limit, cursor, ...filter } }) => ({
        status: 200,
        body: await listTasks(caller, filter, { limit, cursor }),
      }),
    }),
    route({
      method: 'get',
      path: '/tasks/:id',
      tag,
      summary: 'One task',
      params: id,
      replies: { 200: taskSchema },
      handler: async ({ caller, params }) => ({ status: 200, body: await findTask(caller, params.id) }),
    }),
    route({
      method: 'put',
      path: '/tasks/:id',
      tag,
      summary: 'Change a task, or assign it: a new run starts. Not while a run is at work on it',
      params: id,
      body: changedTaskBody,
      shows: SHOWN,
      replies: { 200: taskSchema },
      handler: async ({ caller, params, body, newId }) => {
        const { assigned_to } = body;
        const now = await findTask(caller, params.id);
        await demandNotebook(caller, body.notebook_id ?? null, now.workspace_id);
        if (typeof assigned_to !== 'string') {
          const task = await updateTask(caller, params.id, body);
          return { status: 200, body: assigned_to === null ? await unassignTask(caller, params.id) : task };
        }
        // All or nothing: what speaks against the run speaks against the change.
        await startTaskRun(runs, caller, { ...now, ...body }, { agentId: assigned_to, newId }, async (run) => {
          await updateTask(caller, params.id, body);
          await assignTask(caller, params.id, { agent: run.agent, run_id: run.id });
        });
        return { status: 200, body: await findTask(caller, params.id) };
      },
    }),
    route({
      method: 'delete',
      path: '/tasks/:id',
      tag,
      summary: 'Remove a task (who made it, or an admin); its run goes on',
      params: id,
      replies: { 204: null },
      handler: async ({ caller, params }) => {
        await removeTask(caller, params.id);
        return { status: 204 };
      },
    }),
  ];
}
