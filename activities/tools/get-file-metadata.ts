import { z } from 'zod';
import { isFailure } from '../../domain/failures.ts';
import { propertiesOf } from '../../domain/frontmatter.ts';
import { readTool } from './contract.ts';
import { guarded } from './file-changes.ts';

export const getFileMetadataTool = readTool({
  name: 'get_file_metadata',
  description:
    'What is known of a file of the notebook without its text: size, time of the last change, number of lines, hash, frontmatter.',
  aliases: [],
  argument_aliases: { file_path: 'path' },
  operation: 'read',
  input: z.strictObject({ path: z.string().min(1).describe('Path from the notebook root') }),
  async run({ path }, context) {
    const at = await guarded(context, 'read', path);
    const entry = await context.files.entry(at);
    if (entry.type === 'folder') return entry;
    const file = await context.files.read(at).catch((error: unknown) => {
      if (isFailure(error) && error.code === 'not_a_text_file') return null;
      throw error;
    });
    if (!file) return { ...entry, is_text: false };
    const { text, hash } = file;
    return { ...entry, is_text: true, lines: text.split(/(?<=\n)/).length, hash, properties: propertiesOf(text) };
  },
});
