import { z } from 'zod';
import { agentTemplate, agentTemplates, TEMPLATE_IDS, templateSchema } from '../../domain/agent-templates.ts';
import { type Route, route } from '../route.ts';

const tag = 'Agents';

export const templateRoutes = (): Route[] => [
  route({
    method: 'get',
    path: '/templates',
    tag,
    summary: 'Agents to begin with: the fields of a new one, but for its workspace and its model',
    replies: { 200: z.object({ items: z.array(templateSchema), next_cursor: z.null() }) },
    handler: async () => ({ status: 200, body: { items: agentTemplates(), next_cursor: null } }),
  }),
  route({
    method: 'get',
    path: '/templates/:id',
    tag,
    summary: 'One template',
    params: z.strictObject({ id: z.enum(TEMPLATE_IDS) }),
    replies: { 200: templateSchema },
    handler: async ({ params }) => ({ status: 200, body: agentTemplate(params.id) }),
  }),
];
