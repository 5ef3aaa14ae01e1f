import { z } from 'zod';
import { credentialKey, credentialSchema, setCredentialBody } from '../../domain/credential.ts';
import {
  listIntegrationCredentials,
  removeIntegrationCredential,
  setIntegrationCredential,
} from '../../store/integration-credentials.ts';
import type { AppDeps } from '../app.ts';
import { definitionRoutes } from '../definition-routes.ts';
import { idOf, idParam } from '../ids.ts';
import { type Route, route } from '../route.ts';

const tag = 'Integrations';

export const integrationRoutes = ({ secretKey, previousKeys = [] }: AppDeps): Route[] => [
  ...definitionRoutes({
    kind: 'integration',
    tag,
    path: 'integrations',
    shows: ['base_url', 'allow_private', 'limits'],
  }),
  route({
    method: 'post',
    path: '/integrations/:id/credentials',
    tag,
    summary: 'Set or replace a credential of an integration; its value is never shown again (admin)',
    params: idParam('int'),
    body: setCredentialBody,
    shows: ['key'],
    replies: { 201: credentialSchema },
    handler: async ({ caller, params, body }) => ({
      status: 201,
      body: await setIntegrationCredential(caller, [secretKey, ...previousKeys], {
        integration_id: params.id,
        ...body,
      }),
    }),
  }),
  route({
    method: 'get',
    path: '/integrations/:id/credentials',
    tag,
    summary: 'The names of the credentials of an integration (admin)',
    params: idParam('int'),
    replies: { 200: z.object({ items: z.array(credentialSchema), next_cursor: z.null() }) },
    handler: async ({ caller, params }) => ({
      status: 200,
      body: { items: await listIntegrationCredentials(caller, params.id), next_cursor: null },
    }),
  }),
  route({
    method: 'delete',
    path: '/integrations/:id/credentials/:key',
    tag,
    summary: 'Remove a credential of an integration (admin)',
    params: z.strictObject({ id: idOf('int'), key: credentialKey }),
    replies: { 204: null },
    handler: async ({ caller, params }) => {
      await removeIntegrationCredential(caller, params.id, params.key);
      return { status: 204 };
    },
  }),
];
