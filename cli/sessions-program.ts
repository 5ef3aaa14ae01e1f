import { type Command, Option } from 'commander';
import { later } from './later.ts';

const HELP = `
On a terminal it goes on until you say nothing more: what you say is answered as \`longhaul run\`
does it, and what the agent asks is asked here. Elsewhere one message is sent and answered.
The conversation is kept: each message is heard with all that was said before.

Examples:
  longhaul chat
  longhaul chat --agent reviewer "what is left to do in the draft?"
  longhaul chat --session ses_…                      goes on where it was
`;

const json = (what: string) => new Option('--json', what);

/** `longhaul chat` and `longhaul sessions` */
export function addSessionsCommands(program: Command): void {
  program
    .command('chat')
    .description('talk with an agent; the conversation outlives its runs')
    .argument('[message...]', 'what to say first')
    .option('-a, --agent <slug>', 'agent to talk with, by slug, name or id (the demo assistant, else the first one)')
    .option('-n, --notebook <name>', 'notebook to work on, by name or id (the first one the agent may use)')
    .option('-s, --session <id>', 'conversation to go on with')
    .addHelpText('after', HELP)
    .action(later(async () => (await import('./chat.ts')).chatCommand));

  program
    .command('sessions')
    .description('list your conversations, newest activity first')
    .option('--archived', 'only those in the archive')
    .option('-l, --limit <number>', 'how many, at most 100', '20')
    .addOption(json('print every session as a JSON object on a line of its own'))
    .action(later(async () => (await import('./sessions.ts')).sessionsCommand));
}
