import { z } from 'zod';
import { credentialSchema, notebookCredentialKey, setNotebookCredentialBody } from '../../domain/credential.ts';
import {
  listNotebookCredentials,
  removeNotebookCredential,
  setNotebookCredential,
} from '../../store/notebook-credentials.ts';
import type { AppDeps } from '../app.ts';
import { idOf, idParam } from '../ids.ts';
import { type Route, route } from '../route.ts';

const tag = 'Notebooks';

export const notebookCredentialRoutes = ({ secretKey, previousKeys = [] }: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/notebooks/:id/credentials',
    tag,
    summary: 'Set or replace what a git notebook shows its remote; its value is never shown again (admin)',
    params: idParam('nb'),
    body: setNotebookCredentialBody,
    shows: ['key'],
    replies: { 201: credentialSchema },
    handler: async ({ caller, params, body }) => ({
      status: 201,
      body: await setNotebookCredential(caller, [secretKey, ...previousKeys], { notebook_id: params.id, ...body }),
    }),
  }),
  route({
    method: 'get',
    path: '/notebooks/:id/credentials',
    tag,
    summary: 'The names of the credentials of a git notebook (admin)',
    params: idParam('nb'),
    replies: { 200: z.object({ items: z.array(credentialSchema), next_cursor: z.null() }) },
    handler: async ({ caller, params }) => ({
      status: 200,
      body: { items: await listNotebookCredentials(caller, params.id), next_cursor: null },
    }),
  }),
  route({
    method: 'delete',
    path: '/notebooks/:id/credentials/:key',
    tag,
    summary: 'Remove a credential of a git notebook (admin)',
    params: z.strictObject({ id: idOf('nb'), key: notebookCredentialKey }),
    replies: { 204: null },
    handler: async ({ caller, params }) => {
      await removeNotebookCredential(caller, params.id, params.key);
      return { status: 204 };
    },
  }),
];
