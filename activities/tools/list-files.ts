import { z } from 'zod';
import { GLOB_RULE, globMatcher, isTameGlob } from '../../domain/glob.ts';
import { readTool } from './contract.ts';

const MAX_FILES = 1000;

export const listFilesTool = readTool({
  name: 'list_files',
  description: 'List the files below a folder of the notebook, optionally only those that match a glob pattern.',
  aliases: [],
  argument_aliases: { prefix: 'path', glob: 'pattern' },
  operation: 'read',
  input: z.strictObject({
    path: z.string().default('/').describe('Folder, from the notebook root'),
    pattern: z.string().max(500).refine(isTameGlob, GLOB_RULE).optional().describe('Glob, such as **/*.md'),
  }),
  async run({ path, pattern }, { files, guardFolder, may }) {
    const folder = await files.actual(path);
    guardFolder(folder);
    const all = await files.list(folder, 50_000);
    const matches = pattern ? globMatcher(pattern.startsWith('/') ? pattern : `/${pattern}`) : () => true;
    const loose = pattern && !pattern.includes('/') ? globMatcher(pattern) : null;
    const seen = all.filter(
      (file) => may('read', file) && (matches(file) || loose?.(file.slice(file.lastIndexOf('/') + 1))),
    );
    return {
      files: seen.slice(0, MAX_FILES),
      total: seen.length,
      ...(seen.length > MAX_FILES ? { truncated: true } : {}),
    };
  },
});
