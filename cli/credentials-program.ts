import { type Command, Option } from 'commander';
import { later } from './later.ts';

const HELP = `
api_key and api_base are what the agent's model is called with, before the installation's own.
On a terminal the value is asked for and not shown; in a script it is read from the standard
input. It is never an argument: those are seen by everybody on the machine and kept in histories.

Examples:
  longhaul credentials set reviewer api_key
  pass show openai | longhaul credentials set reviewer api_key
  longhaul credentials list reviewer
`;

const json = (what: string) => new Option('--json', what);

/** `longhaul credentials …` */
export function addCredentialsCommands(program: Command): void {
  const credentials = program
    .command('credentials')
    .description('keys of an agent of its own, kept sealed: list, set, remove')
    .addHelpText('after', HELP);
  credentials
    .command('list')
    .description('list their names; values are never shown')
    .argument('<agent>', 'the agent, by slug, name or id')
    .addOption(json('print every credential as a JSON object on a line of its own'))
    .action(later(async () => (await import('./credentials.ts')).credentialsListCommand));
  credentials
    .command('set')
    .description('set or replace one')
    .argument('<agent>', 'the agent, by slug, name or id')
    .argument('[key]', 'its name', 'api_key')
    .action(later(async () => (await import('./credentials.ts')).credentialsSetCommand));
  credentials
    .command('rm')
    .description('remove one')
    .argument('<agent>', 'the agent, by slug, name or id')
    .argument('<key>', 'its name')
    .action(later(async () => (await import('./credentials.ts')).credentialsRemoveCommand));
}
