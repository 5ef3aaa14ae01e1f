import { type Command, Option } from 'commander';
import type { Kept } from './definitions.ts';
import { later } from './later.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const json = (what: string) => new Option('--json', what);

const TOOLS: Kept = {
  noun: 'tool',
  calls: (client) => client.tools,
  columns: ['LEADS TO'],
  row: ({ entrypoint }) => [text(entrypoint)],
};
const INTEGRATIONS: Kept = {
  noun: 'integration',
  calls: (client) => client.integrations,
  columns: ['ADDRESS'],
  row: ({ base_url }) => [text(base_url)],
};

function addKept(program: Command, name: string, kept: Kept, example: string): Command {
  const command = program
    .command(name)
    .description(`${name}: list, show, apply (a file), delete`)
    .addOption(json(`print every ${kept.noun} as a JSON object on a line of its own`))
    .addHelpText('after', `\nExamples:\n${example}`)
    .action(later(async () => (await import('./definitions.ts')).listCommand(kept)));
  command
    .command('show')
    .description(`print one ${kept.noun} as JSON`)
    .argument(`<${kept.noun}>`, 'its name or id')
    .action(later(async () => (await import('./definitions.ts')).showCommand(kept)));
  command
    .command('apply')
    .description(`make a ${kept.noun} of a YAML or JSON file, or a new version where there is one of that name`)
    .argument('<file>', 'the file; - reads it from the standard input')
    .option('-w, --workspace <name>', 'workspace it goes to, by name or id (the first one you may write in)')
    .addOption(json('print it as one JSON object'))
    .action(async (file, _options, at: Command) =>
      (await import('./definitions.ts')).applyCommand(kept)(file, at.optsWithGlobals()),
    );
  command
    .command('delete')
    .description(`delete a ${kept.noun} that nothing active uses`)
    .argument(`<${kept.noun}>`, 'its name or id')
    .action(later(async () => (await import('./definitions.ts')).deleteCommand(kept)));
  return command;
}

/** `longhaul tools …`, `longhaul integrations …`, `longhaul versions …` */
export function addDefinitionsCommands(program: Command): void {
  addKept(
    program,
    'tools',
    TOOLS,
    '  longhaul tools                        those that agents can be given\n  longhaul tools apply close-ticket.yaml\n',
  );
  addKept(
    program,
    'integrations',
    INTEGRATIONS,
    '  longhaul integrations apply tickets.yaml\n  pass show tickets | longhaul integrations credential tickets token\n',
  )
    .command('credential')
    .description('set or replace a credential; its value is asked for, or read from the standard input')
    .argument('<integration>', 'its name or id')
    .argument('<key>', 'its name')
    .action(later(async () => (await import('./definitions.ts')).credentialCommand(INTEGRATIONS)));

  const versions = program
    .command('versions')
    .description('versions of an agent, tool, workflow, evaluator or integration: list, diff, rollback')
    .argument('[id]', 'the id of the definition')
    .addOption(json('print every version as a JSON object on a line of its own'))
    .action(later(async () => (await import('./versions.ts')).versionsCommand));
  versions
    .command('diff')
    .description('what changed from one version to another')
    .argument('<id>', 'the id of the definition')
    .argument('<from>', 'a version')
    .argument('<to>', 'another one')
    .addOption(json('print one JSON object'))
    .action(async (id, from, to, _options, at: Command) =>
      (await import('./versions.ts')).versionDiffCommand(id, from, to, at.optsWithGlobals()),
    );
  versions
    .command('rollback')
    .description('make a new version that is like an old one')
    .argument('<id>', 'the id of the definition')
    .argument('<version>', 'the old one')
    .action(later(async () => (await import('./versions.ts')).versionRollbackCommand));
}
