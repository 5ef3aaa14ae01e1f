import { type Command, Option } from 'commander';
import { later } from './later.ts';

const HELP = `
A workspace has agents, notebooks and members of its own. The owner of the organization makes them.

Examples:
  longhaul workspaces
  longhaul workspaces add Research
  longhaul workspaces rename Research "Field research"
`;

/** `longhaul workspaces …` */
export function addWorkspacesCommands(program: Command): void {
  const workspaces = program
    .command('workspaces')
    .description('workspaces: list, add, rename')
    .addHelpText('after', HELP);
  workspaces
    .command('list', { isDefault: true })
    .description('list the workspaces you are a member of')
    .addOption(new Option('--json', 'print every workspace as a JSON object on a line of its own'))
    .action(later(async () => (await import('./workspaces.ts')).workspacesListCommand));
  workspaces
    .command('add')
    .description('make a workspace')
    .argument('<name>', 'what it is called')
    .action(later(async () => (await import('./workspaces.ts')).workspacesAddCommand));
  workspaces
    .command('rename')
    .description('give a workspace another name')
    .argument('<workspace>', 'its id or name')
    .argument('<name>', 'what it is to be called')
    .action(later(async () => (await import('./workspaces.ts')).workspacesRenameCommand));
}
