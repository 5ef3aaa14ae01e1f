import { type Command, Option } from 'commander';
import { later } from './later.ts';

const EDIT_HELP = `
The agent searches and reads, asks where it must, and proposes edits. Nothing is written before
you have reviewed them: on a terminal the review begins here as soon as there is something.

Examples:
  longhaul edit "rename fetchUser to loadUser everywhere"
  longhaul edit --notebook "Lab notes" "replace Lamp B with Lamp C in notes/equipment.md"
`;

const REVIEW_HELP = `
On a terminal every change is shown and asked about, as \`git add -p\` does it:
  y accept   n reject   a accept the rest of the file   d reject the rest of the file
  e edit the file by hand   s split the change   c comment   q stop here   ? help
What was decided is kept; a review can be gone on with days later, here or on the web page.

Examples:
  longhaul review                                    the only one that waits
  longhaul review run_… --accept all --apply         but what is too large is accepted by its id
  longhaul review run_… --accept h_1,h_3 --reject h_2 --apply
  longhaul review run_… --rerun "keep the headings as they are"
`;

const ROLLBACK_HELP = `
Without --hunks all files of the job are put back as they were before it, later changes included.
With --hunks only those changes are taken back, and what was changed elsewhere since stays.

Examples:
  longhaul rollback ckp_… --dry-run
  longhaul rollback ckp_… --hunks h_1,h_4 --yes
`;

const json = (what: string) => new Option('--json', what);

/** `longhaul edit`, `review`, `checkpoints` and `rollback` */
export function addEditsCommands(program: Command): void {
  program
    .command('edit')
    .description('have edits proposed across a notebook, and review them')
    .argument('<instruction...>', 'what is to be changed')
    .option('-n, --notebook <name>', 'notebook to work on, by name or id (the one used last)')
    .option('-a, --agent <id>', 'agent to use instead of the built-in editor')
    .option('-s, --session <id>', 'session of edits to go on with')
    .option('--max-tool-calls <number>', 'tool calls before it is told to propose')
    .option('-d, --detach', 'start it and leave at once')
    .addOption(json('print the job as one JSON object, once it waits or has ended'))
    .addHelpText('after', EDIT_HELP)
    .action(later(async () => (await import('./edit.ts')).editCommand));

  program
    .command('review')
    .description('review proposed edits change by change, and apply what is accepted')
    .argument('[job]', 'its id; may be left out where only one waits')
    .option('--accept <ids>', 'changes to accept, with commas between them, or all that are undecided')
    .option('--reject <ids>', 'changes to reject, with commas between them, or all that are undecided')
    .option('--apply', 'write what is accepted; everything else is left out')
    .option('--rerun [comment]', 'send the proposal back, with what is to be done otherwise')
    .addOption(json('print the job with its proposal as one JSON object'))
    .addHelpText('after', REVIEW_HELP)
    .action(later(async () => (await import('./review.ts')).reviewCommand));

  program
    .command('checkpoints')
    .description('list the states before jobs that were applied, or show one with its changes')
    .argument('[checkpoint]', 'its id')
    .option('-l, --limit <number>', 'how many, at most 100', '20')
    .addOption(json('print every checkpoint as a JSON object on a line of its own'))
    .action(later(async () => (await import('./checkpoints.ts')).checkpointsCommand));

  program
    .command('rollback')
    .description('put files back as they were before a job, or take selected changes back')
    .argument('<checkpoint>', 'its id')
    .option('--hunks <ids>', 'only these changes, with commas between them')
    .option('--dry-run', 'say what it would come to, and write nothing')
    .option('-y, --yes', 'write it without asking')
    .addOption(json('print one JSON object'))
    .addHelpText('after', ROLLBACK_HELP)
    .action(later(async () => (await import('./checkpoints.ts')).rollbackCommand));
}
