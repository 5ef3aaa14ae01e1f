import { z } from 'zod';
import { EDIT_LIMITS } from '../../domain/edits/limits.ts';
import { readTool } from './contract.ts';
import { guarded } from './file-changes.ts';

const MAX_BYTES = 65_536;
const MAX_LINES = 800;

export const readFileTool = readTool({
  name: 'read_file',
  description: `Read a text file of the notebook, or a range of its lines (at most ${MAX_LINES} lines or ${MAX_BYTES} bytes at a time).`,
  aliases: [],
  argument_aliases: { file_path: 'path' },
  operation: 'read',
  input: z.strictObject({
    path: z.string().min(1).describe('Path from the notebook root'),
    start_line: z.int().min(1).optional(),
    end_line: z.int().min(1).optional(),
    // What is more than is given at a time is cut to that, which an operator may have set otherwise.
    max_bytes: z.int().min(1).max(1_048_576).optional(),
  }),
  async run({ path, start_line = 1, end_line, max_bytes: wanted }, context) {
    const { max_read_bytes_default, max_read_lines_default } = context.limits ?? EDIT_LIMITS;
    const max_bytes = Math.min(wanted ?? max_read_bytes_default, max_read_bytes_default);
    const file = await context.files.read(await guarded(context, 'read', path));
    const lines = file.text.split(/(?<=\n)/);
    const last = Math.min(end_line ?? lines.length, start_line + max_read_lines_default - 1, lines.length);
    let content = '';
    let shown = start_line - 1;
    for (; shown < last; shown++) {
      const next = content + (lines[shown] ?? '');
      if (Buffer.byteLength(next) > max_bytes) break;
      content = next;
    }
    // One line longer than the limit: give what fits, in whole characters, rather than nothing.
    const tooLong = content === '' && shown < last ? lines[shown] : undefined;
    if (tooLong) {
      content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(tooLong).subarray(0, max_bytes), {
        stream: true,
      });
      shown += 1;
    }
    const isMore = shown < Math.min(end_line ?? lines.length, lines.length);
    return {
      path: file.path,
      content,
      start_line,
      end_line: shown,
      total_lines: lines.length,
      hash: file.hash,
      ...(isMore || tooLong ? { truncated: true } : {}),
      ...(isMore ? { read_on: `start_line ${shown + 1}` } : {}),
    };
  },
});
