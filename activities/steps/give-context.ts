import { ROW_BYTES, ROWS_BYTES } from '../../domain/context-row.ts';
import type { Fact } from '../../domain/facts.ts';
import { Failure } from '../../domain/failures.ts';
import type { ContextRow } from '../../domain/session.ts';
import { losesAttempt } from '../lost-attempt.ts';
import type { Segment } from '../segment.ts';
import { readFileTool } from '../tools/read-file.ts';
import { told } from './call-outcome.ts';
import { needNotebook } from './effect-once.ts';

type ContextRead = Extract<Fact, { kind: 'context_read' }>;
type Read = Pick<ContextRead, 'text' | 'cut_at'>;

/** What of a read's result is of use here; tools are known by what they give. */
interface FileRead {
  content: string;
  end_line: number;
  truncated?: true;
}

/** Through the agent's own tool: what it may not read itself is not read for it. */
async function readRow(segment: Segment, { path, start_line, end_line }: ContextRow, max: number): Promise<Read> {
  if (max <= 0) {
    throw new Failure('too_large', `There is no room left for ${path} among what is pinned; read it with read_file.`);
  }
  if (!('run' in readFileTool)) throw new Error('read_file reads no files');
  const input = readFileTool.input.parse({ path, start_line, end_line, max_bytes: Math.min(max, ROW_BYTES) });
  const read = (await readFileTool.run(input, await needNotebook(segment.tools))) as FileRead;
  return { text: read.content, cut_at: read.truncated ? read.end_line : null };
}

async function giveRow(segment: Segment, turn: number, row: ContextRow, max: number): Promise<ContextRead> {
  const begun = Date.now();
  const given = { kind: 'context_read', turn, row } as const;
  try {
    const read = await readRow(segment, row, max);
    return { ...given, ...read, error: null, was_allowed: true, duration_ms: Date.now() - begun };
  } catch (failure) {
    if (losesAttempt(failure)) throw failure;
    const error = told(failure);
    const was_allowed = error.code !== 'scope_violation';
    return { ...given, text: null, cut_at: null, error, was_allowed, duration_ms: Date.now() - begun };
  }
}

/**
 * Puts before the agent what the user has pinned, once for each run. It goes to the log with the first model call, so
 * whoever comes after a crash sends the same; what was never sent is read anew.
 */
export async function giveContext(segment: Segment): Promise<void> {
  const { run, log } = segment;
  const own = log.state.turns.length - (log.state.inherited?.turns ?? 0);
  if (run.context_rows.length === 0 || log.state.context_rows > 0 || own > 0 || log.state.ended) return;
  const turn = log.state.turns.length + 1;
  const given: ContextRead[] = [];
  let left = ROWS_BYTES;
  for (const row of run.context_rows) {
    const read = await giveRow(segment, turn, row, left);
    left -= Buffer.byteLength(read.text ?? '');
    given.push(read);
  }
  log.stage(given);
}
