import { z } from 'zod';
import { executorSchema } from '../../domain/checkout.ts';
import { listExecutors } from '../../store/executors.ts';
import { type Route, route } from '../route.ts';

export const executorRoutes = (): Route[] => [
  route({
    method: 'get',
    path: '/executors',
    tag: 'Executors',
    summary: 'The processes that carry runs on git notebooks, and how many checkouts each has (owner)',
    replies: { 200: z.object({ items: z.array(executorSchema), next_cursor: z.null() }) },
    handler: async ({ caller }) => ({ status: 200, body: { items: await listExecutors(caller), next_cursor: null } }),
  }),
];
