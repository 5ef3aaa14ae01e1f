import { z } from 'zod';
import { askTool } from './contract.ts';

export const clarifyUserTool = askTool({
  name: 'clarify_user',
  description:
    'Ask the user one question and wait for the answer. Use it when the task cannot be done well without it.',
  aliases: [],
  argument_aliases: {},
  input: z.strictObject({ question: z.string().min(1).max(10_000) }),
  question: ({ question }) => question,
});
