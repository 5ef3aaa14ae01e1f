import { z } from 'zod';
import { githubIntegrationBody, githubIntegrationSchema } from '../../domain/github.ts';
import { githubIntegration, removeGithubIntegration, setGithubIntegration } from '../../store/github-integration.ts';
import type { AppDeps } from '../app.ts';
import { idOf } from '../ids.ts';
import { type Route, route } from '../route.ts';

const query = z.strictObject({ workspace_id: idOf('ws') });

/** Before `/integrations/:id`: `github` is the name of a kind, not an id. */
export const githubIntegrationRoutes = ({ secretKey, previousKeys = [] }: AppDeps): Route[] => [
  route({
    method: 'get',
    path: '/integrations/github',
    tag: 'Integrations',
    summary: 'How agents of a workspace open pull requests; its token is never shown (admin)',
    query,
    replies: { 200: githubIntegrationSchema },
    handler: async ({ caller, query }) => ({ status: 200, body: await githubIntegration(caller, query.workspace_id) }),
  }),
  route({
    method: 'put',
    path: '/integrations/github',
    tag: 'Integrations',
    summary: 'Turn pull requests on or off, and set the token and address they are opened with (admin)',
    body: githubIntegrationBody,
    shows: ['workspace_id', 'enabled', 'api_url'],
    replies: { 200: githubIntegrationSchema },
    handler: async ({ caller, body }) => ({
      status: 200,
      body: await setGithubIntegration(caller, [secretKey, ...previousKeys], body),
    }),
  }),
  route({
    method: 'delete',
    path: '/integrations/github',
    tag: 'Integrations',
    summary: 'Remove the GitHub integration of a workspace with its token (admin)',
    query,
    replies: { 204: null },
    handler: async ({ caller, query }) => {
      await removeGithubIntegration(caller, query.workspace_id);
      return { status: 204 };
    },
  }),
];
