import { z } from 'zod';
import { Failure } from '../../domain/failures.ts';
import { RESULT_CHARS } from '../../domain/request-size.ts';
import { lookupTool } from './contract.ts';

/** Leaves room for what is said around the text, so that a part is never cut in its turn. */
const PART_CHARS = RESULT_CHARS - 1_000;

export const readResultTool = lookupTool({
  name: 'read_result',
  description: 'Read on in the result of an earlier tool call that was cut because it is long.',
  aliases: [],
  argument_aliases: {},
  offered: ({ can_read, can_execute_code, knowledge_sources, delegated_agents, tools, mcp_servers }, notebook) =>
    ((can_read || can_execute_code) && notebook !== null) ||
    [knowledge_sources, delegated_agents, tools, mcp_servers].some(({ length }) => length > 0),
  input: z.strictObject({
    call_id: z.string().min(1).describe('The call whose result it is'),
    offset: z.int().min(0).default(0).describe('Character to begin at'),
  }),
  async look({ call_id, offset }, { resultOf, outputOf }) {
    // Of a command the result holds beginning and end of what it said; the whole is what one reads on in.
    const text = resultOf(call_id) && ((await outputOf(call_id)) ?? resultOf(call_id));
    if (text === null) throw new Failure('invalid_arguments', `There is no finished call ${call_id} in this run.`);
    const part = text.slice(offset, offset + PART_CHARS);
    const next = offset + part.length;
    return { text: part, offset, total: text.length, next_offset: next < text.length ? next : null };
  },
});
