import { z } from 'zod';
import { evidencePartSchema, evidenceSchema } from '../../domain/evidence.ts';
import { listEvidence, readEvidence } from '../../store/evidence.ts';
import { idOf, idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { type Route, route } from '../route.ts';

const tag = 'Runs';
const MOST_CHARS = 1_000_000;

export const evidenceRoutes = (): Route[] => [
  route({
    method: 'get',
    path: '/runs/:id/evidence',
    tag,
    summary: 'What a run has executed: exact command, exit code, time, and what the tests said',
    params: idParam('run'),
    query: z.strictObject({ call_id: z.string().max(2000).optional(), ...pageQuery }),
    replies: { 200: pageSchema(evidenceSchema) },
    handler: async ({ caller, params, query: { call_id, ...page } }) => ({
      status: 200,
      body: await listEvidence(caller, params.id, call_id, page),
    }),
  }),
  route({
    method: 'get',
    path: '/runs/:id/evidence/:evidence_id',
    tag,
    summary: 'One of them with what it said, from a character on',
    params: z.strictObject({ id: idOf('run'), evidence_id: z.string().max(200) }),
    query: z.strictObject({
      offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
      limit: z.coerce.number().int().min(1).max(MOST_CHARS).default(100_000),
    }),
    replies: { 200: evidencePartSchema },
    handler: async ({ caller, params, query }) => ({
      status: 200,
      body: await readEvidence(caller, params.id, params.evidence_id, query),
    }),
  }),
];
