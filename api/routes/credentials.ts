import { z } from 'zod';
import {
  agentCredentialSchema,
  type Credential,
  credentialKey,
  setAgentCredentialBody,
} from '../../domain/credential.ts';
import { listCredentials, removeCredential, setCredential } from '../../store/credentials.ts';
import type { AppDeps } from '../app.ts';
import { idOf, idParam } from '../ids.ts';
import { type Route, route } from '../route.ts';

const named = (credential: Credential) => ({ ...credential, key_name: credential.key });

export const credentialRoutes = ({ secretKey, previousKeys = [] }: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/agents/:id/credentials',
    tag: 'Credentials',
    summary: 'Set or replace a credential of an agent; its value is never shown again (its maker, or an admin)',
    params: idParam('agt'),
    body: setAgentCredentialBody,
    shows: ['key', 'key_name'],
    replies: { 201: agentCredentialSchema },
    handler: async ({ caller, params, body: { key, key_name = key ?? '', value } }) => {
      const wanted = { agent_id: params.id, key: key_name, value };
      return { status: 201, body: named(await setCredential(caller, [secretKey, ...previousKeys], wanted)) };
    },
  }),
  route({
    method: 'get',
    path: '/agents/:id/credentials',
    tag: 'Credentials',
    summary: 'The names of the credentials of an agent (its maker, or an admin)',
    params: idParam('agt'),
    replies: { 200: z.object({ items: z.array(agentCredentialSchema), next_cursor: z.null() }) },
    handler: async ({ caller, params }) => ({
      status: 200,
      body: { items: (await listCredentials(caller, params.id)).map(named), next_cursor: null },
    }),
  }),
  route({
    method: 'delete',
    path: '/agents/:id/credentials/:key',
    tag: 'Credentials',
    summary: 'Remove a credential of an agent (its maker, or an admin)',
    params: z.strictObject({ id: idOf('agt'), key: credentialKey }),
    replies: { 204: null },
    handler: async ({ caller, params }) => {
      await removeCredential(caller, params.id, params.key);
      return { status: 204 };
    },
  }),
];
