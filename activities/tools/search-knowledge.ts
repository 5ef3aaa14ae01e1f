import { z } from 'zod';
import { searchForRun } from '../../store/knowledge-search.ts';
import { lookupTool } from './contract.ts';

export const searchKnowledgeTool = lookupTool({
  name: 'search_knowledge',
  description: 'Search the uploaded documents of the workspace; gives the best passages with source, lines and score.',
  aliases: [],
  argument_aliases: { q: 'query' },
  offered: ({ knowledge_sources }) => knowledge_sources.length > 0,
  input: z.strictObject({
    query: z.string().trim().min(1).max(1000),
    limit: z.int().min(1).max(50).default(10),
  }),
  async look({ query, limit }, { agent, org_id, workspace_id, meaningOf }) {
    const sources = agent.knowledge_sources;
    const found = await searchForRun({ org_id, workspace_id }, sources, query, limit, () => meaningOf(query));
    return { ...found, ...(found.results.length === limit ? { limited: true } : {}) };
  },
});
