import { z } from 'zod';
import {
  addKnowledgeBody,
  KNOWLEDGE_TYPES,
  knowledgeHitsSchema,
  knowledgeSourceSchema,
  knowledgeTextSchema,
} from '../../domain/knowledge.ts';
import { addSource, findSource, listSources, readSource, removeSource } from '../../store/knowledge.ts';
import { searchKnowledge } from '../../store/knowledge-search.ts';
import { demandWorkspace } from '../../store/workspaces.ts';
import type { AppDeps } from '../app.ts';
import { idOf, idParam } from '../ids.ts';
import { readContent } from '../knowledge-content.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { askQueryMeaning } from '../query-meaning.ts';
import { type Route, route } from '../route.ts';

const tag = 'Knowledge';
const line = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

export const newKnowledgeBody = addKnowledgeBody.safeExtend({ workspace_id: idOf('ws') });

/** Ten megabytes as base64, in JSON. */
const UPLOAD_LIMIT = '15mb';

export const knowledgeRoutes = ({ runs, embeddingModel, draining }: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/knowledge',
    tag,
    summary: 'Add a document for agents to search: text, Markdown or a PDF, at most 10 MB (write)',
    body: newKnowledgeBody,
    shows: ['workspace_id', 'name', 'content_type'],
    bodyLimit: UPLOAD_LIMIT,
    replies: { 201: knowledgeSourceSchema },
    handler: async ({ caller, newId, body }) => {
      const { workspace_id, name, content_type } = body;
      // Before the file is read: nobody's PDF is parsed who may not add it.
      await demandWorkspace(caller, workspace_id, 'write', 'add knowledge');
      const content = await readContent(body);
      const kind = KNOWLEDGE_TYPES[content_type];
      return { status: 201, body: await addSource(caller, { id: newId('kn'), workspace_id, name, kind, ...content }) };
    },
  }),
  route({
    method: 'get',
    path: '/knowledge',
    tag,
    summary: 'The documents of your workspaces',
    query: z.strictObject({ workspace_id: idOf('ws').optional(), ...pageQuery }),
    replies: { 200: pageSchema(knowledgeSourceSchema) },
    handler: async ({ caller, query: { workspace_id, ...page } }) => ({
      status: 200,
      body: await listSources(caller, workspace_id, page),
    }),
  }),
  route({
    method: 'get',
    path: '/knowledge/search',
    tag,
    summary:
      'Search the documents of your workspaces, by words and, where there is a model for it, by meaning; the best passages first',
    query: z.strictObject({
      q: z.string().trim().min(1).max(1000),
      workspace_id: idOf('ws').optional(),
      limit: z.coerce.number().int().min(1).max(50).default(10),
    }),
    replies: { 200: knowledgeHitsSchema },
    handler: async ({ caller, query: { q, ...rest } }) => ({
      status: 200,
      body: await searchKnowledge(caller, { query: q, ...rest }, () =>
        askQueryMeaning(runs.starter, embeddingModel, caller.org_id, q, draining),
      ),
    }),
  }),
  route({
    method: 'get',
    path: '/knowledge/:id',
    tag,
    summary: 'One document',
    params: idParam('kn'),
    replies: { 200: knowledgeSourceSchema },
    handler: async ({ caller, params }) => ({ status: 200, body: await findSource(caller, params.id) }),
  }),
  route({
    method: 'get',
    path: '/knowledge/:id/text',
    tag,
    summary: 'Lines of a document, as many as fit at once',
    params: idParam('kn'),
    query: z.strictObject({ from: line.default(1), to: line.optional() }),
    replies: { 200: knowledgeTextSchema },
    handler: async ({ caller, params, query: { from, to } }) => ({
      status: 200,
      body: await readSource(caller, params.id, from, to),
    }),
  }),
  route({
    method: 'delete',
    path: '/knowledge/:id',
    tag,
    summary: 'Remove a document (who added it, or an admin)',
    params: idParam('kn'),
    replies: { 204: null },
    handler: async ({ caller, params }) => {
      await removeSource(caller, params.id);
      return { status: 204 };
    },
  }),
];
