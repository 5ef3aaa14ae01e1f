import { z } from 'zod';
import { createNotebookBody, notebookSchema } from '../../domain/workspace.ts';
import { createNotebook, findNotebook, listNotebooks } from '../../store/notebooks.ts';
import { demandWorkspace } from '../../store/workspaces.ts';
import type { AppDeps } from '../app.ts';
import { idOf, idParam } from '../ids.ts';
import { allowedFolder } from '../notebook-folder.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { type Route, route } from '../route.ts';

export const newNotebookBody = createNotebookBody.extend({ workspace_id: idOf('ws') });

export const notebookRoutes = ({ notebookRoots }: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/notebooks',
    tag: 'Notebooks',
    summary: 'Make a notebook of an existing folder on the server (admin)',
    body: newNotebookBody,
    shows: ['workspace_id', 'name', 'kind', 'path'],
    replies: { 201: notebookSchema },
    handler: async ({ caller, newId, body }) => {
      // Before the folder is looked at: what lies on the server is no business of those who may not add it.
      await demandWorkspace(caller, body.workspace_id, 'admin', 'add notebooks');
      const path = await allowedFolder(body.path, notebookRoots);
      return { status: 201, body: await createNotebook(caller, { ...body, id: newId('nb'), path }) };
    },
  }),
  route({
    method: 'get',
    path: '/notebooks',
    tag: 'Notebooks',
    summary: 'The notebooks of your workspaces',
    query: z.strictObject({ workspace_id: idOf('ws').optional(), ...pageQuery }),
    replies: { 200: pageSchema(notebookSchema) },
    handler: async ({ caller, query: { workspace_id, ...page } }) => ({
      status: 200,
      body: await listNotebooks(caller, workspace_id, page),
    }),
  }),
  route({
    method: 'get',
    path: '/notebooks/:id',
    tag: 'Notebooks',
    summary: 'One notebook',
    params: idParam('nb'),
    replies: { 200: notebookSchema },
    handler: async ({ caller, params }) => ({ status: 200, body: await findNotebook(caller, params.id) }),
  }),
];
