import { z } from 'zod';
import { GLOB_RULE, isTameGlob } from '../../domain/glob.ts';
import { searchedFiles, searchText } from '../../files/search.ts';
import { readTool } from './contract.ts';

export const searchProjectTool = readTool({
  name: 'search_project',
  description: 'Search the text of all files of the notebook; gives paths, line numbers and snippets.',
  aliases: ['search_content'],
  argument_aliases: { pattern: 'glob' },
  operation: 'read',
  input: z.strictObject({
    query: z.string().min(1).max(1000),
    glob: z.string().max(500).refine(isTameGlob, GLOB_RULE).optional(),
    limit: z.int().min(1).max(50).default(20),
  }),
  async run({ query, glob, limit }, { files, guard, may, signal }) {
    guard('read', null);
    const paths = await searchedFiles(files, { glob, sees: (path) => may('read', path) });
    const results: { file_path: string; start_line: number; end_line: number; snippet: string }[] = [];
    for await (const { path, start_line, end_line, snippet } of searchText(files, paths, { query, signal })) {
      results.push({ file_path: path, start_line, end_line, snippet });
      if (results.length >= limit) break;
    }
    return { results, ...(results.length >= limit ? { limited: true } : {}) };
  },
});
