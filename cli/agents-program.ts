import { type Command, Option } from 'commander';
import { OPERATIONS } from '../domain/word-lists.ts';
import { later } from './later.ts';

const HELP = `
An agent is named by its slug, its name or its id.

Examples:
  longhaul agents                                    those you can use
  longhaul agents export reviewer > reviewer.agent.yaml
  longhaul agents import reviewer.agent.yaml --model gpt-4o
  longhaul agents probe reviewer write /drafts/report.md
`;

const WHICH = 'its slug, name or id';
const json = (what: string) => new Option('--json', what);

/**
 * `longhaul agents …`: the list by itself, and everything that is done to one agent. The list has `--json` as well and
 * takes it wherever it stands, so those below read it with `optsWithGlobals`.
 */
export function addAgentsCommands(program: Command): void {
  const agents = program
    .command('agents')
    .description('agents: list, show, export, import, activate, deactivate, delete, templates, probe')
    .addOption(json('print every agent as a JSON object on a line of its own'))
    .addHelpText('after', HELP)
    .action(later(async () => (await import('./agents.ts')).agentsCommand));
  agents
    .command('show')
    .description('show one agent: what it may do, where, with which limits')
    .argument('<agent>', WHICH)
    .addOption(json('print one JSON object'))
    .action(async (wanted, _options, command: Command) =>
      (await import('./agents.ts')).agentShowCommand(wanted, command.optsWithGlobals()),
    );
  agents
    .command('export')
    .description('print an agent as a YAML file, with names in place of ids and without secrets')
    .argument('<agent>', WHICH)
    .option('-o, --output <file>', 'write it to this file')
    .action(later(async () => (await import('./agent-files.ts')).agentExportCommand));
  agents
    .command('import')
    .description('make an agent of a YAML file')
    .argument('<file>', 'the file; - reads it from the standard input')
    .option('-w, --workspace <name>', 'workspace it goes to, by name or id (the first one you may write in)')
    .option('--name <name>', 'what it is called here')
    .option('--slug <slug>', 'its slug here')
    .option('-m, --model <model>', 'model it uses here')
    .option(
      '--binding <json>',
      'what else is different here (notebooks, limits, visibility …), or a file that holds it',
    )
    .addOption(json('print the agent as one JSON object'))
    .action(async (file, _options, command: Command) =>
      (await import('./agent-files.ts')).agentImportCommand(file, command.optsWithGlobals()),
    );
  agents
    .command('activate')
    .description('let an agent be started again')
    .argument('<agent>', WHICH)
    .action(later(async () => (await import('./agent-changes.ts')).agentActivateCommand));
  agents
    .command('deactivate')
    .description('keep an agent from being started; runs that are under way go on')
    .argument('<agent>', WHICH)
    .action(later(async () => (await import('./agent-changes.ts')).agentDeactivateCommand));
  agents
    .command('delete')
    .description('delete an agent that no other active agent hands work to')
    .argument('<agent>', WHICH)
    .action(later(async () => (await import('./agent-changes.ts')).agentDeleteCommand));
  agents
    .command('templates')
    .description('list the templates that a new agent can begin with')
    .addOption(json('print every template as a JSON object on a line of its own'))
    .action(async (_options, command: Command) =>
      (await import('./agent-files.ts')).agentTemplatesCommand(command.optsWithGlobals()),
    );
  agents
    .command('probe')
    .description('say whether an agent could do something to a path in a run of yours, and by which rule')
    .argument('<agent>', WHICH)
    .argument('<operation>', OPERATIONS.join(', '))
    .argument('<path>', 'from the root of the notebook')
    .option('-n, --notebook <name>', 'notebook, by name or id (the first one the agent may use)')
    .addOption(json('print one JSON object'))
    .action(async (agent, operation, path, _options, command: Command) =>
      (await import('./agent-changes.ts')).agentProbeCommand(agent, operation, path, command.optsWithGlobals()),
    );
}
