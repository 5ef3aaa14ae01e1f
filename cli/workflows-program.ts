import { type Command, Option } from 'commander';
import { later } from './later.ts';

const HELP = `
A workflow is named by its name or its id.

Examples:
  longhaul workflows                                 those there are
  longhaul workflows import report.workflow.yaml     made, or changed where one of its name is there
  longhaul workflows run "Weekly report" --input '{"topic": "pears"}'
  longhaul resume run_… --from-step publish          from the step that failed
  longhaul fork run_… --from-step publish            another way, from any step of an ended run
`;

const WHICH = 'its name or id';
const json = (what: string) => new Option('--json', what);

/** `longhaul workflows …`: the list by itself, and everything that is done with one workflow. */
export function addWorkflowsCommands(program: Command): void {
  const workflows = program
    .command('workflows')
    .description('workflows: list, show, run, export, import')
    .addOption(json('print every workflow as a JSON object on a line of its own'))
    .addHelpText('after', HELP)
    .action(later(async () => (await import('./workflows.ts')).workflowsCommand));
  workflows
    .command('show')
    .description('show one workflow, step by step')
    .argument('<workflow>', WHICH)
    .addOption(json('print one JSON object'))
    .action(async (wanted, _options, command: Command) =>
      (await import('./workflows.ts')).workflowShowCommand(wanted, command.optsWithGlobals()),
    );
  workflows
    .command('run')
    .description('run a workflow, and watch its steps')
    .argument('<workflow>', WHICH)
    .option('-i, --input <json>', 'what its steps see as input, as JSON or in words (an empty object)')
    .option('-n, --notebook <name>', 'notebook whose files it works on, by name or id (the first folder)')
    .option('-d, --detach', 'start it and leave at once')
    .addOption(json('print every event as a JSON object on a line of its own, and the run as the last one'))
    .action(async (wanted, _options, command: Command) =>
      (await import('./workflows.ts')).workflowRunCommand(wanted, command.optsWithGlobals()),
    );
  workflows
    .command('export')
    .description('print a workflow as a YAML file')
    .argument('<workflow>', WHICH)
    .option('-o, --output <file>', 'write it to this file')
    .action(later(async () => (await import('./workflows.ts')).workflowExportCommand));
  workflows
    .command('import')
    .description('make a workflow of a YAML file; one of the same name gets a new version')
    .argument('<file>', 'the file; - reads it from the standard input')
    .option('-w, --workspace <name>', 'workspace it goes to, by name or id (the first one you may write in)')
    .addOption(json('print the workflow as one JSON object'))
    .action(async (file, _options, command: Command) =>
      (await import('./workflows.ts')).workflowImportCommand(file, command.optsWithGlobals()),
    );
}
