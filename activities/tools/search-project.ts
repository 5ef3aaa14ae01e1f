import { z } from 'zod';
import { EDIT_LIMITS } from '../../domain/edits/limits.ts';
import { GLOB_RULE, isTameGlob } from '../../domain/glob.ts';
import { filesWithText, searchText } from '../../files/search.ts';
import { readTool } from './contract.ts';

export const searchProjectTool = readTool({
  name: 'search_project',
  description:
    'Search the text of all files of the notebook, but hidden ones and those that .gitignore or .ignore name; gives paths, line numbers and snippets.',
  aliases: ['search_content'],
  argument_aliases: { pattern: 'glob' },
  operation: 'read',
  input: z.strictObject({
    query: z.string().min(1).max(1000),
    glob: z.string().max(500).refine(isTameGlob, GLOB_RULE).optional(),
    limit: z.int().min(1).max(1000).optional().describe('Hits at most; 20 unless given, and never more than 50'),
  }),
  async run({ query, glob, limit: wanted }, { files, guard, may, signal, limits = EDIT_LIMITS }) {
    const limit = Math.min(wanted ?? limits.max_search_results_default, limits.max_search_results_cap);
    const search = { query, signal, snippetLines: limits.max_search_snippet_lines };
    guard('read', null);
    const paths = await filesWithText(files, { query, glob, sees: (path) => may('read', path), signal });
    const results: { file_path: string; start_line: number; end_line: number; snippet: string }[] = [];
    for await (const { path, start_line, end_line, snippet } of searchText(files, paths, search)) {
      results.push({ file_path: path, start_line, end_line, snippet });
      if (results.length >= limit) break;
    }
    return { results, ...(results.length >= limit ? { limited: true } : {}) };
  },
});
