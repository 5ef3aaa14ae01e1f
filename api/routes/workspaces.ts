import { z } from 'zod';
import { createWorkspaceBody, renameBody, workspaceSchema } from '../../domain/workspace.ts';
import { addBuiltins } from '../../store/builtin-agents.ts';
import { createWorkspace, findWorkspace, listWorkspaces, renameWorkspace } from '../../store/workspaces.ts';
import type { AppDeps } from '../app.ts';
import { idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { type Route, route } from '../route.ts';

export const workspaceRoutes = ({ builtinModels }: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/workspaces',
    tag: 'Workspaces',
    summary: 'Make a workspace (owner of the organization)',
    body: createWorkspaceBody,
    shows: ['name'],
    replies: { 201: workspaceSchema },
    handler: async ({ caller, newId, body }) => {
      const made = await createWorkspace(caller, { id: newId('ws'), name: body.name });
      await addBuiltins(caller, made.id, builtinModels);
      return { status: 201, body: made };
    },
  }),
  route({
    method: 'get',
    path: '/workspaces',
    tag: 'Workspaces',
    summary: 'The workspaces you are a member of',
    query: z.strictObject(pageQuery),
    replies: { 200: pageSchema(workspaceSchema) },
    handler: async ({ caller, query }) => ({ status: 200, body: await listWorkspaces(caller, query) }),
  }),
  route({
    method: 'get',
    path: '/workspaces/:id',
    tag: 'Workspaces',
    summary: 'One workspace',
    params: idParam('ws'),
    replies: { 200: workspaceSchema },
    handler: async ({ caller, params }) => ({ status: 200, body: await findWorkspace(caller, params.id) }),
  }),
  route({
    method: 'put',
    path: '/workspaces/:id',
    tag: 'Workspaces',
    summary: 'Rename a workspace (admin)',
    params: idParam('ws'),
    body: renameBody,
    replies: { 200: workspaceSchema },
    handler: async ({ caller, params, body }) => ({
      status: 200,
      body: await renameWorkspace(caller, params.id, body.name),
    }),
  }),
];
