import { type Command, Option } from 'commander';
import { later } from './later.ts';

const HELP = `
Says which tools and agents the request is handed to, how sure that is, why, and what would be done.
Only what you see and have enabled in your settings is considered. Below 70 % you are asked which
one is meant; in a script nothing is asked and nothing begun, and --choose says it.

Exit code with --execute: that of \`longhaul run\`; 1 also where nothing was begun.

Examples:
  longhaul ask "what does the travel policy say about hotels"
  longhaul ask --execute "read notes.md, then have it summarized"
  longhaul ask --choose summarizer --execute "the notes of last week"
  longhaul ask --json "search the handbook" | jq .routing_decision
`;

/** `longhaul ask …`: the dispatcher. */
export function addAskCommand(program: Command): void {
  program
    .command('ask')
    .alias('dispatch')
    .description('find out which tools and agents a request is for, and with --execute have it done')
    .argument('<request...>', 'what is wanted; - reads it from the standard input')
    .option('-x, --execute', 'run what was decided, and watch it')
    .option('-c, --choose <name...>', 'tools by name, agents by slug, name or id: nothing is decided any more')
    .option('-w, --workspace <name>', 'only what lies in this workspace, by name or id')
    .option('-n, --notebook <name>', 'notebook to work on, by name or id (with --execute the first folder)')
    .option('-d, --detach', 'with --execute: start it and leave at once')
    .addOption(
      new Option('--json', 'print the decision as one JSON object; with --execute then every event, and the run last'),
    )
    .addHelpText('after', HELP)
    .action(later(async () => (await import('./ask.ts')).askCommand));
}
