import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../../../domain/failures.ts';
import { readTestReport, testCommandFor } from '../../../domain/test-report.ts';
import type { OutsideContext } from '../contract.ts';
import { commandText, inShell, SHARED_INPUT, workingFolder } from './command-input.ts';
import { commandTool } from './command-tool.ts';
import { runCommand } from './run-command.ts';

const input = z.strictObject({
  command: commandText.optional().describe('How to run the tests; found out from the project without it'),
  ...SHARED_INPUT,
});

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

export const testTool = commandTool({
  name: 'test',
  description:
    'Runs the tests and tells how many passed, failed and were skipped, with the names of those that failed (vitest, jest, node --test, pytest, unittest, go test, cargo test, JUnit XML, TAP); of other runners the exit code.',
  input,
  wanted: async ({ command, ...rest }, context) => {
    const found = command ?? (await commandOf(rest.cwd, context));
    return { operation: 'test', argv: inShell(found), ...rest };
  },
  async act(wanted, context) {
    const { outcome, report, told } = await runCommand(wanted, context, readTestReport);
    const passed = outcome.exit_code === 0 && (report?.failed ?? 0) === 0;
    return { passed, tests: report, ...told };
  },
});
