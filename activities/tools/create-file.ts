import { z } from 'zod';
import { Failure } from '../../domain/failures.ts';
import { effectTool, type ToolContext } from './contract.ts';
import { type Before, guarded, holdToApproved, performIntent, previewOf, stageChange } from './file-changes.ts';
import { BUILT_IN_TEMPLATES, fillTemplate, templateText } from './file-templates.ts';

interface Input {
  path: string;
  content: string;
  template?: string | undefined;
}

async function proposed(input: Input, context: ToolContext): Promise<{ before: Before; text: string }> {
  const at = await guarded(context, 'create', input.path);
  if ((await context.files.hash(at)) !== null) throw new Failure('file_exists', `There is a file ${at} already.`);
  const template = input.template === undefined ? null : await templateText(input.template, context);
  const text = template === null ? input.content : fillTemplate(template, at, input.content);
  return { before: { at, text: '', hash: null }, text };
}

export const createFileTool = effectTool({
  name: 'create_file',
  description: `Make a new file of the notebook; fails where there is one. A template is a file in /templates or /.templates of the notebook, by its name, or one of ${Object.keys(BUILT_IN_TEMPLATES).join(', ')}; {{title}} in it becomes the name of the file, {{content}} the content (which otherwise follows at the end). A person may have to allow it.`,
  aliases: [],
  argument_aliases: { file_path: 'path' },
  operation: 'create',
  input: z.strictObject({
    path: z.string().min(1).describe('Path from the notebook root'),
    content: z.string().default('').describe('The content, whole; empty unless given'),
    template: z.string().min(1).max(100).optional().describe('Name of a template'),
  }),
  target: ({ path }) => path,
  async preview(input, context) {
    const { before, text } = await proposed(input, context);
    return previewOf(before, text);
  },
  async prepare(input, context, key, approved) {
    const { before, text } = await proposed(input, context);
    holdToApproved(before, approved);
    // The template may have changed since, and with it what would be made.
    if (approved && approved.preview !== previewOf(before, text).preview) {
      throw new Failure('file_changed', `What ${before.at} is to be made from has changed since it was shown.`);
    }
    return stageChange(context.files, before, text, key);
  },
  perform: performIntent,
});
