import { z } from 'zod';
import { apiKeySchema, createApiKeyBody, createdApiKeySchema } from '../../domain/identity.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../../store/api-keys.ts';
import type { AppDeps } from '../app.ts';
import { idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { invalid, type Route, route } from '../route.ts';

export const apiKeyRoutes = ({ identity }: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/api-keys',
    tag: 'API keys',
    summary: 'Make an API key; this is the only time it is shown',
    body: createApiKeyBody,
    shows: ['name', 'expires_at'],
    replies: { 201: createdApiKeySchema },
    handler: async ({ caller, newId, body: { name, expires_at } }) => {
      const expires = expires_at === undefined ? null : new Date(expires_at);
      if (expires && expires <= new Date()) throw invalid('body', { expires_at: 'lies in the past' });
      return { status: 201, body: await createApiKey(caller, { id: newId('key'), name, expires_at: expires }) };
    },
  }),
  route({
    method: 'get',
    path: '/api-keys',
    tag: 'API keys',
    summary: 'Your API keys, revoked ones too',
    query: z.strictObject(pageQuery),
    replies: { 200: pageSchema(apiKeySchema) },
    handler: async ({ caller, query }) => ({ status: 200, body: await listApiKeys(caller, query) }),
  }),
  route({
    method: 'delete',
    path: '/api-keys/:id',
    tag: 'API keys',
    summary: 'Revoke an API key',
    params: idParam('key'),
    replies: { 204: null },
    handler: async ({ caller, params }) => {
      await revokeApiKey(caller, params.id);
      identity.forget();
      return { status: 204 };
    },
  }),
];
