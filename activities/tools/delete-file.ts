import { z } from 'zod';
import { isFailure } from '../../domain/failures.ts';
import { effectTool } from './contract.ts';
import { existing, guarded, holdToApproved, performIntent, previewOf } from './file-changes.ts';

export const deleteFileTool = effectTool({
  name: 'delete_file',
  description: 'Delete a file of the notebook. A person may have to allow it.',
  aliases: [],
  argument_aliases: { file_path: 'path' },
  operation: 'delete',
  input: z.strictObject({ path: z.string().min(1).describe('Path from the notebook root') }),
  target: ({ path }) => path,
  async preview({ path }, context) {
    const at = await guarded(context, 'delete', path);
    try {
      return previewOf(await existing(context.files, at), null);
    } catch (error) {
      if (!isFailure(error) || error.code !== 'not_a_text_file') throw error;
      const base_hash = await context.files.hash(at);
      const { size } = await context.files.entry(at);
      return { path: at, preview: `Deletes ${at}, which is no text: ${size} bytes, ${base_hash}.`, base_hash };
    }
  },
  async prepare({ path }, context, key, approved) {
    const at = await guarded(context, 'delete', path);
    holdToApproved({ at, text: '', hash: await context.files.hash(at) }, approved);
    return { effect: 'remove', ...(await context.files.stageRemoval(at, key)) };
  },
  perform: performIntent,
});
