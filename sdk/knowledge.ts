import type { z } from 'zod';
import type { addKnowledgeBody, KnowledgeHits, KnowledgeSource, KnowledgeText } from '../domain/knowledge.ts';
import { at } from './address.ts';
import type { Http } from './http.ts';
import type { Page, PageQuery } from './queries.ts';

/** Ten megabytes may be long on their way, and a PDF has to be read. */
const UPLOAD_MS = 120_000;

/** Documents that agents look things up in. */
export const knowledgeCalls = (http: Http) => ({
  knowledge: {
    list: (query: PageQuery & { workspace_id?: string } = {}) =>
      http.get<Page<KnowledgeSource>>('/knowledge', { query: { ...query } }),
    get: (id: string) => http.get<KnowledgeSource>(at('knowledge', id)),
    add: (body: z.input<typeof addKnowledgeBody>) =>
      http.post<KnowledgeSource>('/knowledge', { body, heldMs: UPLOAD_MS }),
    /** Lines of it, as many as fit; `next_from` is where to read on. */
    text: (id: string, query: { from?: number; to?: number } = {}) =>
      http.get<KnowledgeText>(at('knowledge', id, '/text'), { query }),
    search: (q: string, query: { workspace_id?: string; limit?: number } = {}) =>
      http.get<KnowledgeHits>('/knowledge/search', { query: { q, ...query } }),
    remove: (id: string) => http.delete(at('knowledge', id)),
  },
});
