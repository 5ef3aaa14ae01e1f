import { createTwoFilesPatch } from 'diff';
import { z } from 'zod';
import { Failure } from '../../domain/failures.ts';
import { notebookPath } from '../../domain/scope.ts';
import { contentHash } from '../../files/notebook-files.ts';
import { effectTool, type ToolContext } from './contract.ts';

const PREVIEW_CHARS = 64_000;

async function current(path: string, { files, guard }: ToolContext): Promise<{ text: string; hash: string | null }> {
  const hash = await files.hash(path);
  guard(hash === null ? 'create' : 'write', await files.actual(path));
  return { text: hash === null ? '' : (await files.read(path)).text, hash };
}

export const writeFileTool = effectTool({
  name: 'write_file',
  description:
    'Write the whole content of a file of the notebook; makes it where it does not exist. A person may have to allow it.',
  aliases: [],
  argument_aliases: { file_path: 'path' },
  operation: 'write',
  input: z.strictObject({
    path: z.string().min(1).describe('Path from the notebook root'),
    content: z.string().describe('The new content, whole'),
  }),
  target: ({ path }) => path,
  async preview({ path, content }, context) {
    const before = await current(path, context);
    const name = notebookPath(path).slice(1);
    const patch = createTwoFilesPatch(
      before.hash === null ? '/dev/null' : `a/${name}`,
      `b/${name}`,
      before.text,
      content,
    );
    const preview =
      patch.length > PREVIEW_CHARS ? `${patch.slice(0, PREVIEW_CHARS)}\n… (${patch.length} characters)` : patch;
    return { path: notebookPath(path), preview, base_hash: before.hash };
  },
  async prepare({ path, content }, context, key, approvedBase) {
    const before = await current(path, context);
    if (approvedBase !== undefined && approvedBase !== before.hash && before.hash !== contentHash(content)) {
      throw new Failure('file_changed', `${notebookPath(path)} has changed since it was shown.`);
    }
    return { effect: 'rename', ...(await context.files.stage(path, content, key)) };
  },
  async perform(intent, { files }) {
    const landed = await files.land(intent.staged, intent.target);
    if (!landed && (await files.hash(intent.target)) !== intent.after_hash) {
      throw new Failure('interrupted', `${intent.target} is not as this call would have left it.`);
    }
    return { path: intent.target, hash: intent.after_hash, written: true };
  },
});
