import { z } from 'zod';
import { withProperties } from '../../domain/frontmatter.ts';
import { mayAnywhere } from '../../domain/scope.ts';
import { effectTool, type ToolContext } from './contract.ts';
import { type Before, existing, holdToApproved, performIntent, previewOf, stageChange } from './file-changes.ts';

interface Input {
  path: string;
  content: string;
  properties?: Record<string, unknown> | undefined;
}

const wanted = ({ content, properties }: Input): string => (properties ? withProperties(content, properties) : content);

async function current({ path }: Input, { files, guard, may }: ToolContext): Promise<Before> {
  const at = await files.actual(path);
  // Who may do neither is not told by the refusal whether there is such a file.
  if (!may('create', at)) guard('write', at);
  const exists = (await files.hash(at)) !== null;
  guard(exists ? 'write' : 'create', at);
  return exists ? existing(files, at) : { at, text: '', hash: null };
}

export const writeFileTool = effectTool({
  name: 'write_file',
  description:
    'Write the whole content of a file of the notebook; makes it where it does not exist. A person may have to allow it.',
  aliases: [],
  argument_aliases: { file_path: 'path' },
  operation: 'write',
  // It also makes files, so either right is a reason to offer it; the guard decides each call.
  offered: (agent, notebook) => notebook !== null && (mayAnywhere(agent, 'write') || mayAnywhere(agent, 'create')),
  input: z.strictObject({
    path: z.string().min(1).describe('Path from the notebook root'),
    content: z.string().describe('The new content, whole'),
    properties: z.looseObject({}).optional().describe('Frontmatter to set in the content; null removes a property'),
  }),
  target: ({ path }) => path,
  async preview(input, context) {
    return previewOf(await current(input, context), wanted(input));
  },
  async prepare(input, context, key, approved) {
    const before = await current(input, context);
    holdToApproved(before, approved, wanted(input));
    return stageChange(context.files, before, wanted(input), key);
  },
  perform: performIntent,
});
