import { z } from 'zod';

/** Documents people upload so that agents can search them: text, Markdown, and the text of PDFs. */
export const KNOWLEDGE_TYPES = {
  'text/plain': 'text',
  'text/markdown': 'markdown',
  'application/pdf': 'pdf',
} as const;
const contentTypeSchema = z.enum(['text/plain', 'text/markdown', 'application/pdf']);
export type KnowledgeType = z.infer<typeof contentTypeSchema>;
const kindSchema = z.enum(['text', 'markdown', 'pdf']);
export type KnowledgeKind = z.infer<typeof kindSchema>;

export const MAX_KNOWLEDGE_BYTES = 10 * 1024 * 1024;

export const addKnowledgeBody = z
  .strictObject({
    workspace_id: z.string(),
    name: z.string().trim().min(1).max(200),
    content_type: contentTypeSchema,
    content: z.string().min(1).optional(),
    content_base64: z.base64().min(1).optional(),
  })
  .refine((body) => (body.content === undefined) !== (body.content_base64 === undefined), {
    message: 'give either content or content_base64',
    path: ['content'],
  })
  .refine((body) => body.content_type !== 'application/pdf' || body.content === undefined, {
    message: 'a PDF is sent as content_base64',
    path: ['content'],
  });
export type AddKnowledge = z.infer<typeof addKnowledgeBody>;

export const knowledgeSourceSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  name: z.string(),
  kind: kindSchema,
  /** Of the file as it was uploaded. */
  bytes: z.int(),
  lines: z.int(),
  /** null for what has no pages. */
  pages: z.int().nullable(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
});
export type KnowledgeSource = z.infer<typeof knowledgeSourceSchema>;

export const knowledgeHitSchema = z.object({
  source_id: z.string(),
  source: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  /** The line of the passage that fits best. */
  line: z.int(),
  page: z.int().nullable(),
  snippet: z.string(),
  score: z.number(),
});
export type KnowledgeHit = z.infer<typeof knowledgeHitSchema>;
/** What decided about the order, and what kept meaning from counting, or from counting everywhere. */
export const knowledgeHitsSchema = z.object({
  results: z.array(knowledgeHitSchema),
  ranking: z.enum(['words', 'words_and_meaning']),
  ranking_reason: z.string().nullable(),
});
export type KnowledgeHits = z.infer<typeof knowledgeHitsSchema>;

export const knowledgeTextSchema = z.object({
  id: z.string(),
  from: z.int(),
  to: z.int(),
  total_lines: z.int(),
  text: z.string(),
  /** Where to read on; null at the end of what was asked for. */
  next_from: z.int().nullable(),
  /** One line was longer than is given at once: the rest of it is not here. */
  cut: z.boolean(),
});
export type KnowledgeText = z.infer<typeof knowledgeTextSchema>;
