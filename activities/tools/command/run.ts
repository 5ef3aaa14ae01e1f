import { z } from 'zod';
import { argument, commandText, inShell, SHARED_INPUT } from './command-input.ts';
import { commandTool } from './command-tool.ts';
import { runCommand } from './run-command.ts';

const input = z
  .strictObject({
    command: commandText.optional().describe('What to run, in a shell'),
    argv: z.array(argument).min(1).max(1000).optional().describe('Or a program and its arguments, without a shell'),
    ...SHARED_INPUT,
  })
  .refine(({ command, argv }) => (command === undefined) !== (argv === undefined), {
    message: 'give either command or argv',
    path: ['command'],
  });

export const runTool = commandTool({
  name: 'run',
  description:
    'Runs a command in the root of the files, which is the only place it can write to; /tmp is its own and gone afterwards. Its exit code, output and time are told, whether it succeeds or not.',
  input,
  wanted: ({ command, argv, ...rest }) => ({ operation: 'run', argv: argv ?? inShell(command ?? ''), ...rest }),
  act: async (wanted, context) => (await runCommand(wanted, context)).told,
});
