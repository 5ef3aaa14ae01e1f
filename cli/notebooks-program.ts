import { type Command, Option } from 'commander';
import { filesCatCommand, filesListCommand } from './files.ts';
import { notebooksAddCommand, notebooksListCommand, notebooksRemoveCommand } from './notebooks.ts';

const HELP = `
A notebook is a folder on the server, below one of its LONGHAUL_NOTEBOOK_ROOTS, or a git repository.
Removing one takes it from the lists; its files are never touched.

Examples:
  longhaul notebooks
  longhaul notebooks add /srv/letters --name Letters
  longhaul notebooks add git@example.org:team/handbook.git --branch main
  longhaul notebooks rm Letters
`;

const json = (what: string) => new Option('--json', what);

/** `longhaul notebooks …` and `longhaul files …` */
export function addNotebooksCommands(program: Command): void {
  const notebooks = program
    .command('notebooks')
    .description('notebooks, the files that runs work on: list, add, remove')
    .addHelpText('after', HELP);
  notebooks
    .command('list', { isDefault: true })
    .description('list the notebooks')
    .addOption(json('print every notebook as a JSON object on a line of its own'))
    .action(notebooksListCommand);
  notebooks
    .command('add')
    .description('add a folder on the server, or a git repository')
    .argument('<folder-or-address>', 'where it is')
    .option('-n, --name <name>', 'what it is called (the last part of where it is)')
    .option('-w, --workspace <name>', 'workspace it goes to, by name or id (the first one you administer)')
    .option('-b, --branch <name>', 'branch of a git repository to show (its default one)')
    .action(notebooksAddCommand);
  notebooks
    .command('rm')
    .description('take a notebook from the lists; its files stay')
    .argument('<notebook>', 'its id or name')
    .action(notebooksRemoveCommand);

  const files = program.command('files').description('files of a notebook: list a folder, print a file');
  files
    .command('ls')
    .description('list a folder')
    .argument('<notebook>', 'its id or name')
    .argument('[path]', 'folder, from the root of the notebook')
    .addOption(json('print every entry as a JSON object on a line of its own'))
    .action(filesListCommand);
  files
    .command('cat')
    .description('print a text file')
    .argument('<notebook>', 'its id or name')
    .argument('<path>', 'file, from the root of the notebook')
    .action(filesCatCommand);
}
