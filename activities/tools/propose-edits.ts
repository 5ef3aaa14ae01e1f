import { z } from 'zod';
import { EDIT_OPERATIONS } from '../../domain/edits/edit.ts';
import { PROPOSE_EDITS } from '../../domain/edits/job-rules.ts';
import { mayAnywhere } from '../../domain/scope.ts';
import { proposeTool } from './contract.ts';

const line = z.int().min(1);

const editInput = z
  .strictObject({
    edit_id: z.string().min(1).max(200).optional(),
    file_path: z.string().min(1).max(2048).describe('Path from the notebook root'),
    operation: z.enum(EDIT_OPERATIONS),
    start_line: line.describe('First line, from 1; an insert goes before it (one past the last line: at the end)'),
    end_line: line.optional().describe('Last line, included; not for an insert'),
    new_text: z.string().default('').describe('Whole lines; empty for a delete'),
    expected_text: z.string().optional().describe('The lines that are there now, word for word; or else expected_hash'),
    expected_hash: z
      .string()
      .max(100)
      .optional()
      .describe(
        'sha256:… over the bytes of those lines with their ends; for an insert, of the line at start_line. One that does not fit stops the job until a person lets it go on: rather quote the lines',
      ),
    rationale: z.string().max(10_000).optional().describe('Why, in a few words, for the reviewer'),
  })
  .refine(
    ({ expected_hash, expected_text, operation }) =>
      operation === 'insert' || (expected_hash ?? expected_text) !== undefined,
    {
      message: 'give expected_text or expected_hash',
      path: ['expected_text'],
    },
  );
export type EditInput = z.infer<typeof editInput>;

export const proposeEditsTool = proposeTool({
  name: PROPOSE_EDITS,
  description: [
    'Propose edits to files of the notebook, all of them in one call. A person reviews each and applies what is accepted;',
    'nothing is written before. Edits name lines of the files as they are now and must not overlap. To make a new file,',
    'insert at line 1 of a path that does not exist. Keep edits focused: each becomes a decision for the reviewer.',
  ].join(' '),
  aliases: [],
  argument_aliases: {},
  // Never by the way: only an agent that is given it, as every job of /api/agent is.
  offered: (agent, notebook) =>
    notebook !== null &&
    agent.system_tools?.includes(PROPOSE_EDITS) === true &&
    (mayAnywhere(agent, 'write') || mayAnywhere(agent, 'create')),
  input: z.strictObject({ edits: z.array(editInput).min(1).max(10_000) }),
});
