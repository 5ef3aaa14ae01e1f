import { z } from 'zod';
import { outsideTool } from '../contract.ts';
import { argument, commandText, inShell, mayCommand, SHARED_INPUT } from './command-input.ts';
import { previewCommand, runCommand, type Wanted } from './run-command.ts';

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

const wantedOf = ({ command, argv, ...rest }: z.infer<typeof input>): Wanted => ({
  operation: 'run',
  argv: argv ?? inShell(command ?? ''),
  ...rest,
});

export const runTool = outsideTool({
  name: 'run',
  description:
    'Runs a command in the root of the files, which is the only place it can write to; /tmp is its own and gone afterwards. Its exit code, output and time are told, whether it succeeds or not.',
  aliases: [],
  argument_aliases: { cmd: 'command', timeout: 'timeout_s', working_directory: 'cwd' },
  operation: 'execute',
  offered: mayCommand,
  effect: true,
  idempotent: false,
  input,
  preview: (given, context) => previewCommand(wantedOf(given), context),
  act: async (given, context) => (await runCommand(wantedOf(given), context)).told,
});
