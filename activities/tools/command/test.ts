import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../../../domain/failures.ts';
import { readTestReport, testCommandFor } from '../../../domain/test-report.ts';
import { type OutsideContext, outsideTool } from '../contract.ts';
import { commandText, inShell, mayCommand, SHARED_INPUT, workingFolder } from './command-input.ts';
import { previewCommand, runCommand, type Wanted } from './run-command.ts';

const input = z.strictObject({
  command: commandText.optional().describe('How to run the tests; found out from the project without it'),
  ...SHARED_INPUT,
});

async function wantedOf({ command, ...rest }: z.infer<typeof input>, context: OutsideContext): Promise<Wanted> {
  const found = command ?? (await commandOf(rest.cwd, context));
  return { operation: 'test', argv: inShell(found), ...rest };
}

async function commandOf(cwd: string | undefined, context: OutsideContext): Promise<string> {
  const notebook = await context.notebook();
  const below = await workingFolder(cwd, notebook);
  const folder = join(notebook.files.root, below);
  // As every file of the notebook: not through a link that leads out, and never waiting for a pipe.
  const packageJson = await notebook.files.read(join('/', below, 'package.json')).then(
    ({ text }) => text,
    () => null,
  );
  const found = testCommandFor({ has: (name) => existsSync(join(folder, name)), packageJson });
  if (found !== null) return found;
  throw new Failure('invalid_arguments', 'Nothing here says how the tests are run: give the command.');
}

export const testTool = outsideTool({
  name: 'test',
  description:
    'Runs the tests and tells how many passed, failed and were skipped, with the names of those that failed (vitest, jest, node --test, pytest, unittest, go test, cargo test, JUnit XML, TAP); of other runners the exit code.',
  aliases: [],
  argument_aliases: { cmd: 'command', timeout: 'timeout_s', working_directory: 'cwd' },
  operation: 'execute',
  offered: mayCommand,
  effect: true,
  idempotent: false,
  input,
  preview: async (given, context) => previewCommand(await wantedOf(given, context), context),
  async act(given, context) {
    const { outcome, report, told } = await runCommand(await wantedOf(given, context), context, readTestReport);
    const passed = outcome.exit_code === 0 && (report?.failed ?? 0) === 0;
    return { passed, tests: report, ...told };
  },
});
