import { type Command, Option } from 'commander';
import { later } from './later.ts';

const HELP = `
A notebook is a folder on the server, below one of its LONGHAUL_NOTEBOOK_ROOTS, or a git repository.
Removing one takes it from the lists; its files are never touched.

Examples:
  longhaul notebooks
  longhaul notebooks add /srv/letters --name Letters
  longhaul notebooks add git@example.org:team/handbook.git --branch main
  longhaul notebooks setup Handbook "npm ci" --network
  longhaul notebooks access handbook token
  longhaul notebooks access handbook ssh_key < deploy-key
  longhaul notebooks rm Letters
`;

const json = (what: string) => new Option('--json', what);

/** `longhaul notebooks …` and `longhaul files …` */
export function addNotebooksCommands(program: Command): void {
  const notebooks = program
    .command('notebooks')
    .description('notebooks, the files that runs work on: list, add, let in, remove')
    .addHelpText('after', HELP);
  notebooks
    .command('list', { isDefault: true })
    .description('list the notebooks')
    .addOption(json('print every notebook as a JSON object on a line of its own'))
    .action(later(async () => (await import('./notebooks.ts')).notebooksListCommand));
  notebooks
    .command('add')
    .description('add a folder on the server, or a git repository')
    .argument('<folder-or-address>', 'where it is')
    .option('-n, --name <name>', 'what it is called (the last part of where it is)')
    .option('-w, --workspace <name>', 'workspace it goes to, by name or id (the first one you administer)')
    .option('-b, --branch <name>', 'branch of a git repository to show (its default one)')
    .action(later(async () => (await import('./notebooks.ts')).notebooksAddCommand));
  notebooks
    .command('setup')
    .description('what is run before the first command of an agent: show it, or set it')
    .argument('<notebook>', 'its id or name')
    .argument('[commands...]', 'each in quotes, in their order')
    .option('--network', 'they may reach public addresses')
    .option('--no-network', 'they may not')
    .option('--clear', 'nothing is run before')
    .action(later(async () => (await import('./notebooks.ts')).notebooksSetupCommand));
  notebooks
    .command('access')
    .description('what a git notebook shows its remote, kept sealed: list names, set, remove')
    .argument('<notebook>', 'its id or name')
    .argument('[key]', 'token and username (https), or ssh_key; without it their names are listed')
    .option('--remove', 'remove it')
    .action(later(async () => (await import('./notebooks.ts')).notebooksAccessCommand));
  notebooks
    .command('rm')
    .description('take a notebook from the lists; its files stay')
    .argument('<notebook>', 'its id or name')
    .action(later(async () => (await import('./notebooks.ts')).notebooksRemoveCommand));

  const files = program.command('files').description('files of a notebook: list a folder, print a file');
  files
    .command('ls')
    .description('list a folder')
    .argument('<notebook>', 'its id or name')
    .argument('[path]', 'folder, from the root of the notebook')
    .addOption(json('print every entry as a JSON object on a line of its own'))
    .action(later(async () => (await import('./files.ts')).filesListCommand));
  files
    .command('cat')
    .description('print a text file')
    .argument('<notebook>', 'its id or name')
    .argument('<path>', 'file, from the root of the notebook')
    .action(later(async () => (await import('./files.ts')).filesCatCommand));
}
