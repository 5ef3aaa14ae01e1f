import { z } from 'zod';
import { isFailure } from '../../domain/failures.ts';
import { GLOB_RULE, globMatcher, isTameGlob } from '../../domain/glob.ts';
import { readTool } from './contract.ts';

const SNIPPET_LINES = 20;
const CONTEXT = 2;

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
    const matches = glob ? globMatcher(glob.startsWith('/') ? glob : `/${glob}`) : () => true;
    const wanted = query.toLowerCase();
    const results: { file_path: string; start_line: number; end_line: number; snippet: string }[] = [];
    for (const path of await files.list('/', 50_000)) {
      if (results.length >= limit) break;
      signal.throwIfAborted();
      if (!may('read', path) || !matches(path)) continue;
      const file = await files.read(path).catch((error: unknown) => {
        // What is no text, or went away since it was listed, holds no match.
        if (isFailure(error)) return null;
        throw error;
      });
      if (!file?.text.toLowerCase().includes(wanted)) continue;
      const lines = file.text.split('\n');
      for (let i = 0; i < lines.length && results.length < limit; i++) {
        if (!lines[i]?.toLowerCase().includes(wanted)) continue;
        const from = Math.max(0, i - CONTEXT);
        const to = Math.min(lines.length, i + CONTEXT + 1, from + SNIPPET_LINES);
        results.push({
          file_path: path,
          start_line: from + 1,
          end_line: to,
          snippet: lines.slice(from, to).join('\n'),
        });
        i = to - 1;
      }
    }
    return { results, ...(results.length >= limit ? { limited: true } : {}) };
  },
});
